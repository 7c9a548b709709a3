"""The calibratable disambiguation loss."""

from __future__ import annotations

import torch
from torch import Tensor

from mipl.objectives.candidate import weighted_log_loss

_LEAST = 1e-6  # Floor of the factor's base: a power below one keeps a finite slope.


def best_and_next(
    p: Tensor, candidates: Tensor, contrast: str
) -> tuple[Tensor, Tensor]:
    """Return the best candidate's probability and what it is compared with.

    That is the second best candidate ("cc") or the best non-candidate ("cn"); 0 where
    there is none. (..., B, k) -> (..., B) twice.

    Examples
    --------
    >>> p, sets = torch.tensor([[0.5, 0.2, 0.3]]), torch.tensor([[True, True, False]])
    >>> [float(best_and_next(p, sets, kind)[1]) for kind in ("cc", "cn")]
    [0.20..., 0.30...]
    """
    inside = p.masked_fill(~candidates, 0.0)
    if contrast == "cn":
        return inside.amax(dim=-1), p.masked_fill(candidates, 0.0).amax(dim=-1)
    inside = torch.cat([inside, torch.zeros_like(inside[..., :1])], dim=-1)
    best, second = inside.topk(2, dim=-1).values.unbind(dim=-1)
    return best, second


def calibratable_loss(
    log_p: Tensor, w: Tensor, candidates: Tensor, contrast: str, gamma: float
) -> Tensor:
    """Return -(1 - best + next)^gamma sum_c w_c log p_c of each bag.

    A bag whose label is settled counts less; the gradient flows through the factor.
    """
    best, other = best_and_next(log_p.exp(), candidates, contrast)
    factor = (1 - best + other).clamp_min(_LEAST) ** gamma
    return factor * weighted_log_loss(log_p, w)
