"""An objective that is linear in the scores."""

from torch import Tensor


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
