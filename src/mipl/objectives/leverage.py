"""The leveraged weighted loss: candidates pulled up, others pushed down."""

from __future__ import annotations

import torch
from torch import Tensor

_FLOOR = 1e-8  # The published program's, inside its logarithms.


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
