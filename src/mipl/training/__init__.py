"""The training loop and its settings."""

from mipl.training.options import Training

__all__ = ["Training"]
