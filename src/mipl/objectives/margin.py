"""Margins in the label space, and the losses of their distribution."""

from __future__ import annotations

import torch
from torch import Tensor

_LEAST = 0.05  # Floor of 1 - std: a spread of one stays finite and keeps a gradient.


def label_margin(p: Tensor, candidates: Tensor) -> Tensor:
    """Return best candidate minus best non-candidate probability: (..., k) -> (...).

    A full candidate set has no non-candidate, whose probability then counts as 0.

    Examples
    --------
    >>> p = torch.tensor([[0.5, 0.2, 0.3]])
    >>> label_margin(p, torch.tensor([[True, True, False]]))
    tensor([0.2000])
    """
    best = p.masked_fill(~candidates, 0.0).max(dim=-1).values
    other = p.masked_fill(candidates, 0.0).max(dim=-1).values
    return best - other


def margin_violation(p: Tensor, candidates: Tensor, scale: float = 1.0) -> Tensor:
    """Return phi = scale (1 - margin) of each bag."""
    return scale * (1 - label_margin(p, candidates))


def mean_and_spread(
    phi: Tensor, seen: Tensor | None = None, ddof: int = 0
) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation of phi, together with values seen before.

    They are those of the last axis, the bags of a batch: (..., B) -> (...), (...).

    ``seen`` enters as numbers, without gradient. Of one value the spread is 0.
    """
    values = phi if seen is None else torch.cat([seen.detach(), phi], dim=-1)
    count = max(values.shape[-1] - ddof, 1)
    mean = values.mean(dim=-1, keepdim=True)
    # The gradient of a length is 0 at 0, where that of a square root is infinite.
    length = torch.linalg.vector_norm(values - mean, dim=-1)
    return mean.squeeze(-1), length / count**0.5


def margin_distribution_loss(
    phi: Tensor, seen: Tensor | None = None, ddof: int = 0
) -> Tensor:
    """Return mean(phi) / (1 - std(phi)) of a batch.

    Examples
    --------
    >>> margin_distribution_loss(torch.tensor([0.5, 0.5]))
    tensor(0.5000)
    >>> margin_distribution_loss(torch.tensor([0.3, 0.7]))
    tensor(0.6250)
    """
    mean, spread = mean_and_spread(phi, seen, ddof)
    return mean / (1 - spread).clamp_min(_LEAST)


def counted_margin_loss(phi: Tensor, counted: Tensor) -> Tensor:
    """Return mean(phi) / (1 - std(phi)) of the bags that count, 0 of fewer than two.

    Examples
    --------
    >>> phi, counted = torch.tensor([0.3, 9.0, 0.7]), torch.tensor([True, False, True])
    >>> counted_margin_loss(phi, counted)
    tensor(0.6250)
    """
    n = counted.sum(dim=-1).to(phi.dtype)
    some = n.clamp_min(1)
    mean = phi.masked_fill(~counted, 0.0).sum(dim=-1) / some
    gaps = (phi - mean.unsqueeze(-1)).masked_fill(~counted, 0.0)
    spread: Tensor = torch.linalg.vector_norm(gaps, dim=-1) / some.sqrt()
    return mean.where(n > 1, 0.0) / (1 - spread).clamp_min(_LEAST)


def single_bag_margin_loss(phi: Tensor, ddof: int = 1) -> Tensor:
    """Return the loss of the statistics of {0, phi}, bag by bag.

    The published program keeps a list of violations that it never fills, so that each
    bag is compared with a zero: with ddof 1, (phi / 2) / (1 - phi / sqrt 2).
    """
    spread = phi.abs() / (2.0 if ddof == 0 else 2**0.5)
    return phi / 2 / (1 - spread).clamp_min(_LEAST)
