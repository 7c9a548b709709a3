"""Replay of FastMIPL's head as the authors' program computes it."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.methods.mipl.fastmipl import FastMIPL
from mipl.nn.mixed_effects import MixedNetwork, MixedOutput
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
from mipl.testing.replay.program import total_of
from mipl.training.state import Clock


class _Given(nn.Module):
    """Draws that are given."""

    def __init__(self, *draws: Tensor) -> None:
        super().__init__()
        self.draws = torch.stack(draws)

    def forward(self, shape: tuple[int, ...], like: Tensor) -> Tensor:
        return self.draws


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = FastMIPL.released(
        samples=int(inputs["samples"]),
        kl_weight=float(inputs["kl_weight"]),
        keep=float(inputs["confidence_momentum"]),
        encoder="image",
        dropout=0.0,
        scaling="none",
    )
    source = source_of(_bags(inputs, ""), inputs["candidates"])
    module = _network(inputs, method)
    batch = all_bags(source)
    clock = Clock(1, 1, own={"bags": torch.tensor(len(source))})
    w = torch.as_tensor(inputs["label_weights"])
    out = run(module.train(), batch, 1.0)
    assert isinstance(out, MixedOutput)
    terms = method._loss(out, batch, w, clock)
    scores = out.bag_scores()
    objective = linear_objective(scores, w, out.head.intercept).mean()
    total = total_of(terms)
    total.backward()  # type: ignore[no-untyped-call]
    return {
        "sampled_attention_coefficients": array(out.coefficients.attention),
        "sampled_score_coefficients": array(out.coefficients.score),
        "bag_scores": array(scores),
        "linear_objective": array(objective),
        "kl_per_class": array(out.posterior.kl()),
        "total_loss": array(total),
        **prefixed("gradient_", _gradients(module)),
        "updated_label_weights": array(method._update(out, batch, w, clock)),
        **_test(inputs, method, module),
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
    module.noise = _Given(*map(torch.as_tensor, draws))  # type: ignore[assignment]
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
