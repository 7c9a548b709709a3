"""Scores of an instance without a gate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mipl.nn.initialisation import linear


class PlainScore(nn.Module):
    """Score of an instance: w . tanh(V h), what ``GatedScore`` has without its gate.

    Parameters
    ----------
    width : int
        L, the length of h.
    hidden : int
        Number of rows of V.
    """

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate = linear(width, hidden)
        self.score_out = linear(hidden, 1)

    def forward(self, h: Tensor) -> Tensor:
        """Return raw scores."""
        return self.score_out(torch.tanh(self.gate(h))).squeeze(1)  # type: ignore[no-any-return]  # (N,)


class EvidenceScore(nn.Module):
    """Score of an instance: log sum_c exp(z_c), z = the logits of a classifier.

    The softmax of it inside a bag is the instance's share of all evidence for any
    class; in log space, so that no instance underflows to a score of its own.

    Parameters
    ----------
    classifier : module
        h -> logits; it may be that of the bags.
    """

    def __init__(self, classifier: nn.Module) -> None:
        super().__init__()
        self.classifier = classifier

    def forward(self, h: Tensor) -> Tensor:
        """Return raw scores."""
        return torch.logsumexp(self.classifier(h), dim=1)  # (N,)
