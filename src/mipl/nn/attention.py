"""Attention: embedded instances -> a weight per instance and a vector per bag.

MIPLMA makes one vector of the instances h_1, ..., h_n of a bag (the numbers are those
of its paper's equations)::

    xi_j = w . ( tanh(V h_j) * sigmoid(U h_j) )        the score of an instance
    a    = softmax( xi / tau )                         (2), where tau falls by (3)
    a'   = ( a - mean(a) ) / std(a)                    (4)
    z    = sum_j a'_j h_j                              (5)

``GatedScore.formula`` and ``MarginAttention.formula`` are these lines for one bag.
What trains are ``forward`` and ``weigh`` below them: the same values and gradients for
the bags of a whole batch, which lie as flat rows one after another, in fewer operations
(``Segments`` for what happens inside bags, ``mipl.nn.fused`` for the gates). The
schedule (3) is ``falling_tau``, the sum (5) ``BagNetwork.pool``.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.nn.fused import fused_gates
from mipl.nn.initialisation import linear
from mipl.nn.segments import Segments

_EPSILON = 1e-8
_HIDDEN = 128  # Width of the score head's hidden layer in the published programs.
_ROUNDING = 64  # Units of rounding by which equal attention weights may differ.


class Attention(nn.Module):
    """Attention in two parts, so that a bag may come some instances at a time.

    ``score`` looks at each instance alone, ``weigh`` at all scores of a bag.
    """

    def __init__(self, score: nn.Module) -> None:
        super().__init__()
        self.score = score

    def forward(self, h: Tensor, bags: Segments, tau: float) -> tuple[Tensor, Tensor]:
        """Return raw scores and attention."""
        scores = self.score(h)  # (N,)
        return scores, self.weigh(scores, bags, tau)

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Turn raw scores into attention."""
        raise NotImplementedError


class GatedScore(nn.Module):
    """Score of an instance: head(tanh(V h) * sigmoid(U h)).

    Parameters
    ----------
    width : int
        L, the length of h.
    gates : int
        Number of gates; the publications use one per class.
    shared : bool
        Whether one affine map feeds both gates (the program) or each has its own.
    head : {"linear", "mlp"}
        The map from gates to the score: linear (the paper), or with a hidden layer.
    bias : bool or "gates"
        Whether the maps have biases, or the gates alone; some papers write none.
    """

    def __init__(
        self, width: int, gates: int, *, shared: bool, head: str, bias: bool | str
    ) -> None:
        super().__init__()
        inner, outer = bool(bias), bool(bias) and bias != "gates"
        self.gate = linear(width, gates, inner)  # V
        self.gate_sigmoid = None if shared else linear(width, gates, inner)  # U
        self.score_hidden = linear(gates, _HIDDEN, outer) if head == "mlp" else None
        self.score_out = linear(_HIDDEN if head == "mlp" else gates, 1, outer)  # w

    def formula(self, h: Tensor) -> Tensor:
        """Return raw scores as the papers write them."""
        v, u = self.gate, self.gate_sigmoid or self.gate
        return self._head(torch.tanh(v(h)) * torch.sigmoid(u(h)))  # (N,)

    def forward(self, h: Tensor) -> Tensor:
        """Return raw scores, the same as ``formula``."""
        return self._head(fused_gates(h, self.gate, self.gate_sigmoid or self.gate))

    def _head(self, g: Tensor) -> Tensor:
        if self.score_hidden is not None:
            g = torch.relu_(self.score_hidden(g))  # (N, 128)
        return self.score_out(g).squeeze(1)  # type: ignore[no-any-return]  # (N,)


