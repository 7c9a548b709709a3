"""Replays of MIPLMA as the authors' program computes it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mipl.disambiguation import on_candidates
from mipl.losses import margin_violation
from mipl.methods.mipl.miplma import MIPLMA
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.network import BagNetwork, Output
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    golden_bags,
    golden_network,
    gradients_of,
    prefixed,
    run,
    source_of,
    stack,
    values_of,
)
from mipl.training.batches import Batch, BatchSource
from mipl.training.loop import run_step, set_learning_rate, start
from mipl.training.options import Training
from mipl.training.state import Clock


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


def _one_by_one(source: BatchSource) -> list[Batch]:
    return list(source.deal(np.arange(len(source)), 1, None))


def _static(
    inputs: Inputs, method: MIPLMA, module: BagNetwork, source: BatchSource
) -> Arrays:
    batch = all_bags(source)
    evaluated = [run(module.eval(), batch, tau) for tau in inputs["static_tau"]]
    trained = [run(module.train(), batch, tau) for tau in inputs["static_tau"]]
    head = module.head
    assert isinstance(head, SigmoidSoftmaxHead)
    squashed = [head.squash(out.z) for out in evaluated]
    found = {
        "static_raw_scores": array(evaluated[0].scores),
        "static_attention": stack([out.a for out in evaluated]),
        "static_bag_vector": stack([out.z for out in evaluated]),
        "static_sigmoid_outputs": stack(squashed),
        "static_probabilities_train": stack([out.p for out in trained]),
        "static_probabilities_eval": stack([out.p for out in evaluated]),
    }
    tau = float(inputs["static_loss_tau"])
    clock = Clock(1, 1, tau=tau, alpha=float(inputs["static_alpha"]))
    w = torch.as_tensor(inputs["static_label_weights"])
    outs = [run(module.train(), b, tau) for b in _one_by_one(source)]
    found |= _losses(method, outs, _one_by_one(source), w, clock)
    number = int(inputs["gradient_bag"])
    bag = _one_by_one(source)[number]
    terms = method._loss(run(module, bag, tau), bag, w[number : number + 1], clock)
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
        "static_total_loss": stack([sum(t.values(), torch.zeros(())) for t in terms]),
        "static_disambiguation_loss": stack([t["disambiguation"] for t in terms]),
        "static_margin_violation_phi": array(torch.cat(phi)),
        "static_margin_loss": stack([method._margin_loss(f, clock) for f in phi]),
        "static_normalised_candidate_probabilities": array(torch.cat(normalised)),
        "static_updated_label_weights": array(torch.cat(updated)),
    }


def _saturated(inputs: Inputs, method: MIPLMA, source: BatchSource) -> Arrays:
    bias = {"init_classifier_bias": inputs["saturated_classifier_bias"]}
    module = _network({**inputs, **bias}, method)
    tau = float(inputs["saturated_tau"])
    clock = Clock(1, 1, tau=tau)
    w = torch.as_tensor(inputs["static_label_weights"])
    totals, gradients = [], []
    for batch, weights in zip(_one_by_one(source), _rows(w), strict=True):
        out = run(module.train(), batch, tau)
        total = torch.stack(
            list(method._loss(out, batch, weights, clock).values())
        ).sum()
        totals.append(total)
        gradients.append(gradients_of(module, total)["classifier_bias"])
    return {
        "saturated_probabilities_eval": array(
            run(module.eval(), all_bags(source), tau).p
        ),
        "saturated_probabilities_train": array(
            run(module.train(), all_bags(source), tau).p
        ),
        "saturated_total_loss": stack(totals),
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
    out = run(module.eval(), all_bags(unseen), tau)
    return found | {
        **prefixed("final_", values_of(module)),
        "train_learning_rate_per_epoch": np.array(rates),
        "train_alpha_per_epoch": np.array([clock.alpha for clock in clocks]),
        "train_tau_per_epoch": np.array([clock.tau for clock in clocks]),
        "train_tau_final": np.array(tau),
        "train_step_loss": np.array(losses),
        "train_label_weights_per_epoch": np.stack(weights),
        "test_probabilities_final": array(out.p),
        "test_attention_final": array(out.a),
    }


def _rows(w: Tensor) -> list[Tensor]:
    return [w[i : i + 1] for i in range(len(w))]
