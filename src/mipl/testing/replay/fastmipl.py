"""Replays of the heads of FastMIPL and UAMIPL as their programs compute them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.base import clone
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.methods.mipl.fastmipl import FastMIPL
from mipl.nn.mixed_effects import KeyedNormal, MixedNetwork, MixedOutput
from mipl.objectives import linear_objective
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    prefixed,
    run,
    source_of,
)
from mipl.testing.replay.program import GoldenFit, fit_parts, total_of
from mipl.training.batches import BatchSource
from mipl.training.loop import train_epoch
from mipl.training.options import Training


class _Given(KeyedNormal):
    """Draws that are given."""

    def __init__(self, *draws: Tensor) -> None:
        super().__init__()
        self.draws = torch.stack(draws)

    def forward(self, shape: tuple[int, ...], like: Tensor) -> Tensor:
        return self.draws


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = _method(inputs)
    source = _source(inputs)
    module = _network(inputs, method)
    out, looked = _look(inputs, method, module, source)
    test = _test(inputs, method, module)
    return {**_sampled(out), **looked, **test, "kl_per_class": _kl(out)}


def uamipl(inputs: Inputs) -> Arrays:
    """Recompute the file of UAMIPL's program, which has the same head."""
    first = int(inputs["reliability_first_epoch"])
    method = _method(
        inputs,
        reliability="draws",
        reliability_weight=float(inputs["reliability_weight"]),
        reliability_threshold=float(inputs["reliability_threshold"]),
        reliability_from=first,
    )
    source = _source(inputs)
    found: Arrays = {}
    for prefix, epoch in (("before_", first - 1), ("with_", first)):
        module = _network(inputs, method)
        _finish(module, epoch - 1)
        out, looked = _look(inputs, method, module, source)
        found |= prefixed(f"{prefix}reliability_", looked)
    bags = all_bags(source).segments
    return {
        **found,
        **_sampled(out),
        "kl_per_class": _kl(out),
        "attention_logits": array(out.scores),
        "attention": array(bags.softmax(out.scores)),
        "mixed_attention": array(out.a),
        **_test(inputs, method, module),
        **_start(inputs, method, source),
        **_trained(inputs, method, source),
    }


def _method(inputs: Inputs, **arguments: Any) -> FastMIPL:
    return FastMIPL.released(
        samples=int(inputs["samples"]),
        kl_weight=float(inputs["kl_weight"]),
        keep=float(inputs["confidence_momentum"]),
        start="random",  # What is given stands in.
        start_network="trained",
        encoder="image",
        dropout=0.0,
        scaling="none",
        **arguments,
    )


def _source(inputs: Inputs) -> BatchSource:
    return source_of(_bags(inputs, ""), inputs["candidates"])


def _look(
    inputs: Inputs, method: FastMIPL, module: MixedNetwork, source: BatchSource
) -> tuple[MixedOutput, Arrays]:
    """Return what a step on all bags computes."""
    batch = all_bags(source)
    clock = replace(method._clock(1, 1), own={"bags": torch.tensor(len(source))})
    w = torch.as_tensor(inputs["label_weights"])
    out = run(module.train(), batch, 1.0)
    assert isinstance(out, MixedOutput)
    terms = method._loss(out, batch, w, clock)
    scores = out.bag_scores()
    objective = linear_objective(scores, w, out.head.intercept).mean()
    total = total_of(terms)
    total.backward()  # type: ignore[no-untyped-call]
    return out, {
        "bag_scores": array(scores),
        "linear_objective": array(objective),
        "total_loss": array(total),
        **prefixed("gradient_", _gradients(module)),
        "updated_label_weights": array(method._update(out, batch, w, clock)),
    }


def _sampled(out: MixedOutput) -> Arrays:
    return {
        "sampled_attention_coefficients": array(out.coefficients.attention),
        "sampled_score_coefficients": array(out.coefficients.score),
    }


def _kl(out: MixedOutput) -> npt.NDArray[np.float64]:
    return array(out.posterior.kl())


def _finish(module: MixedNetwork, epoch: int) -> None:
    """Let the network be what it is once an epoch is finished."""
    assert module.reliability is not None
    module.reliability.epoch.fill_(epoch)


