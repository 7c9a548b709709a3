"""Losses on latent variables with independent normal distributions."""

import math

from torch import Tensor


def standard_kl(mean: Tensor, logvar: Tensor) -> Tensor:
    """Return the divergence from a standard normal, averaged: (..., L) twice -> (...).

    Examples
    --------
    >>> import torch
    >>> standard_kl(torch.tensor([0.0, 2.0]), torch.zeros(2))
    tensor(1.)
    """
    return (mean.square() + logvar.exp() - logvar - 1).mean(dim=-1) / 2


def log_density(x: Tensor, mean: Tensor, logvar: Tensor) -> Tensor:
    """Return the log density of x, averaged over its numbers: (..., L) -> (...).

    Examples
    --------
    >>> import torch
    >>> log_density(torch.zeros(1, 2), torch.zeros(1, 2), torch.zeros(1, 2))
    tensor([-0.9189])
    """
    deviation = (x - mean).square() / logvar.exp()
    return -(math.log(2 * math.pi) + logvar + deviation).mean(dim=-1) / 2
