"""Replays of HFC-MIPL as the authors' program computes it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from mipl.methods.mipl.hfcmipl import HFCMIPL, filter_threshold
from mipl.nn.attention import attention_entropy
from mipl.nn.filtered_network import FilteredNetwork, FilteredOutput, passed
from mipl.objectives import on_candidates, weighted_log_loss
from mipl.objectives.label_propagation import bag_graph, label_correlation
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    gradients_of,
    prefixed,
    run,
    stack,
)
from mipl.testing.replay.program import (
    fit_parts,
    one_by_one,
    released_training,
    starting_network,
    total_of,
    training_source,
    trajectory,
)
from mipl.training.batches import Batch
from mipl.training.state import Clock, TrainingState


def released(inputs: Inputs) -> Arrays:
    """Recompute a file of the authors' program."""
    method = _method(inputs)
    module = cast("FilteredNetwork", starting_network(inputs, method))
    visit = _Visit(inputs, method, module)
    terms = [visit.loss(i, visit.second) for i in range(visit.n)]
    early = [visit.loss(i, visit.first) for i in range(visit.n)]
    totals = [total_of(one) for one in terms]
    out, batch = visit.all_at_once(), visit.batch
    head: Any = module.head
    evaluated = run(module.eval(), batch, filter_threshold(visit.first))
    updated = method._update(out, batch, visit.w, visit.clock(visit.first))
    gradients = gradients_of(module, totals[int(inputs["gradient_bag"])])
    graph = bag_graph(array(out.fused), method.neighbours)
    found = trajectory(inputs, method, visit.source)
    return {
        **_filters(inputs, out, batch),
        "static_attention": array(torch.sigmoid(out.scores)),
        "static_instance_outputs": array(
            torch.sigmoid(module.instance_classifier(out.h))
        ),
        "static_bag_vector": array(out.z),
        "static_sigmoid_outputs": array(head.squash(out.z)),
        "static_fused_features": array(out.fused),
        "static_probabilities_eval": array(evaluated.p),
        "static_graph": graph.toarray(),
        "static_label_correlation": label_correlation(array(visit.w)),
        "static_propagated_targets": array(visit.targets),
        "static_disambiguation_loss": array(weighted_log_loss(out.log_p, visit.w)),
        "static_attention_entropy": array(batch.per_bag(attention_entropy(out.scores))),
        "static_instance_loss": stack(
            [one["instances"] / method.kappa for one in terms]
        ),
        "static_graph_loss": stack([one["graph"] / method.nu for one in terms]),
        "static_focus_loss": stack([one["focus"] / method.mu for one in terms]),
        "static_total_loss": stack(totals),
        "static_total_loss_first_half": stack([total_of(one) for one in early]),
        "static_normalised_candidate_probabilities": array(
            on_candidates(out.p, batch.candidates)
        ),
        "static_updated_label_weights": array(updated),
        **prefixed("gradient_", gradients),
        "train_propagated_targets": found.pop("own_targets"),
        **found,
    }


def _method(inputs: Inputs) -> HFCMIPL:
    return HFCMIPL(
        lam=float(inputs["attention_entropy_weight"]),
        nu=float(inputs["graph_weight"]),
        kappa=float(inputs["instance_weight"]),
        mu=float(inputs["focus_weight"]),
        neighbours=int(inputs["neighbours"]),
        step=float(inputs["propagation_step"]),
        smooth=float(inputs["propagation_alpha"]),
        stay=float(inputs["propagation_eta"]),
        correlate=float(inputs["propagation_beta"]),
        steps=int(inputs["propagation_iterations"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
        training=released_training(inputs),
    )


class _Visit:
    """One look at all bags with the given label weights, and the targets of it."""

    def __init__(
        self, inputs: Inputs, method: HFCMIPL, module: FilteredNetwork
    ) -> None:
        self.inputs, self.method, self.module = inputs, method, module
        self.source = training_source(inputs)
        self.batch = all_bags(self.source)
        self.w = torch.as_tensor(inputs["static_label_weights"])
        self.first = int(inputs["static_epoch_first_half"])
        self.second = int(inputs["static_epoch_second_half"])
        self.n = len(self.w)
        self.state = self._graphed()
        self.targets: Tensor = self.state.own["targets"]

    def _graphed(self) -> TrainingState:
        """Return a state whose targets were built from this look."""
        weights = self.inputs["static_label_weights"]
        parts = fit_parts(self.method, self.module, weights, self.source)
        state: TrainingState = parts["state"]
        state.own["fused"].copy_(self.all_at_once().fused)
        self.method._end_epoch(state, Clock(1, 1))
        return state

    def clock(self, epoch: int) -> Clock:
        epochs = int(self.inputs["static_epochs"])
        threshold = filter_threshold(epoch)
        alpha = float(self.inputs["static_alpha"])
        return Clock(epoch, epochs, threshold, alpha, own=self.state.own)

    def all_at_once(self) -> FilteredOutput:
        out = run(self.module.train(), self.batch, filter_threshold(self.first))
        return cast("FilteredOutput", out)

    def loss(self, i: int, epoch: int) -> dict[str, Tensor]:
        batch = one_by_one(self.source)[i]
        out = run(self.module.train(), batch, filter_threshold(epoch))
        seen = cast("FilteredOutput", out)
        return self.method._loss(seen, batch, self.w[i : i + 1], self.clock(epoch))


def _filters(inputs: Inputs, out: FilteredOutput, batch: Batch) -> Arrays:
    thresholds = [filter_threshold(int(e)) for e in inputs["static_filter_epochs"]]
    a = torch.sigmoid(out.scores)
    kept = [passed(a, out.scores, batch.segments, least) for least in thresholds]
    return {
        "static_filter_threshold": np.array(thresholds),
        "static_filter_kept": stack(kept),
    }
