"""Terms of variational bounds: entropies, divergences, expected log-likelihoods."""

import math

import torch
from torch import Tensor

from mipl.nn.latent_label import clamped


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


def bernoulli_entropy(q: Tensor) -> Tensor:
    """Return the mean entropy of the labels' Bernoulli variables: (B, k) -> (B,).

    Examples
    --------
    >>> bernoulli_entropy(torch.tensor([[0.5, 0.0]]))
    tensor([0.3466])
    """
    q = clamped(q)  # At 0 and 1 the slope is infinite.
    return -(q * q.log() + (1 - q) * torch.log1p(-q)).mean(dim=-1)


def linear_objective(scores: Tensor, w: Tensor, intercept: Tensor) -> Tensor:
    """Return sum_c w_c (intercept_c + score_c), summed over draws, of each bag.

    (B, k, S), (B, k), (1, k) -> (B,). There is no log-partition: only scores that are
    standardised over the bags keep it bounded.

    Examples
    --------
    >>> import torch
    >>> scores = torch.tensor([[[1.0, 2.0], [0.0, 4.0]]])
    >>> w = torch.tensor([[0.25, 0.75]])
    >>> linear_objective(scores, w, torch.tensor([[1.0, 0.0]]))
    tensor([4.2500])
    """
    return (w.unsqueeze(-1) * (intercept.unsqueeze(-1) + scores)).sum(dim=(1, 2))