def _start(inputs: Inputs, method: FastMIPL, source: BatchSource) -> Arrays:
    """Start as the program does, from given coefficients of the regression."""
    module = _network(inputs, method)
    z = method._bag_means(module, source)
    w = inputs["train_label_weights_initial"]
    first = inputs["start_regression_weight_initial"]
    method._published_start(module, z, w, first)
    width = z.shape[1]
    posterior = module.posterior
    spread = posterior.factor.diagonal(dim1=1, dim2=2)
    assert not posterior.mean[:, :width].any()
    return {
        "start_score_mean": array(posterior.mean[:, width:].T),
        "start_score_deviation": array(spread[:, width:].T),
        "start_prior_variance": array((2 * posterior.log_sigma_score).exp()),
        "start_intercept": array(module.head.intercept),
    }


def _trained(inputs: Inputs, method: FastMIPL, source: BatchSource) -> Arrays:
    """Train some epochs in the midst of a run, with given draws."""
    epochs, first = int(inputs["train_epochs"]), int(inputs["train_first_epoch"])
    training = Training(
        epochs=epochs,
        lr=float(inputs["train_learning_rate_initial"]),
        momentum=float(inputs["train_momentum"]),
        weight_decay=float(inputs["train_weight_decay"]),
        clip=None,
        schedule="constant",
        batch_size=None,
        dtype="float64",
    )
    method = clone(method).set_params(keep=None, training=training)
    module = _network(inputs, method)
    _finish(module, first - 1)
    parts = fit_parts(method, module, inputs["train_label_weights_initial"], source)
    fit = GoldenFit(**parts, orders=[np.arange(len(source))] * epochs)
    fit.state.epoch = first - 1
    weights, values = [], []
    draws = (inputs["train_noise_factor"], inputs["train_noise_diagonal"])
    for pair in zip(*draws, strict=True):
        module.noise = _Given(*map(torch.as_tensor, pair))
        train_epoch(fit)
        weights.append(array(fit.state.w))
        values.append({n: array(p) for n, p in _parameters(module).items()})
    test = _test(inputs, method, module)
    return {
        **prefixed("after_epoch1_", values[0]),
        **prefixed("final_", values[-1]),
        "train_alpha_per_epoch": np.array(
            [
                method._clock(epoch, epochs).alpha
                for epoch in range(first, first + len(weights))
            ]
        ),
        "train_step_loss": np.array(fit.losses),
        "train_label_weights_per_epoch": np.stack(weights),
        "test_bag_scores_final": test["test_bag_scores"],
        "test_labels_final": test["test_labels"],
    }


def _bags(inputs: Inputs, prefix: str) -> Bags:
    return Bags(inputs[prefix + "features"], inputs[prefix + "offsets"])


def _network(inputs: Inputs, method: FastMIPL) -> MixedNetwork:
    """Return the method's network with given values and draws."""
    method.n_features_in_ = inputs["features"].shape[1]
    method.instance_shape_ = None
    module = method._new_module(inputs["candidates"].shape[1]).double()
    assert isinstance(module, MixedNetwork)
    module.posterior.log_diagonal = torch.as_tensor(inputs["posterior_log_diagonal"])
    with torch.no_grad():
        for role, parameter in _parameters(module).items():
            parameter.copy_(torch.as_tensor(inputs[f"init_{role}"]))
    draws = (inputs["noise_factor"], inputs["noise_diagonal"])
    module.noise = _Given(*map(torch.as_tensor, draws))
    return module


def _parameters(module: MixedNetwork) -> dict[str, nn.Parameter]:
    posterior = module.posterior
    return {
        "posterior_mean": posterior.mean,
        "posterior_factor": posterior.factor,
        "intercept": module.head.intercept,
        "log_sigma_attention": posterior.log_sigma_attention,
        "log_sigma_score": posterior.log_sigma_score,
    }


def _gradients(module: MixedNetwork) -> Arrays:
    found = {}
    for role, parameter in _parameters(module).items():
        assert parameter.grad is not None
        found[role] = array(parameter.grad)
    return found


def _test(inputs: Inputs, method: FastMIPL, module: MixedNetwork) -> Arrays:
    """Ask the fitted estimator about the unseen bags."""
    method.module_, method.tau_ = module, 1.0
    unseen = _bags(inputs, "test_")
    p = method._proba(unseen)
    return {
        "test_bag_scores": array(method._given_scores(unseen)),
        "test_probabilities": p,
        "test_labels": p.argmax(axis=1).astype(np.float64),
    }
