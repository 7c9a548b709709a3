"""Replays of attention-based MIL and Loss-Attention as their programs compute them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mipl.methods.bases.repeated import RepeatedClassifier, one_bag_adam
from mipl.methods.mil.abmil import ABMIL
from mipl.methods.mil.gated_abmil import GatedABMIL
from mipl.methods.mil.loss_attention import LossAttention
from mipl.nn.instance_network import InstanceOutput
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
from mipl.testing.replay.program import (
    GoldenFit,
    Terms,
    fit_parts,
    one_by_one,
    total_of,
)
from mipl.training.batches import BatchSource
from mipl.training.loop import train
from mipl.training.state import Clock

_PASSES = 2  # Over the bags, in the short run of each file.
_LAYERS = {
    "attention_v": "gate",
    "attention_u": "gate_sigmoid",
    "attention_w": "score_out",
}


def abmil(inputs: Inputs) -> Arrays:
    """Recompute a file of attention-based MIL, plain and gated."""
    found: Arrays = {}
    for kind, make in (("plain", ABMIL), ("gated", GatedABMIL)):
        method = make(
            attention_width=len(inputs[f"init_{kind}_attention_v_bias"]),
            head="sigmoid",
            **_settings(inputs),
        )
        found |= prefixed(f"{kind}_", _abmil(inputs, method, kind))
    return found


def _abmil(inputs: Inputs, method: RepeatedClassifier, kind: str) -> Arrays:
    given = {
        _layer(name.removeprefix("init_").removeprefix(f"{kind}_")): value
        for name, value in inputs.items()
        if name.startswith("init_") and not name.startswith(f"init_{_other(kind)}")
    }
    source = _source(inputs, n_classes=2)
    start_values = golden_network(method, golden_bags(inputs), 2, given)
    out = run(start_values.eval(), all_bags(source), 1.0)
    totals, gradients = _losses(inputs, method, start_values, source)
    steps, module = _short_run(method, start_values, source)
    after = run(module.eval(), all_bags(source), 1.0)
    return {
        "attention_logits": array(out.scores),
        "attention": array(out.a),
        "bag_vector": array(out.z),
        "probability": array(out.p[:, 1]),
        "predicted_label": array(out.p.argmax(dim=1)),
        "loss": totals,
        **prefixed("gradient_", _golden(gradients)),
        "train_step_loss": steps,
        "final_probability": array(after.p[:, 1]),
        **prefixed("final_", _golden(values_of(module))),
    }


def loss_attention(inputs: Inputs) -> Arrays:
    """Recompute a file of Loss-Attention."""
    method = LossAttention(
        lam=float(inputs["instance_loss_weight"]),
        instance_reduction="mean",
        **_settings(inputs),
    )
    n_classes = len(inputs["init_classifier_bias"])
    given = {k.removeprefix("init_"): v for k, v in inputs.items() if k[:5] == "init_"}
    source = _source(inputs, n_classes)
    module = golden_network(method, golden_bags(inputs), n_classes, given)
    batch = all_bags(source)
    out = cast("InstanceOutput", run(module.eval(), batch, 1.0))
    classifier = module.head.classifier
    found = {
        "attention": array(out.a),
        "instance_logits": array(classifier(out.h)),  # type: ignore[operator]
        "bag_logits": array(classifier(out.z)),  # type: ignore[operator]
        "bag_probabilities": array(out.p),
    }
    totals, gradients = _losses(inputs, method, module, source)
    found |= {"total_loss": totals, **prefixed("gradient_", gradients)}
    terms = _terms(method, module, source)
    found["bag_loss"] = stack([one["bags"] for one in terms])
    targets = batch.candidates.double()
    for reduction in ("mean", "sum"):
        method.instance_reduction = reduction
        found[f"instance_loss_{reduction}"] = array(
            method._of_instances(out, batch, targets)
        )
    method.instance_reduction = "mean"
    steps, module = _short_run(method, module, source)
    after: Output = run(module.eval(), batch, 1.0)
    return found | {
        "train_step_loss": steps,
        "final_bag_logits": array(module.head.classifier(after.z)),  # type: ignore[operator]
        **prefixed("final_", values_of(module)),
    }


def _settings(inputs: Inputs) -> dict[str, Any]:
    return {
        "width": len(inputs["init_feature_bias"]),
        "dropout": 0.0,
        "scaling": "none",
        "training": one_bag_adam(epochs=_PASSES, dtype="float64"),
    }


def _source(inputs: Inputs, n_classes: int) -> BatchSource:
    return source_of(golden_bags(inputs), np.eye(n_classes)[inputs["bag_labels"]])


def _other(kind: str) -> str:
    return "gated" if kind == "plain" else "plain"


def _layer(role: str) -> str:
    """Name a parameter of the programs as the library does."""
    layer, _, part = role.rpartition("_")
    return f"{_LAYERS.get(layer, layer)}_{part}"


def _golden(arrays: Arrays) -> Arrays:
    """Name parameters as the programs do."""
    theirs = {ours: name for name, ours in _LAYERS.items()}
    parts = {name: name.rpartition("_") for name in arrays}
    return {
        f"{theirs.get(layer, layer)}_{part}": arrays[name]
        for name, (layer, _, part) in parts.items()
    }


def _terms(
    method: RepeatedClassifier, module: BagNetwork, source: BatchSource
) -> list[Terms]:
    """Return the loss terms of each bag."""
    return [
        method._loss(
            run(module.train(), one, 1.0), one, one.candidates.double(), Clock(1, 1)
        )
        for one in one_by_one(source)
    ]


def _losses(
    inputs: Inputs, method: RepeatedClassifier, module: BagNetwork, source: BatchSource
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], Arrays]:
    """Return the loss of each bag, and the gradients of one."""
    totals = [total_of(one) for one in _terms(method, module, source)]
    gradients = gradients_of(module, totals[int(inputs["gradient_bag"])])
    return stack(totals), gradients


def _short_run(
    method: RepeatedClassifier, module: BagNetwork, source: BatchSource
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], BagNetwork]:
    """Train from given values in the stored order; return the losses of the steps."""
    parts = fit_parts(method, module, source.candidates.double().numpy(), source)
    fit = GoldenFit(**parts, orders=[np.arange(len(source))] * _PASSES)
    train(fit)
    return np.reshape(fit.losses, (_PASSES, -1)), module