class MarginAttention(Attention):
    """Margin-aware attention: a softmax sharpened by a falling temperature.

    Parameters
    ----------
    score : module
        h -> raw scores.
    standardise : {"scores", "attention", "none"}
        Where the z-score inside the bag stands: before the softmax (the program),
        after it (the paper), or nowhere.
    scale : float
        What the scores are multiplied by before the softmax.
    detach_spread : bool
        Whether the standard deviation is treated as a constant.
    """

    def __init__(
        self, score: nn.Module, *, standardise: str, scale: float, detach_spread: bool
    ) -> None:
        super().__init__(score)
        self.standardise = standardise
        self.scale = scale
        self.detach_spread = detach_spread

    def formula(self, xi: Tensor, tau: float) -> Tensor:
        """Return the attention of one bag from its raw scores, as it is written.

        Of several instances whose scores are not all equal: else (4) is 0/0.
        """

        def std(x: Tensor) -> Tensor:
            return (x.detach() if self.detach_spread else x).std()  # Of n - 1.

        if self.standardise == "scores":
            xi = (xi - xi.mean()) / (std(xi) + _EPSILON)
        a = torch.softmax(self.scale * xi / tau, dim=0)  # Eq. (2)
        if self.standardise == "attention":
            a = (a - a.mean()) / std(a)  # Eq. (4)
        return a  # (n,)

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Return the attention of all bags, the same as ``formula`` of each."""
        if self.standardise == "scores":
            centred = bags.centre(scores)
            scores = centred / (self._spread(centred, bags) + _EPSILON)
        a = bags.softmax(scores * (self.scale / tau))
        if self.standardise == "attention":
            even = bags.spread(1 / bags.sizes.to(a.dtype))  # The mean of a bag's a.
            centred = a - even
            spread = self._spread(centred, bags)
            # Where all weights are equal up to rounding the z-score is 0/0: the
            # average stands in.
            uneven = spread > _ROUNDING * torch.finfo(a.dtype).eps * even
            a = torch.where(uneven, centred / spread.where(uneven, 1.0), a)
        return a

    def _spread(self, centred: Tensor, bags: Segments) -> Tensor:
        """Return for each row the standard deviation in its bag."""
        return bags.spread(
            bags.std(centred.detach() if self.detach_spread else centred)
        )


class SigmoidAttention(Attention):
    """Attention of each instance by itself: a = sigmoid(score), whatever the others.

    A bag vector is the mean weighted by a, so the weights are a / sum(a); the
    temperature is not used.
    """

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Return each instance's share of its bag."""
        # The softmax of log a is a / sum(a), and defined where every a underflows.
        return bags.softmax(nn.functional.logsigmoid(scores))

    def opened(self, scores: Tensor) -> Tensor:
        """Return a, between 0 and 1."""
        return torch.sigmoid(scores)


class EvenAttention(Attention):
    """The same attention for all instances of a bag: bag vectors are means."""

    def __init__(self) -> None:
        super().__init__(_Level())

    def weigh(self, scores: Tensor, bags: Segments, tau: float) -> Tensor:
        """Return 1/n in a bag of n instances."""
        return bags.spread(1 / bags.sizes.to(scores.dtype))


def attention_entropy(scores: Tensor) -> Tensor:
    """Return -a log a of each instance, a = sigmoid(score): (N,) -> (N,).

    It is taken from the score, so that it is 0 and not undefined where a underflows.

    Examples
    --------
    >>> attention_entropy(torch.tensor([0.0, -200.0]))
    tensor([0.3466, 0.0000])
    """
    return -torch.sigmoid(scores) * torch.nn.functional.logsigmoid(scores)


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


class _Level(nn.Module):
    """The same score for all."""

    def forward(self, h: Tensor) -> Tensor:
        return h.new_zeros(h.shape[0])


def inverse_root(width: int) -> float:
    """Return 1/sqrt(L), the scale of the published program's scores."""
    return 1 / math.sqrt(width)


def falling_tau(t: int, start: float, least: float, decay: float, lag: int) -> float:
    """Return max(least, start decay^(t - lag)).

    Examples
    --------
    >>> [falling_tau(t, 5.0, 0.1, 0.95, lag=0) for t in (0, 1)]
    [5.0, 4.75]
    """
    if start < least:
        raise MiplError(f"tau {start} must not lie below tau_min {least}.")
    return max(least, start * decay ** (t - lag))
