"""Replay of MIPLMA as the paper prints it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mipl.methods.mipl.miplma import MIPLMA
from mipl.nn.attention import falling_tau
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import falling_alpha, margin_violation, mean_and_spread
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
)
from mipl.training.batches import Batch
from mipl.training.state import Clock

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
    batch = all_bags(source)
    outs = [run(module, batch, tau) for tau in inputs["taus"]]
    softmaxes = [batch.segments.softmax(o.scores / t) for o, t in _pairs(outs, inputs)]
    schedule = (method.tau, method.tau_min, method.tau_decay, method.tau_lag)
    taus = [falling_tau(t, *schedule) for t in range(epochs + 1)]
    alphas = [falling_alpha(t, epochs, method.alpha_lag) for t in range(1, epochs + 1)]
    clock = Clock(epoch, epochs, float(inputs["loss_tau"]), float(inputs["loss_alpha"]))
    return {
        "tau_schedule": np.array(taus),
        "alpha_schedule": np.array(alphas),
        "raw_scores": array(outs[0].scores),
        "attention_softmax": stack(softmaxes),
        "attention_normalised": stack([out.a for out in outs]),
        "bag_vector": stack([out.z for out in outs]),
        "probabilities": stack([out.p for out in outs]),
        **_paper_losses(inputs, method, module, batch, clock),
    }


def _pairs(outs: list[Output], inputs: Inputs) -> list[tuple[Output, float]]:
    return list(zip(outs, inputs["taus"], strict=True))


def _paper_losses(
    inputs: Inputs, method: MIPLMA, module: BagNetwork, batch: Batch, clock: Clock
) -> Arrays:
    previous = torch.as_tensor(inputs["previous_label_weights"])
    out = run(module, batch, clock.tau)
    w = method._update(out, batch, previous, clock)
    phi = margin_violation(out.p, batch.candidates, method.margin_scale)
    per_bag = [
        method._loss(_bag_of(out, i), batch, w[i : i + 1], clock)["disambiguation"]
        for i in range(len(w))
    ]
    lagged = method._loss(out, batch, previous, clock)["disambiguation"]
    alone = method._loss(out, batch, w, clock)["disambiguation"]
    found = {
        "loss_attention_softmax": array(batch.segments.softmax(out.scores / clock.tau)),
        "loss_attention_normalised": array(out.a),
        "loss_bag_vector": array(out.z),
        "loss_probabilities": array(out.p),
        "updated_label_weights": array(w),
        "disambiguation_loss_per_bag": stack(per_bag),
        "disambiguation_loss": array(alone),
        "disambiguation_loss_with_previous_weights": array(lagged),
        "phi_per_bag": array(phi),
        "mean_margin_loss": array(phi.mean()),
        **_paper_gradients("gradient_disambiguation_", module, alone),
    }
    for ddof, name in enumerate(("population", "sample")):
        method.set_params(margin_ddof=ddof)
        out = run(module, batch, clock.tau)
        terms = method._loss(out, batch, w, clock)
        total = torch.stack(list(terms.values())).sum()
        found |= {
            f"phi_variance_{name}": array(mean_and_spread(phi, None, ddof)[1] ** 2),
            f"margin_distribution_loss_{name}": array(method._margin_loss(phi, clock)),
            f"total_loss_{name}": array(total),
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
