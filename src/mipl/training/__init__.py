"""The training loop and its settings."""

from mipl.training.checkpoint import Checkpoint
from mipl.training.options import Training

__all__ = ["Checkpoint", "Training"]
