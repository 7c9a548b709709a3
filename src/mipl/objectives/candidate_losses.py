"""Losses on what candidates and the other labels hold of the probability."""

from __future__ import annotations

import torch
from torch import Tensor

_FLOOR = 1e-8  # The published program's, inside its logarithms.
_LEAST = 1e-6  # Floor of the factor's base: a power below one keeps a finite slope.


def weighted_log_loss(log_p: Tensor, w: Tensor) -> Tensor:
    """Return -sum_c w_c log p_c of each bag: (..., B, k) twice -> (..., B).

    A label of weight zero contributes nothing, even where its probability is zero.

    Examples
    --------
    >>> log_p = torch.tensor([[0.5, 0.5, 0.0]]).log()
    >>> weighted_log_loss(log_p, torch.tensor([[1.0, 0.0, 0.0]]))
    tensor([0.6931])
    """
    return -(w * log_p.masked_fill(w == 0, 0.0)).sum(dim=-1)


def candidate_log_loss(log_p: Tensor, candidates: Tensor) -> Tensor:
    """Return -log sum_{c in S} p_c of each bag: (..., B, k) twice -> (..., B).

    Examples
    --------
    >>> log_p = torch.tensor([[0.25, 0.25, 0.5]]).log()
    >>> candidate_log_loss(log_p, torch.tensor([[True, True, False]]))
    tensor([0.6931])
    """
    return -log_p.masked_fill(~candidates, -torch.inf).logsumexp(dim=-1)


def candidate_mass(p: Tensor, candidates: Tensor) -> Tensor:
    """Return the l1 norm of p on the candidates: (..., B, k) -> (..., B).

    Examples
    --------
    >>> p = torch.tensor([[0.5, 0.2, 0.3]])
    >>> candidate_mass(p, torch.tensor([[True, True, False]]))
    tensor([0.7000])
    """
    return p.masked_fill(~candidates, 0.0).sum(dim=-1)


def inhibition_loss(log_p: Tensor, candidates: Tensor) -> Tensor:
    """Return -sum log(1 - p_c) over the non-candidates: (..., B, k) -> (..., B).

    1 - p_c is taken as the sum of the other probabilities, so that the loss and its
    gradient stay finite where a non-candidate has nearly all.

    Examples
    --------
    >>> log_p = torch.tensor([[0.5, 0.2, 0.3]]).log()
    >>> inhibition_loss(log_p, torch.tensor([[True, True, False]]))
    tensor([0.3567])
    """
    k = log_p.shape[-1]
    if k == 1:
        return torch.zeros_like(log_p[..., 0])
    itself = torch.eye(k, dtype=torch.bool, device=log_p.device)
    others = log_p.unsqueeze(-2).masked_fill(itself, -torch.inf)  # (..., B, k, k)
    return -others.logsumexp(dim=-1).masked_fill(candidates, 0.0).sum(dim=-1)


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


def sigmoid_pair(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return the losses of each label as a candidate and as none, of its logit.

    Examples
    --------
    >>> [round(float(v), 4) for v in sigmoid_pair(torch.tensor(1.0))]
    [0.2689, 0.7311]
    """
    return torch.sigmoid(-z), torch.sigmoid(z)


def log_pair(p: Tensor) -> tuple[Tensor, Tensor]:
    """Return the losses of each label as a candidate and as none, of its probability.

    Examples
    --------
    >>> [round(float(v), 4) for v in log_pair(torch.tensor(0.25))]
    [1.3863, 0.2877]
    """
    return -torch.log(p + _FLOOR), -torch.log(1 - p + _FLOOR)


def leveraged(
    pair: tuple[Tensor, Tensor], w: Tensor, candidates: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the weighted losses of candidates and of others: (..., B, k) -> (..., B).

    A full candidate set has no others, whose loss is then 0.

    Examples
    --------
    >>> pair = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[4.0, 5.0, 6.0]])
    >>> w = torch.tensor([[0.5, 0.5, 1.0]])
    >>> leveraged(pair, w, torch.tensor([[True, True, False]]))
    (tensor([1.5000]), tensor([6.]))
    """
    inside, outside = pair
    return (
        (w * inside).masked_fill(~candidates, 0.0).sum(dim=-1),
        (w * outside).masked_fill(candidates, 0.0).sum(dim=-1),
    )
