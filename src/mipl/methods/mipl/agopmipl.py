"""AGOPMIPL: attention by prototypes and a metric of gradients (ICML 2026)."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np
import torch
from torch import Tensor

from mipl.data.frozen import Array
from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import MarginAttention, inverse_root
from mipl.nn.class_pools import READINGS, class_prototypes, pool_members
from mipl.nn.encoders import IMAGE, PaddedConvEncoder, Standardise, TwoLayerEncoder
from mipl.nn.heads import SoftmaxHead
from mipl.nn.initialisation import linear
from mipl.nn.instance_network import InstanceOutput
from mipl.nn.network import Output
from mipl.nn.prototype_network import (
    ClassVectors,
    MetricScore,
    PrototypeNetwork,
    PrototypeScore,
)
from mipl.nn.prototypes import Metric, Prototypes, outer_product, softmax_outer_product
from mipl.objectives import (
    candidate_entropy,
    floored_log,
    held_alpha,
    inhibition_loss,
    momentum_update,
    weighted_log_loss,
)
from mipl.parameters import choice, integer, number, redeclared
from mipl.seeds import as_seed, stream
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState


class AGOPMIPL(NeuralBagClassifier):
    """Multi-instance partial-label learning by an average gradient outer product.

    Each class has prototypes, found by k-means among the instances of the bags that it
    is a candidate of; they go through the network with every bag, and gate the scores
    of its instances. Scores are taken of all vectors as they are, and through a metric
    R. Training goes in rounds: after each, R is taken anew from the gradients of the
    bag classifier W, and learning rate, momentum and alpha begin again.

    ::

        e_c  = mean of the embedded prototypes of class c
        s    = MLP( sigmoid(V h_j)_c * sigmoid(v . e_c) )
        a    = softmax( (s(R h, R e) + lam s(h, e)) / sqrt(L) ),   z = sum_j a_j h_j
        p    = softmax(W z),   r = p / sum_{c in S} p_c on S,   o_j = softmax(U R h_j)
        loss = - sum_c w_c log p_c  -  mu sum_c r_c log r_c
               - gamma sum_{c not in S} log(1 - p_c)  -  eta mean_j sum_c w_c log o_jc
        w    = alpha w + (1 - alpha) r
        M    = rho M + (1 - rho) G,   R = M^(1/2)
        G    = W' W   or   mean_i J_i' J_i,  J_i = (diag(p_i) - p_i p_i') W

    The average is announced as that of the classifier's Jacobians over the training
    bags; as it is linear and its logits are what the program differentiates, that is
    W' W, and no bag enters. Of its nearest neighbour, ELIMIPL, it has the loss without
    the sparsity, and an entropy that decides between candidates. Accuracies were
    published of the best of many looks at the test bags; here the last epoch counts.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> training = Training(epochs=20, rounds=2, lr=0.05, batch_size=4)
    >>> model = AGOPMIPL(training=training).fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Enhanced multi-instance partial label learning via average gradient outer product.
    ICML 2026.
    """

    metric: str = choice(
        "What the metric is taken from: the classifier's weights, as the program does; "
        "the gradients of its probabilities at the training bags, as announced; or "
        "nothing, and it stays the identity.",
        ("published", "softmax_jacobian", "none"),
        default="published",
    )
    metric_momentum: float = number(
        "Share of the last round's metric in the next, rho.",
        default=0.0,
        at_least=0,
        below=1,
    )
    prototypes: int | None = integer(
        "Prototypes of each class, P; None takes as many as there are classes.",
        default=None,
        at_least=1,
        or_none=True,
    )
    prototype_pools: str = choice(
        "Whether k-means sees the instances of the bags that a class is a candidate "
        "of; or, by the slip of the program, of as many others.",
        READINGS,
        default="intended",
    )
    aggregation: str = choice(
        "Class vectors are the mean of the embedded prototypes, or a learnt mix.",
        ("mean", "linear"),
        default="mean",
    )
    mode: str = choice(
        "Bag vectors are sums of embedded instances, of what the metric makes of them, "
        "or both.",
        ("raw", "rfm", "concat"),
        default="raw",
    )
    lam: float = number(
        "Weight of the scores without the metric, lambda.", default=1.0, at_least=0
    )
    mu: float = number(
        "Weight of the entropy of the candidates.",
        default=0.1,
        at_least=0,
        together="differ",
    )
    gamma: float = number(
        "Weight of the inhibition loss.", default=0.5, at_least=0, together="differ"
    )
    eta: float = number(
        "Weight of the loss of the instances; 0 leaves their classifier out.",
        default=0.1,
        at_least=0,
    )
    hold: float = number(
        "Share of a round at whose start the label weights stay as they are.",
        default=0.2,
        at_least=0,
        below=1,
    )
    width: int = integer("Length of the embedding, L.", default=128, at_least=1)
    hidden: int = integer(
        "Width of the layer before it, for features that are no images.",
        default=256,
        at_least=1,
    )
    encoder: str = choice(
        '"auto" takes two padded convolutions for 28x28 images, and two affine maps '
        "otherwise.",
        ("auto", "mlp"),
        default="auto",
    )
    dropout: float = redeclared(default=0.3)
    scaling: str = redeclared(default="standard")
    training: Training | None = redeclared(
        default=None,
        about="By default 3 rounds of 80 epochs, one bag per step in the same order, "
        "as published.",
    )

    _stacks: ClassVar[bool] = True

    def _new_module(self, n_classes: int) -> PrototypeNetwork:
        k, d, width = n_classes, self.n_features_in_, self.width
        image = self.instance_shape_ in (IMAGE, IMAGE[1:]) and self.encoder == "auto"
        encoder = (
            PaddedConvEncoder(width, self.dropout)
            if image
            else TwoLayerEncoder(d, self.hidden, width, self.dropout)
        )
        each = self.prototypes or k
        score = MetricScore(
            PrototypeScore(width, k),
            ClassVectors(each, self.aggregation == "linear"),
            Metric(width),
            self.lam,
        )
        attention = MarginAttention(
            score, standardise="none", scale=inverse_root(width), detach_spread=False
        )
        return PrototypeNetwork(
            Standardise(d),
            encoder,
            attention,
            SoftmaxHead(2 * width if self.mode == "concat" else width, k),
            Prototypes(k, each, d),
            self.dropout,
            self.mode,
            linear(width, k) if self.eta else None,
        )

    def _prepare(self, state: TrainingState, source: BatchSource) -> None:
        module = cast("PrototypeNetwork", state.module)
        places = module.prototypes.get_buffer("places")  # (k, P, d)
        seed, sets = as_seed(self.random_state), source.candidates.cpu().numpy()
        order = stream(seed, "pools").permutation(len(source))
        members = np.empty_like(sets)  # (m, k)
        members[order] = pool_members(sets, order, self.prototype_pools)

        def scaled(rows: Array) -> Array:
            x: Tensor = module.scaling(torch.tensor(rows).to(places))
            return x.cpu().numpy()

        found = class_prototypes(source.bags, members, places.shape[1], seed, scaled)
        places.copy_(torch.from_numpy(found))

    def _clock(self, epoch: int, epochs: int) -> Clock:
        here = self._options().round_of(epoch)
        alpha = held_alpha(here.epoch, here.epochs, self.hold)
        return Clock(epoch, epochs, alpha=alpha)

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        mapping = weighted_log_loss(floored_log(out.p), w)
        sparsity = candidate_entropy(out.p, batch.candidates)
        inhibition = inhibition_loss(out.log_p, batch.candidates)
        terms = {
            "mapping": batch.mean(mapping),
            "sparsity": self.mu * batch.mean(sparsity),
            "inhibition": self.gamma * batch.mean(inhibition),
        }
        if isinstance(out, InstanceOutput):
            each = weighted_log_loss(out.instance_log_p, batch.per_instance(w))  # (N,)
            share = each / batch.segments.spread(batch.segments.sizes)
            terms["instances"] = self.eta * batch.mean(batch.per_bag(share))
        return terms

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None:
        if (
            self.metric == "none"
            or not self._options().round_of(clock.epoch).hands_over
        ):
            return
        module = cast("PrototypeNetwork", state.module)
        weight = cast("SoftmaxHead", module.head).classifier.weight.detach()
        weight = weight[:, -self.width :]  # Of both vectors side by side the second's.
        outer = (
            outer_product(weight)
            if self.metric == "published"
            else softmax_outer_product(weight, state.p)
        )
        module.metric.learn(outer, self.metric_momentum)

    def _default_training(self) -> Training:
        return Training(
            epochs=240,
            rounds=3,
            warm_up=10,
            order="same",
            lr=0.005,
            weight_decay=1e-3,
            clip=None,
            batch_size=1,
        )
