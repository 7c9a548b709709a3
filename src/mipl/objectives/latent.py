"""Losses on inferred labels."""

import torch
from torch import Tensor

from mipl.nn.latent_label import clamped


def bernoulli_entropy(q: Tensor) -> Tensor:
    """Return the mean entropy of the labels' Bernoulli variables: (B, k) -> (B,).

    Examples
    --------
    >>> bernoulli_entropy(torch.tensor([[0.5, 0.0]]))
    tensor([0.3466])
    """
    q = clamped(q)  # At 0 and 1 the slope is infinite.
    return -(q * q.log() + (1 - q) * torch.log1p(-q)).mean(dim=-1)
