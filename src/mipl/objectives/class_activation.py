"""Class activation values, and the label that they choose."""

import torch
from torch import Tensor


def activation_values(z: Tensor) -> Tensor:
    """Return the distance of each logit z from 1, times z.

    Examples
    --------
    >>> activation_values(torch.tensor([-1.0, 0.5, 1.0, 3.0]))
    tensor([-2.0000,  0.2500,  0.0000,  6.0000])
    """
    return (z - 1).abs() * z


def activated_label(values: Tensor, candidates: Tensor, restrict: bool) -> Tensor:
    """Return the label of the largest value: (..., k) twice -> (...).

    The published program sets the values of non-candidates to 0, which wins where all
    candidates have negative ones: ``restrict=False``.

    Examples
    --------
    >>> values = torch.tensor([[-2.0, -1.0, 5.0]])
    >>> candidates = torch.tensor([[True, True, False]])
    >>> [int(activated_label(values, candidates, r)) for r in (True, False)]
    [1, 2]
    """
    if restrict:
        return values.masked_fill(~candidates, -torch.inf).argmax(dim=-1)
    return (values * candidates).argmax(dim=-1)
