"""Losses on the attention."""

import torch
from torch import Tensor


def attention_entropy(scores: Tensor) -> Tensor:
    """Return -a log a of each instance, a = sigmoid(score): (N,) -> (N,).

    It is taken from the score, so that it is 0 and not undefined where a underflows.

    Examples
    --------
    >>> attention_entropy(torch.tensor([0.0, -200.0]))
    tensor([0.3466, 0.0000])
    """
    return -torch.sigmoid(scores) * torch.nn.functional.logsigmoid(scores)
