"""A network whose attention compares instances with prototypes of the classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mipl.nn.attention import Attention
from mipl.nn.dropout import ConstantDroppedReLU
from mipl.nn.fused import mapped
from mipl.nn.initialisation import linear
from mipl.nn.instance_network import InstanceOutput
from mipl.nn.network import BagNetwork, Output
from mipl.nn.prototypes import Metric, Prototypes
from mipl.nn.segments import Segments

_HIDDEN = 128  # Width of the score head's hidden layer in the published program.


class PrototypeScore(nn.Module):
    """Score of an instance by its gates, one for each class.

    ::

        g_c  = sigmoid(V h + b)_c * sigmoid(v . e_c + b')
        s(h) = w . relu(U g) + b''

    Parameters
    ----------
    width : int
        L, the length of h and of the class vectors e_c.
    n_classes : int
    """

    def __init__(self, width: int, n_classes: int) -> None:
        super().__init__()
        self.gate_instance = linear(width, n_classes)  # V
        self.gate_prototype = linear(width, 1)  # v
        self.score_hidden = linear(n_classes, _HIDDEN)  # U
        self.score_out = linear(_HIDDEN, 1)  # w

    def forward(self, h: Tensor, e: Tensor) -> Tensor:
        """Return the scores of rows h, (N, L), given class vectors e, (k, L).

        Of stacked runs both have the rows of all, run by run.
        """
        own = torch.sigmoid(self.gate_instance(h))  # (N, k)
        k = own.shape[1]
        of_class = torch.sigmoid(self.gate_prototype(e)).view(-1, 1, k)  # (S, 1, k)
        g = (own.view(len(of_class), -1, k) * of_class).view(-1, k)  # (N, k)
        found: Tensor = self.score_out(torch.relu_(self.score_hidden(g)))
        return found.squeeze(1)  # (N,)


class ClassVectors(nn.Module):
    """One vector per class of its embedded prototypes: their mean, or a learnt mix.

    ::

        e_c = mean_p q_cp        or        e_c = sum_p u_p q_cp + b

    ``forward`` gives all but b, which ``shifted`` adds: a metric comes between.

    Parameters
    ----------
    each : int
        P, the number of prototypes of a class.
    mixed : bool
        Whether it learns u and b, the same ones for all classes.
    """

    def __init__(self, each: int, mixed: bool) -> None:
        super().__init__()
        self.each = each
        self.prototype_mix = linear(each, 1) if mixed else None

    def forward(self, q: Tensor) -> Tensor:
        """Return a vector per class, (k, L), of prototypes (k P, L)."""
        parts = q.view(-1, self.each, q.shape[1])  # (k, P, L)
        if self.prototype_mix is None:
            return parts.mean(dim=1)
        rows = parts.mT.reshape(-1, self.each)  # (k L, P)
        return mapped(rows, self.prototype_mix.weight, None).view(len(parts), -1)

    def shifted(self, e: Tensor) -> Tensor:
        """Return the vectors with b added to each number."""
        if self.prototype_mix is None:
            return e
        b = self.prototype_mix.bias.view(-1, 1)  # (1, 1) or (S, 1)
        return (e.view(len(b), -1) + b).view(e.shape)


class MetricScore(nn.Module):
    """The score of what the metric makes of all vectors, and of the vectors themselves.

    Parameters
    ----------
    score : PrototypeScore
    classes : ClassVectors
    metric : Metric
    raw : float
        Weight of the second, the paper's lambda.
    """

    def __init__(
        self,
        score: PrototypeScore,
        classes: ClassVectors,
        metric: Metric,
        raw: float,
    ) -> None:
        super().__init__()
        self.score, self.classes = score, classes
        self.metric, self.raw = metric, raw

    def forward(self, h: Tensor, q: Tensor) -> Tensor:
        """Return s(h R, e R) + raw * s(h, e), given embedded prototypes, (k P, L)."""
        return self.through(h, q) + self.raw * self.beside(h, q)  # (N,)

    def through(self, h: Tensor, q: Tensor) -> Tensor:
        """Return the scores of what has been through the metric."""
        e = self.classes.shifted(self.metric(self.classes(q)))
        found: Tensor = self.score(self.metric(h), e)
        return found  # (N,)

    def beside(self, h: Tensor, q: Tensor) -> Tensor:
        """Return the scores of vectors as they are."""
        found: Tensor = self.score(h, self.classes.shifted(self.classes(q)))
        return found  # (N,)


class PrototypeNetwork(BagNetwork):
    """Embed instances and prototypes, score the first by the second, classify the bag.

    Parameters
    ----------
    scaling, encoder, attention, head
        As of every bag network; the attention's score is a ``MetricScore``.
    prototypes : Prototypes
    dropout : float
        Share of their embedding dropped in training, beside that of the instances.
    pooled : {"raw", "rfm", "concat"}
        Whether a bag is the sum of its embedded instances, of what the metric makes of
        them, or both, one beside the other.
    instance_classifier : module or None
        What judges instances that have been through the metric.
    """

    def __init__(
        self,
        scaling: nn.Module,
        encoder: nn.Module,
        attention: Attention,
        head: nn.Module,
        prototypes: Prototypes,
        dropout: float,
        pooled: str,
        instance_classifier: nn.Module | None,
    ) -> None:
        super().__init__(scaling, encoder, attention, head)
        self.prototypes = prototypes
        self.prototype_dropout = ConstantDroppedReLU(dropout)
        self.pooled = pooled
        self.instance_classifier = instance_classifier

    @property
    def paths(self) -> MetricScore:
        """The score of the attention, through the metric and beside it."""
        score = self.attention.score
        assert isinstance(score, MetricScore)
        return score

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self.paths.metric

    def forward(self, x: Tensor, bags: Segments, tau: float) -> Output:
        """Run a batch of bags."""
        out = super().forward(x, bags, tau)
        if self.instance_classifier is None:
            return out
        judged = torch.log_softmax(self.instance_classifier(self.metric(out.h)), dim=1)
        return InstanceOutput(**vars(out), instance_log_p=judged)

    def score(self, h: Tensor) -> Tensor:
        """Return the raw scores of instances, given the prototypes as they are now."""
        scores: Tensor = self.attention.score(h, self.embedded_prototypes())
        return scores  # (N,)

    def embedded_prototypes(self) -> Tensor:
        """Return the prototypes as the encoder embeds them, class by class."""
        q: Tensor = self.encoder(self.prototypes(), self.prototype_dropout)
        return q  # (k P, L)

    def pool(self, a: Tensor, h: Tensor, bags: Segments) -> Tensor:
        """Return bag vectors; those of the parts of a bag add up to its own."""
        return bags.weighted_sum(a, self.alone(h))

    def alone(self, h: Tensor) -> Tensor:
        """Return bag vectors of instances taken as bags of their own."""
        if self.pooled == "raw":
            return h
        through = self.metric(h)
        return through if self.pooled == "rfm" else torch.cat([h, through], dim=1)
