"""Replay of the multi-instance methods with a sparse Gaussian process."""

from __future__ import annotations

from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.methods.bases.sparse_process import SparseProcessClassifier
from mipl.methods.mil.lm_vgpmil import LMVGPMIL
from mipl.methods.mil.vgpmil import VGPMIL
from mipl.methods.mil.vwsgp import VWSGP
from mipl.objectives.instance_labels import InstanceLabels
from mipl.testing.replay.network import Arrays, Inputs, golden_bags, prefixed


def vgpmil(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = VGPMIL.released(log_h=float(inputs["log_H"]), **_kernel(inputs))
    return _instances(inputs, method, ("xi",))


def lm_vgpmil(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = LMVGPMIL.released(
        slope=float(inputs["C"]),
        margin=float(inputs["V"]),
        log_h=float(inputs["log_H"]),
        **_kernel(inputs),
    )
    return _instances(inputs, method, ("xi", "phi", "tau"))


def vwsgp(inputs: Inputs) -> Arrays:
    """Recompute the file, in both orders of updates."""
    given = _kernel(inputs)
    free = VWSGP.released(lag=False, spread="full", **given)
    state = _begin(inputs, free)
    weights = free.prior_.weights(state.v)
    return {
        "feature_mean": free.shift_,
        "feature_std": free.scale_,
        "bag_sum_of_projections": weights.T,
        "bag_sum_of_residual_variances": state.unseen,
        **prefixed("lagfree_", _bags(inputs, free, "full")),
        **prefixed("released_", _bags(inputs, VWSGP.released(**given), "residual")),
    }


def _kernel(inputs: Inputs) -> dict[str, Any]:
    return {
        "length": float(inputs["length_scale"]),
        "variance": float(inputs.get("kernel_variance", 1.0)),
        "jitter": float(inputs["jitter_kzz"]),
        "precision_jitter": float(inputs["jitter_precision"]),
        "scaling": "standard" if inputs["standardise"] else "none",
    }


def _begin(inputs: Inputs, method: SparseProcessClassifier) -> Any:
    """Begin a state with the given inducing points."""
    bags = golden_bags(inputs)
    method._fit_scaling(bags)
    method._place(inputs["inducing_points"])
    copies = np.eye(2, dtype=np.int64)[inputs["bag_labels"]]
    return method._begin(bags, copies, seed=0)


def _instances(
    inputs: Inputs, method: VGPMIL | LMVGPMIL, moving: tuple[str, ...]
) -> Arrays:
    """Run the rounds of a method of instance labels from given beliefs."""
    state = _begin(inputs, method)
    labels = InstanceLabels(state.labels.copies, inputs["init_pi"], method.log_h)
    state.labels = labels
    for name in moving:
        setattr(state, name, inputs[f"init_{name}"])
    train, test = Bags(inputs["instances"]), Bags(inputs["test_instances"])
    rounds = []
    for _ in inputs["iterations"]:
        method._step(state)
        rounds.append(
            {
                **_process(method),
                "after_pi": labels.pi,
                **{f"after_{name}": getattr(state, name) for name in moving},
                "after_test_probability": method._instance_proba(test),
                "after_train_probability": method._instance_proba(train),
            }
        )
    return {
        "feature_mean": method.shift_,
        "feature_std": method.scale_,
        "residual_variance": state.unseen,
        **_stacked(rounds),
    }


def _bags(inputs: Inputs, method: VWSGP, spread: str) -> Arrays:
    """Run the rounds of the method of bag sums."""
    state, test = _begin(inputs, method), golden_bags(inputs, "test_")
    rounds = []
    for _ in inputs["iterations"]:
        method._step(state)
        mean, variance = method._evidence(test)
        rounds.append(
            {
                **_process(method),
                "after_epsilon": state.e,
                "after_test_mean": mean,
                f"after_test_variance_{spread}": variance,
            }
        )
    return _stacked(rounds)


def _process(method: SparseProcessClassifier) -> Arrays:
    return {
        "after_posterior_mean": method.mean_,
        "after_posterior_covariance": method.covariance_,
    }


def _stacked(rounds: list[Arrays]) -> Arrays:
    return {name: np.stack([one[name] for one in rounds]) for name in rounds[0]}
