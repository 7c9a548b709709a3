"""Replays of AGOPMIPL as the authors' program computes it, with given prototypes."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from mipl.methods.mipl.agopmipl import AGOPMIPL
from mipl.nn.class_pools import READINGS, pool_members
from mipl.nn.instance_network import InstanceOutput
from mipl.nn.prototype_network import PrototypeNetwork
from mipl.nn.prototypes import Metric, outer_product
from mipl.objectives import candidate_entropy, inhibition_loss, on_candidates
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    golden_bags,
    gradients_of,
    prefixed,
    run,
    source_of,
    stack,
    values_of,
)
from mipl.testing.replay.program import (
    GoldenFit,
    fit_parts,
    one_by_one,
    starting_network,
    total_of,
    training_source,
)
from mipl.training.batches import Batch
from mipl.training.loop import train_epoch
from mipl.training.options import Training
from mipl.training.state import Clock

_FORMS = ("mean", "linear")
_MIX = "prototype_mix_"  # Built by the linear aggregation alone.


def released(inputs: Inputs) -> Arrays:
    """Recompute a file of vectors."""
    found = {**_pools(inputs), **_mixed_metric(inputs)}
    for form in _FORMS:
        method = _method(inputs, form)
        for name, metric in _metrics(inputs).items():
            static = _static(inputs, method, metric)
            found |= prefixed(f"static_{form}_{name}_", static)
        found |= _gradients(inputs, method) | _trajectory(inputs, method)
    return found


def images(inputs: Inputs) -> Arrays:
    """Recompute a file of images: one look forward and back."""
    inputs = _flat(inputs)
    root = _metrics(inputs)["metric"]
    found: Arrays = {"static_metric_root": array(root)}
    for form in _FORMS:
        method = _method(inputs, form)
        static = _static(inputs, method, root)
        wanted = ("attention", "probabilities", "total_loss")
        found |= {f"static_{form}_metric_{name}": static[name] for name in wanted}
    module = _network(inputs, method, root)
    batch, rows = all_bags(training_source(inputs)), module.embedded_prototypes()
    return {
        **found,
        **_gradients(inputs, method),
        "static_instance_embedding": array(module.embed(batch.x)),
        "static_prototype_embedding": array(rows).reshape(
            *inputs["prototypes"].shape[:2], -1
        ),
    }


def _flat(inputs: Inputs) -> Inputs:
    """Lay images and their prototypes flat, as the library takes them."""
    images, places = inputs["instances"], inputs["prototypes"]
    return {
        **inputs,
        "instances": images.reshape(len(images), -1).astype(np.float64),
        "prototypes": places.reshape(*places.shape[:2], -1).astype(np.float64),
    }


def _method(inputs: Inputs, form: str) -> AGOPMIPL:
    return AGOPMIPL(
        aggregation=form,
        prototypes=inputs["prototypes"].shape[1],
        lam=float(inputs["raw_path_weight"]),
        mu=float(inputs["mu"]),
        gamma=float(inputs["gamma"]),
        eta=float(inputs["instance_weight"]),
        hold=float(inputs.get("train_alpha_warmup_ratio", 0.0)),
        metric_momentum=float(inputs.get("train_metric_momentum", 0.0)),
        width=inputs["init_classifier_weight"].shape[1],
        dropout=0.0,
        scaling="none",
        training=_training(inputs),
    )


def _training(inputs: Inputs) -> Training:
    if "train_rounds" not in inputs:
        return Training(dtype="float64")
    rounds = int(inputs["train_rounds"])
    return Training(
        epochs=rounds * int(inputs["train_epochs_per_round"]),
        rounds=rounds,
        warm_up=int(inputs["train_warmup_epochs"]),
        lr=float(inputs["train_learning_rate_initial"]),
        momentum=float(inputs["train_momentum"]),
        weight_decay=float(inputs["train_weight_decay"]),
        order="same",
        clip=None,
        batch_size=1,
        dtype="float64",
    )


def _network(inputs: Inputs, method: AGOPMIPL, root: Tensor) -> PrototypeNetwork:
    """Return the network with given values, prototypes and metric root."""
    left_out = "init_" + _MIX if method.aggregation == "mean" else "none"
    given = {k: v for k, v in inputs.items() if not k.startswith(left_out)}
    module = cast("PrototypeNetwork", starting_network(given, method))
    module.metric.get_buffer("root").copy_(root)
    places = module.prototypes.get_buffer("places")
    places.copy_(torch.as_tensor(inputs["prototypes"]))
    return module


def _pools(inputs: Inputs) -> Arrays:
    sets, rows = inputs["pool_dataset_candidates"] > 0, inputs["pool_train_rows"]
    return {
        f"pool_membership_{reading}": pool_members(sets, rows, reading).astype(float)
        for reading in READINGS
    }


def _classifier(inputs: Inputs) -> Tensor:
    return torch.as_tensor(inputs["init_classifier_weight"].astype(np.float64))


def _metrics(inputs: Inputs) -> dict[str, Tensor]:
    """Return the metric roots before any update, and after one."""
    metric = Metric(_classifier(inputs).shape[1]).double()
    identity = metric.get_buffer("root").clone()
    metric.learn(outer_product(_classifier(inputs)), 0.0)
    return {"identity": identity, "metric": metric.get_buffer("root")}


def _mixed_metric(inputs: Inputs) -> Arrays:
    outer = outer_product(_classifier(inputs))
    metric = Metric(len(outer)).double()
    metric.learn(outer, float(inputs["static_metric_momentum"]))
    root = metric.get_buffer("root")
    return {
        "static_gradient_outer_product": array(outer),
        "static_mixed_metric": array(root @ root),
        "static_mixed_metric_root": array(root),
        "static_metric_root": array(_metrics(inputs)["metric"]),
    }


def _visits(
    inputs: Inputs, method: AGOPMIPL, module: PrototypeNetwork
) -> list[tuple[InstanceOutput, Batch, Tensor, Clock]]:
    """Return each bag as the network sees it, with the given label weights."""
    clock = Clock(1, 1, alpha=float(inputs.get("static_alpha", 1.0)))
    w = torch.as_tensor(inputs["static_label_weights"]).unsqueeze(1)
    batches = one_by_one(training_source(inputs))
    return [
        (cast("InstanceOutput", run(module.train(), batch, 1.0)), batch, own, clock)
        for batch, own in zip(batches, w, strict=True)
    ]


def _static(inputs: Inputs, method: AGOPMIPL, root: Tensor) -> Arrays:
    module = _network(inputs, method, root)
    batch = all_bags(training_source(inputs))
    out = run(module.eval(), batch, 1.0)
    paths, q = module.paths, module.embedded_prototypes()
    visits = _visits(inputs, method, module)
    terms = [method._loss(*visit) for visit in visits]
    updated = [method._update(*visit) for visit in visits]
    assert module.instance_classifier is not None
    found = {
        "attention": array(out.a),
        "score_metric": array(paths.through(out.h, q)),
        "score_raw": array(paths.beside(out.h, q)),
        "instance_logits": array(module.instance_classifier(module.metric(out.h))),
        "bag_vector": array(out.z),
        "bag_logits": array(cast(Any, module.head).classifier(out.z)),
        "probabilities": array(out.p),
        "mapping_loss": stack([one["mapping"] for one in terms]),
        "sparsity_loss": array(candidate_entropy(out.p, batch.candidates)),
        "inhibition_loss": array(inhibition_loss(out.log_p, batch.candidates)),
        "instance_loss": stack([one["instances"] / method.eta for one in terms]),
        "total_loss": stack([total_of(one) for one in terms]),
        "normalised_candidate_probabilities": array(
            on_candidates(out.p, batch.candidates)
        ),
        "updated_label_weights": array(torch.cat(updated)),
    }
    return found


def _gradients(inputs: Inputs, method: AGOPMIPL) -> Arrays:
    module = _network(inputs, method, _metrics(inputs)["metric"])
    visit = _visits(inputs, method, module)[int(inputs["gradient_bag"])]
    found = gradients_of(module, total_of(method._loss(*visit)))
    absent = {role: np.zeros_like(v) for role, v in _unused(inputs, method).items()}
    return prefixed(f"gradient_{method.aggregation}_", found | absent)


def _unused(inputs: Inputs, method: AGOPMIPL) -> Arrays:
    """Return the given values of parts that the library leaves out where unused."""
    if method.aggregation == "linear":
        return {}
    return {
        name.removeprefix("init_"): value.astype(np.float64)
        for name, value in inputs.items()
        if name.startswith("init_" + _MIX)
    }


def _trajectory(inputs: Inputs, method: AGOPMIPL) -> Arrays:
    """Train all rounds from the starting values, and look at unseen bags."""
    source, form = training_source(inputs), method.aggregation
    module = _network(inputs, method, _metrics(inputs)["identity"])
    orders = inputs["train_order"]  # (rounds, epochs, m)
    start = inputs["train_label_weights_initial"]
    fit = GoldenFit(
        **fit_parts(method, module, start, source),
        orders=orders.reshape(-1, orders.shape[2]),
    )
    places = module.prototypes.get_buffer("places")
    places.copy_(torch.as_tensor(inputs["prototypes"]))  # Not those that fit finds.
    weights, values, roots = [], [], []
    for epoch in range(1, len(fit.orders) + 1):
        train_epoch(fit)
        weights.append(array(fit.state.w))
        values.append(values_of(module) | _unused(inputs, method))
        if method._options().round_of(epoch).hands_over:
            roots.append(array(module.metric.get_buffer("root")))
    test = golden_bags(inputs, "test_")
    unseen = source_of(test, np.ones((len(test), source.candidates.shape[1])))
    out = run(module.eval(), all_bags(unseen), method.tau_)
    history, per_round = fit.state.history, orders.shape[:2]
    rates = np.array([each["lr"] for each in history])
    return {
        **prefixed(f"after_epoch1_{form}_", values[0]),
        **prefixed(f"final_{form}_", values[-1]),
        f"train_{form}_step_loss": np.reshape(fit.losses, orders.shape),
        f"train_{form}_label_weights_per_epoch": np.reshape(
            weights, (*per_round, *start.shape)
        ),
        f"train_{form}_metric_root_per_update": np.stack(roots),
        f"test_{form}_probabilities_final": array(out.p),
        f"test_{form}_attention_final": array(out.a),
        "train_learning_rate_per_epoch": rates.reshape(per_round),
        "train_alpha_per_epoch": np.array([each["alpha"] for each in history])[
            : orders.shape[1]
        ],
    }
