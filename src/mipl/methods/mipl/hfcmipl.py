"""HFC-MIPL: bags and instances disambiguated together (Neural Networks 2026)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from scipy.special import softmax
from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import SigmoidAttention, attention_entropy
from mipl.nn.encoders import Standardise
from mipl.nn.filtered_network import FilteredNetwork, FilteredOutput
from mipl.objectives import (
    candidate_entropy,
    candidate_mass,
    falling_alpha,
    focusing_entropy,
    momentum_update,
    on_candidates,
    weighted_log_loss,
)
from mipl.objectives.label_propagation import bag_graph, propagated_labels
from mipl.parameters import choice, integer, number, redeclared
from mipl.training.batches import Batch, BatchSource
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState

_REBUILT = 30  # Epochs between two graphs; the first one follows the first epoch.
_ON_LABELS = 2.0  # Weight of the labels' share of the focusing term.


class HFCMIPL(GatedClassifier):
    """Multi-instance partial-label learning by bags and instances together.

    DEMIPL, and beside it a graph of similar bags that smooths the targets of their
    label weights, a filter of instances that grows stricter, a loss of instances, and a
    term that is to focus attention and labels.

    ::

        a_j  = sigmoid( score(h_j) ),   z = sum_j a_j h_j / sum_j a_j
        K    = {j: a_j >= min(.2 + .02 floor(t / 10), .6)},  or the largest a_j
        loss = - sum_c w_c log p_c  -  lam sum_j a_j log a_j
               + nu mean_c (r_c - y_c)^2,   r = p / sum_{c in S} p_c on S   (t > 1)
               + kappa I + mu Fo                                        (t > T / 2)
        I    = 1/n sum_{j not in K} - a_j log softmax(sigmoid(U h_j))_(argmax w)
        Fo   = sum_j u_j log u_j + 2 sum_{c in S} softmax(p)_c,   u_j = a_j^1.5
        w    = alpha w + (1 - alpha) r
        y    = softmax(Z),  Z = w smoothed over a graph of the bags' fused features
               [B z, mean_{j in K} h_j], anew after the epochs 1, 31, 61 ...

    This is the authors' program. Three of its terms act against their purpose, and each
    has a switch: the instances that were filtered out learn the label of their bag
    (``instance_loss_on``), the focusing term draws every a_j to .51 and labels out of S
    (``focus``), and targets are nearly even over all classes (``targets``). Negative
    cosines are no edges here; in the program they may end in a NaN.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = HFCMIPL(training=Training(epochs=20, lr=0.05, batch_size=4))
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    HFC-MIPL, a program for multi-instance partial-label learning; its paper is in
    Neural Networks 2026.
    """

    lam: float = number(
        "Weight of the entropy of the attention, lambda_a.",
        default=1e-3,
        at_least=0,
        together="differ",
    )
    nu: float = number(
        "Weight of the distance to the targets of the graph.",
        default=0.1,
        at_least=0,
        together="differ",
    )
    kappa: float = number(
        "Weight of the loss of the instances.",
        default=0.1,
        at_least=0,
        together="differ",
    )
    mu: float = number(
        "Weight of the focusing term.", default=0.2, at_least=0, together="differ"
    )
    instance_loss_on: str = choice(
        "Which instances learn the label of their bag: those that were filtered out, "
        "as in the program, or those that were kept.",
        ("filtered", "kept"),
        default="filtered",
    )
    focus: str = choice(
        "The focusing term of the program; or the entropy of the attention and of the "
        "candidates, which do focus.",
        ("published", "entropy"),
        default="published",
    )
    targets: str = choice(
        "Propagated labels after a softmax over all classes, as in the program, or "
        "normalised on the candidates.",
        ("published", "candidate_normalised"),
        default="published",
    )
    neighbours: int = integer("Of a bag in the graph.", default=10, at_least=1)
    step: float = number("Of the propagation, g.", default=10.0, above=0)
    smooth: float = number(
        "Weight of the graph in the propagation, al.", default=0.01, at_least=0
    )
    stay: float = number(
        "Weight of the label weights in it, et; without effect in the first step.",
        default=1.0,
        at_least=0,
    )
    correlate: float = number(
        "Weight of how labels go together in it, be.", default=0.0, at_least=0
    )
    steps: int = integer("Of the propagation.", default=1, at_least=1)
    width: int = redeclared(default=500)
    training: Training | None = redeclared(
        default=None,
        about="By default one bag per step in the same order, as published.",
    )

    _stacks: ClassVar[bool] = True

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> FilteredNetwork:
        return FilteredNetwork(
            Standardise(self.n_features_in_),
            encoder,
            SigmoidAttention(self._score(width, n_classes)),
            self._head(width, n_classes),
            width,
            n_classes,
        )

    def _prepare(self, state: TrainingState, source: BatchSource) -> None:
        classifier = state.module.get_submodule("bag_map")
        width = 2 * int(classifier.get_parameter("weight").shape[0])
        state.own = {
            "fused": state.w.new_zeros(len(source), width),  # (m, 2 L)
            "targets": torch.zeros_like(state.w),  # (m, k)
            "candidates": source.candidates.clone(),  # (m, k)
        }

    def _clock(self, epoch: int, epochs: int) -> Clock:
        alpha = falling_alpha(epoch, epochs, self.alpha_lag)
        # The attention has no temperature: in its place stands the filter's threshold.
        return Clock(epoch, epochs, filter_threshold(epoch), alpha)

    def _tau_after(self, epoch: int) -> float:
        return filter_threshold(epoch)

    def _loss(
        self, out: FilteredOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        entropy = batch.per_bag(attention_entropy(out.scores))  # (B,)
        later, late = clock.epoch > 1, 2 * clock.epoch > clock.epochs
        none = torch.zeros_like(entropy)
        graph = self._from_targets(out, batch, w, clock) if later else none
        instances = self._of_instances(out, batch, w) if late else none
        focus = self._focusing(out, batch) if late else none
        return {
            "disambiguation": batch.mean(weighted_log_loss(out.log_p, w)),
            "attention": self.lam * batch.mean(entropy),
            "graph": self.nu * batch.mean(graph),
            "instances": self.kappa * batch.mean(instances),
            "focus": self.mu * batch.mean(focus),
        }

    def _from_targets(
        self, out: FilteredOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> Tensor:
        """Return the mean square of r - y of each bag, (B,)."""
        y = clock.own["targets"].view(-1, w.shape[-1]).index_select(0, batch.bags)
        return (on_candidates(out.p, batch.candidates) - y.view_as(w)).square().mean(-1)

    def _of_instances(self, out: FilteredOutput, batch: Batch, w: Tensor) -> Tensor:
        """Return I of each bag, (B,)."""
        best = nn.functional.one_hot(w.argmax(-1), w.shape[-1]).to(w)  # (B, k)
        wrong = weighted_log_loss(out.instance_log_p, batch.per_instance(best))  # (N,)
        chosen = out.kept if self.instance_loss_on == "kept" else 1 - out.kept
        sizes = batch.segments.spread(batch.segments.sizes)
        return batch.per_bag(chosen * torch.sigmoid(out.scores) * wrong / sizes)

    def _focusing(self, out: FilteredOutput, batch: Batch) -> Tensor:
        """Return Fo of each bag, (B,)."""
        entropy = batch.per_bag(focusing_entropy(torch.sigmoid(out.scores)))
        if self.focus == "entropy":
            return entropy + _ON_LABELS * candidate_entropy(out.p, batch.candidates)
        third = out.p.softmax(dim=-1)  # p has been through a sigmoid and a softmax.
        return _ON_LABELS * candidate_mass(third, batch.candidates) - entropy

    def _update(
        self, out: FilteredOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> Tensor:
        if rebuilds(clock.epoch):
            fused = out.fused.flatten(0, -2)  # (B, 2 L)
            whole = clock.own["fused"].view(-1, fused.shape[1])
            whole.index_copy_(0, batch.bags, fused)
        return momentum_update(w, out.p, batch.candidates, clock.alpha)

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None:
        if not rebuilds(clock.epoch):
            return
        f, y = (v.cpu().double().numpy() for v in (state.own["fused"], state.w))
        z = propagated_labels(
            bag_graph(f, self.neighbours),
            y,
            self.step,
            self.smooth,
            self.stay,
            self.correlate,
            self.steps,
        )
        targets = torch.from_numpy(softmax(z, axis=1))
        if self.targets == "candidate_normalised":
            inside = state.own["candidates"].cpu()
            targets = on_candidates(torch.from_numpy(np.maximum(z, 0.0)), inside)
        state.own["targets"].copy_(targets)

    def _default_training(self) -> Training:
        return Training(lr=0.01, clip=None, batch_size=1, order="same")


def filter_threshold(epoch: int) -> float:
    """Return the least attention that passes the filter in an epoch.

    Examples
    --------
    >>> [round(filter_threshold(t), 2) for t in (1, 10, 99, 500)]
    [0.2, 0.22, 0.38, 0.6]
    """
    return min(0.2 + 0.02 * (epoch // 10), 0.6)


def rebuilds(epoch: int) -> bool:
    """Tell whether the graph is built anew at the end of an epoch.

    Examples
    --------
    >>> [t for t in range(1, 70) if rebuilds(t)]
    [1, 31, 61]
    """
    return (epoch - 1) % _REBUILT == 0
