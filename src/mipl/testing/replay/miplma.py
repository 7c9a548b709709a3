"""Replays of MIPLMA: the authors' program and the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mipl.disambiguation import falling_alpha, falling_tau, on_candidates
from mipl.losses import margin_violation, mean_and_spread
from mipl.methods.mipl.miplma import MIPLMA
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.network import BagNetwork, Output
from mipl.testing.replay.network import (
    DOUBLE,
    Arrays,
    golden_bags,
    golden_network,
    gradients_of,
    prefixed,
    source_of,
    values_of,
)
from mipl.training.batches import Batch, BatchSource
from mipl.training.loop import run_step, set_learning_rate, start
from mipl.training.options import Training
from mipl.training.state import Clock

Inputs = Mapping[str, Any]


def released(inputs: Inputs) -> Arrays:
    """Recompute a file of the authors' program."""
    method, module, source = _released_parts(inputs)
    found = _static(inputs, method, module, source)
    if "saturated_tau" in inputs:
        found |= _saturated(inputs, method, source)
    return found | _trajectory(inputs, method, source)


def _released_parts(inputs: Inputs) -> tuple[MIPLMA, BagNetwork, BatchSource]:
    method = MIPLMA.released(
        lam=float(inputs["lambda"]),
        margin_scale=float(inputs["margin_scale"]),
        tau=float(inputs["train_tau_initial"]),
        tau_min=float(inputs["train_tau_minimum"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
        training=Training(
            epochs=int(inputs["train_epochs"]),
            lr=float(inputs["train_learning_rate_initial"]),
            momentum=float(inputs["train_momentum"]),
            weight_decay=float(inputs["train_weight_decay"]),
            batch_size=1,
            dtype="float64",
        ),
    )
    bags = golden_bags(inputs)
    source = source_of(bags, inputs["candidates"])
    return method, _network(inputs, method), source


def _network(inputs: Inputs, method: MIPLMA) -> BagNetwork:
    given = {k.removeprefix("init_"): v for k, v in inputs.items() if k[:5] == "init_"}
    k = inputs["candidates"].shape[1]
    return golden_network(method, golden_bags(inputs), k, given)


def _all(source: BatchSource) -> Batch:
    return next(source.deal(np.arange(len(source)), None, None))


def _one_by_one(source: BatchSource) -> list[Batch]:
    return list(source.deal(np.arange(len(source)), 1, None))


def _static(
    inputs: Inputs, method: MIPLMA, module: BagNetwork, source: BatchSource
) -> Arrays:
    batch = _all(source)
    evaluated = [_run(module.eval(), batch, tau) for tau in inputs["static_tau"]]
    trained = [_run(module.train(), batch, tau) for tau in inputs["static_tau"]]
    head = module.head
    assert isinstance(head, SigmoidSoftmaxHead)
    squashed = [head.squash(out.z) for out in evaluated]
    found = {
        "static_raw_scores": _array(evaluated[0].scores),
        "static_attention": _stack([out.a for out in evaluated]),
        "static_bag_vector": _stack([out.z for out in evaluated]),
        "static_sigmoid_outputs": _stack(squashed),
        "static_probabilities_train": _stack([out.p for out in trained]),
        "static_probabilities_eval": _stack([out.p for out in evaluated]),
    }
    tau = float(inputs["static_loss_tau"])
    clock = Clock(1, 1, tau=tau, alpha=float(inputs["static_alpha"]))
    w = torch.as_tensor(inputs["static_label_weights"])
    outs = [_run(module.train(), b, tau) for b in _one_by_one(source)]
    found |= _losses(method, outs, _one_by_one(source), w, clock)
    number = int(inputs["gradient_bag"])
    bag = _one_by_one(source)[number]
    terms = method._loss(_run(module, bag, tau), bag, w[number : number + 1], clock)
    total = torch.stack(list(terms.values())).sum()
    return found | prefixed("gradient_", gradients_of(module, total))


def _losses(
    method: MIPLMA, outs: list[Output], batches: list[Batch], w: Tensor, clock: Clock
) -> Arrays:
    pairs = list(zip(outs, batches, _rows(w), strict=True))
    terms = [method._loss(out, batch, v, clock) for out, batch, v in pairs]
    phi = [
        margin_violation(o.p, b.candidates, method.margin_scale) for o, b, _ in pairs
    ]
    normalised = [on_candidates(o.p, b.candidates) for o, b, _ in pairs]
    updated = [method._update(out, batch, v, clock) for out, batch, v in pairs]
    return {
        "static_total_loss": _stack([sum(t.values(), torch.zeros(())) for t in terms]),
        "static_disambiguation_loss": _stack([t["disambiguation"] for t in terms]),
        "static_margin_violation_phi": _array(torch.cat(phi)),
        "static_margin_loss": _stack([method._margin_loss(f, clock) for f in phi]),
        "static_normalised_candidate_probabilities": _array(torch.cat(normalised)),
        "static_updated_label_weights": _array(torch.cat(updated)),
    }


def _saturated(inputs: Inputs, method: MIPLMA, source: BatchSource) -> Arrays:
    bias = {"init_classifier_bias": inputs["saturated_classifier_bias"]}
    module = _network({**inputs, **bias}, method)
    tau = float(inputs["saturated_tau"])
    clock = Clock(1, 1, tau=tau)
    w = torch.as_tensor(inputs["static_label_weights"])
    totals, gradients = [], []
    for batch, weights in zip(_one_by_one(source), _rows(w), strict=True):
        out = _run(module.train(), batch, tau)
        total = torch.stack(
            list(method._loss(out, batch, weights, clock).values())
        ).sum()
        totals.append(total)
        gradients.append(gradients_of(module, total)["classifier_bias"])
    return {
        "saturated_probabilities_eval": _array(
            _run(module.eval(), _all(source), tau).p
        ),
        "saturated_probabilities_train": _array(
            _run(module.train(), _all(source), tau).p
        ),
        "saturated_total_loss": _stack(totals),
        "saturated_gradient_classifier_bias": np.stack(gradients),
    }


def _trajectory(inputs: Inputs, method: MIPLMA, source: BatchSource) -> Arrays:
    options = method.training or Training()
    module = _network(inputs, method)
    state = start(module, inputs["train_label_weights_initial"], options)
    rates, clocks, losses, weights = [], [], [], []
    found: Arrays = {}
    for epoch, order in enumerate(inputs["train_order"], start=1):
        clock = method._clock(epoch, options.epochs)
        clocks.append(clock)
        rates.append(set_learning_rate(state, options, epoch))
        module.train()
        batches = source.deal(order, options.batch_size, None)
        steps = [run_step(state, method, b, clock, i) for i, b in enumerate(batches)]
        losses.append([step["loss"] for step in steps])
        weights.append(state.w.numpy().copy())
        if epoch == 1:
            found |= prefixed("after_epoch1_", values_of(module))
    tau = method._tau_after(options.epochs)
    test = golden_bags(inputs, "test_")
    unseen = source_of(test, np.ones((len(test), source.candidates.shape[1])))
    out = _run(module.eval(), _all(unseen), tau)
    return found | {
        **prefixed("final_", values_of(module)),
        "train_learning_rate_per_epoch": np.array(rates),
        "train_alpha_per_epoch": np.array([clock.alpha for clock in clocks]),
        "train_tau_per_epoch": np.array([clock.tau for clock in clocks]),
        "train_tau_final": np.array(tau),
        "train_step_loss": np.array(losses),
        "train_label_weights_per_epoch": np.stack(weights),
        "test_probabilities_final": _array(out.p),
        "test_attention_final": _array(out.a),
    }


_PAPER_ROLES = {
    "W1": "gate_weight",
    "W2": "gate_sigmoid_weight",
    "W": "score_out_weight",
    "feature_weight": "feature_weight",
    "feature_bias": "feature_bias",
    "classifier_weight": "classifier_weight",
    "classifier_bias": "classifier_bias",
}


def paper(inputs: Inputs) -> Arrays:
    """Recompute the paper's reading, with both conventions of the variance."""
    epochs, epoch = int(inputs["T"]), int(inputs["t"])
    method = MIPLMA.paper(
        lam=float(inputs["lambda"]),
        tau=float(inputs["tau_initial"]),
        tau_min=float(inputs["tau_minimum"]),
        width=len(inputs["param_feature_bias"]),
        scaling="none",
    )
    bags = golden_bags(inputs)
    source = source_of(bags, inputs["candidates"])
    given = {role: inputs[f"param_{name}"] for name, role in _PAPER_ROLES.items()}
    module = golden_network(method, bags, inputs["candidates"].shape[1], given)
    batch = _all(source)
    outs = [_run(module, batch, tau) for tau in inputs["taus"]]
    softmaxes = [batch.segments.softmax(o.scores / t) for o, t in _pairs(outs, inputs)]
    schedule = (method.tau, method.tau_min, method.tau_decay, method.tau_lag)
    taus = [falling_tau(t, *schedule) for t in range(epochs + 1)]
    alphas = [falling_alpha(t, epochs, method.alpha_lag) for t in range(1, epochs + 1)]
    clock = Clock(epoch, epochs, float(inputs["loss_tau"]), float(inputs["loss_alpha"]))
    return {
        "tau_schedule": np.array(taus),
        "alpha_schedule": np.array(alphas),
        "raw_scores": _array(outs[0].scores),
        "attention_softmax": _stack(softmaxes),
        "attention_normalised": _stack([out.a for out in outs]),
        "bag_vector": _stack([out.z for out in outs]),
        "probabilities": _stack([out.p for out in outs]),
        **_paper_losses(inputs, method, module, batch, clock),
    }


def _pairs(outs: list[Output], inputs: Inputs) -> list[tuple[Output, float]]:
    return list(zip(outs, inputs["taus"], strict=True))


def _paper_losses(
    inputs: Inputs, method: MIPLMA, module: BagNetwork, batch: Batch, clock: Clock
) -> Arrays:
    previous = torch.as_tensor(inputs["previous_label_weights"])
    out = _run(module, batch, clock.tau)
    w = method._update(out, batch, previous, clock)
    phi = margin_violation(out.p, batch.candidates, method.margin_scale)
    per_bag = [
        method._loss(_bag_of(out, i), batch, w[i : i + 1], clock)["disambiguation"]
        for i in range(len(w))
    ]
    lagged = method._loss(out, batch, previous, clock)["disambiguation"]
    alone = method._loss(out, batch, w, clock)["disambiguation"]
    found = {
        "loss_attention_softmax": _array(
            batch.segments.softmax(out.scores / clock.tau)
        ),
        "loss_attention_normalised": _array(out.a),
        "loss_bag_vector": _array(out.z),
        "loss_probabilities": _array(out.p),
        "updated_label_weights": _array(w),
        "disambiguation_loss_per_bag": _stack(per_bag),
        "disambiguation_loss": _array(alone),
        "disambiguation_loss_with_previous_weights": _array(lagged),
        "phi_per_bag": _array(phi),
        "mean_margin_loss": _array(phi.mean()),
        **_paper_gradients("gradient_disambiguation_", module, alone),
    }
    for ddof, name in enumerate(("population", "sample")):
        method.set_params(margin_ddof=ddof)
        out = _run(module, batch, clock.tau)
        terms = method._loss(out, batch, w, clock)
        total = torch.stack(list(terms.values())).sum()
        found |= {
            f"phi_variance_{name}": _array(mean_and_spread(phi, None, ddof)[1] ** 2),
            f"margin_distribution_loss_{name}": _array(method._margin_loss(phi, clock)),
            f"total_loss_{name}": _array(total),
            **_paper_gradients(f"gradient_total_{name}_", module, total),
        }
    return found


def _paper_gradients(prefix: str, module: BagNetwork, loss: Tensor) -> Arrays:
    gradients = gradients_of(module, loss)
    named = {name: gradients[role] for name, role in _PAPER_ROLES.items()}
    return prefixed(prefix, {**named, "W": named["W"].ravel()})


def _bag_of(out: Output, i: int) -> Output:
    part = slice(i, i + 1)
    return Output(out.log_p[part], out.p[part], out.a, out.scores, out.z[part], out.h)


def _run(module: BagNetwork, batch: Batch, tau: float) -> Output:
    out: Output = module(batch.x, batch.segments, float(tau))
    return out


def _rows(w: Tensor) -> list[Tensor]:
    return [w[i : i + 1] for i in range(len(w))]


def _array(value: Tensor) -> Any:
    return value.detach().to(DOUBLE).numpy().copy()


def _stack(values: list[Tensor]) -> Any:
    return _array(torch.stack([torch.as_tensor(v) for v in values]))
