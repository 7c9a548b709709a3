"""Replays of MIPLMA as the authors' program computes it."""

from __future__ import annotations

import numpy as np
import torch

from mipl.methods.mipl.miplma import MIPLMA
from mipl.nn.network import BagNetwork
from mipl.objectives import margin_violation
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    gradients_of,
    run,
    stack,
)
from mipl.testing.replay.program import (
    one_by_one,
    released_training,
    starting_network,
    static_losses,
    static_outputs,
    total_of,
    training_source,
    trajectory,
)
from mipl.training.batches import BatchSource
from mipl.training.state import Clock


def released(inputs: Inputs) -> Arrays:
    """Recompute a file of the authors' program."""
    method = MIPLMA.released(
        lam=float(inputs["lambda"]),
        margin_scale=float(inputs["margin_scale"]),
        tau=float(inputs["train_tau_initial"]),
        tau_min=float(inputs["train_tau_minimum"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
        training=released_training(inputs),
    )
    source = training_source(inputs)
    found = _static(inputs, method, starting_network(inputs, method), source)
    if "saturated_tau" in inputs:
        found |= _saturated(inputs, method, source)
    epochs = int(inputs["train_epochs"])
    clocks = [method._clock(epoch, epochs) for epoch in range(1, epochs + 1)]
    return found | {
        **trajectory(inputs, method, source),
        "train_tau_per_epoch": np.array([clock.tau for clock in clocks]),
        "train_tau_final": np.array(method._tau_after(epochs)),
    }


def _static(
    inputs: Inputs, method: MIPLMA, module: BagNetwork, source: BatchSource
) -> Arrays:
    batch = all_bags(source)
    each = [static_outputs(module, batch, tau) for tau in inputs["static_tau"]]
    found = {name: np.stack([one[name] for one in each]) for name in each[0]}
    found["static_raw_scores"] = each[0]["static_raw_scores"]
    tau = float(inputs["static_loss_tau"])
    terms, losses = static_losses(inputs, method, module, source, tau)
    p = run(module.train(), batch, tau).p
    phi = margin_violation(p, batch.candidates, method.margin_scale)
    clock = Clock(1, 1, tau=tau)
    margin = [method._margin_loss(one, clock) for one in phi.unsqueeze(1).unbind()]
    return {
        **found,
        **losses,
        "static_disambiguation_loss": stack([t["disambiguation"] for t in terms]),
        "static_margin_violation_phi": array(phi),
        "static_margin_loss": stack(margin),
    }


def _saturated(inputs: Inputs, method: MIPLMA, source: BatchSource) -> Arrays:
    bias = {"init_classifier_bias": inputs["saturated_classifier_bias"]}
    module = starting_network({**inputs, **bias}, method)
    tau = float(inputs["saturated_tau"])
    clock = Clock(1, 1, tau=tau)
    w = torch.as_tensor(inputs["static_label_weights"])
    totals, gradients = [], []
    for batch, weights in zip(one_by_one(source), w.unsqueeze(1).unbind(), strict=True):
        out = run(module.train(), batch, tau)
        total = total_of(method._loss(out, batch, weights, clock))
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
