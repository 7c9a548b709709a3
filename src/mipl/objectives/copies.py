"""Bags repeated once per candidate, as methods of true labels are given them."""

from torch import Tensor


def copies(w: Tensor, candidates: Tensor) -> Tensor:
    """Return how often each bag is given with each label: (..., B, k) twice -> same.

    Where the weights are even, once with each of its |S| candidates: a loss weighted by
    this is the sum of the losses of all copies. Uneven weights share out the same |S|.

    Examples
    --------
    >>> import torch
    >>> copies(torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[True, True, False]]))
    tensor([[1., 1., 0.]])
    """
    return w * candidates.sum(dim=-1, keepdim=True)
