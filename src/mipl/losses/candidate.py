"""Losses on the candidate labels."""

from torch import Tensor


def weighted_log_loss(log_p: Tensor, w: Tensor) -> Tensor:
    """Return -sum_c w_c log p_c of each bag: (..., B, k) twice -> (..., B).

    A label of weight zero contributes nothing, even where its probability is zero.

    Examples
    --------
    >>> import torch
    >>> log_p = torch.tensor([[0.5, 0.5, 0.0]]).log()
    >>> weighted_log_loss(log_p, torch.tensor([[1.0, 0.0, 0.0]]))
    tensor([0.6931])
    """
    return -(w * log_p.masked_fill(w == 0, 0.0)).sum(dim=-1)
