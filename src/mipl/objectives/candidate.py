"""Losses on the candidate labels."""

import torch
from torch import Tensor


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
