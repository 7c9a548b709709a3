"""Heads: bag vectors -> log-probabilities of the classes."""

import torch
from torch import Tensor, nn

from mipl.nn.initialisation import linear

CLAMP = 1e-5  # Beyond it no gradient is left.


class SoftmaxHead(nn.Module):
    """An affine map and a softmax."""

    def __init__(self, width: int, n_classes: int) -> None:
        super().__init__()
        self.classifier = linear(width, n_classes)

    def forward(self, z: Tensor) -> Tensor:
        """Return log-probabilities."""
        return torch.log_softmax(self.classifier(z), dim=1)  # (B, k)


class SigmoidSoftmaxHead(SoftmaxHead):
    """An affine map, a sigmoid, and a softmax of that, as in the published programs.

    The logits of the softmax lie in (0, 1), so no probability exceeds e / (e + k - 1).
    """

    def squash(self, z: Tensor) -> Tensor:
        """Return the sigmoid outputs."""
        return torch.sigmoid(self.classifier(z))  # (B, k)

    def forward(self, z: Tensor) -> Tensor:
        """Return log-probabilities; in training the sigmoid is clamped first."""
        o = self.squash(z)
        if self.training:
            o = o.clamp(CLAMP, 1 - CLAMP)
        return torch.log_softmax(o, dim=1)  # (B, k)


class SigmoidHead(nn.Module):
    """One logit for two classes: the second has probability sigmoid(logit)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.classifier = linear(width, 1)

    def forward(self, z: Tensor) -> Tensor:
        """Return log-probabilities."""
        return two_sided(self.classifier(z))  # (B, 2)


def two_sided(logit: Tensor) -> Tensor:
    """Return log-probabilities of two classes from one logit: (B, 1) -> (B, 2).

    Examples
    --------
    >>> two_sided(torch.tensor([[0.0], [200.0]])).exp()
    tensor([[0.5000, 0.5000],
            [0.0000, 1.0000]])
    """
    return nn.functional.logsigmoid(torch.cat([-logit, logit], dim=1))


HEADS = {"softmax": SoftmaxHead, "sigmoid-softmax": SigmoidSoftmaxHead}
