"""Replay of MIPLGP as the authors' program computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from mipl.data.candidates import Candidates
from mipl.methods.bases.gaussian import ProcessFit
from mipl.methods.mipl.miplgp import MIPLGP
from mipl.nn.gp import ClasswiseGP
from mipl.objectives import lognormal, softmax_on
from mipl.testing.replay.network import Arrays, Inputs, array, golden_bags, stack
from mipl.training.loop import train_epoch
from mipl.training.options import Training
from mipl.training.state import Clock


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = MIPLGP.released(
        epsilon=float(inputs["alpha_epsilon"]),
        scaling="none",
        training=Training(
            epochs=int(inputs["cosine_T_max"]), lr=float(inputs["learning_rate"])
        ),
    )
    bags, candidates = golden_bags(inputs), Candidates(inputs["candidates"] > 0)
    fit = method._begin(bags, candidates, method._options())
    sets = fit.batch.sets
    outputs = torch.as_tensor(inputs["example_outputs"])
    return {
        "instance_targets_with_negative_class": array(sets),
        **_labels("initial", method, fit.batch.first),
        **_labels("example_updated", method, softmax_on(outputs, sets)),
        **_iterations(inputs, method, fit),
        **_test(inputs, method),
    }


def _labels(when: str, method: MIPLGP, w: torch.Tensor) -> Arrays:
    alpha = w + method.epsilon
    targets, variances = lognormal(alpha)
    return {
        f"{when}_alpha": array(alpha),
        f"{when}_sigma2": array(variances),
        f"{when}_targets": array(targets),
    }


def _iterations(inputs: Inputs, method: MIPLGP, fit: ProcessFit) -> Arrays:
    alphas, targets, hyper = [], [], [_hyper(fit.gp)]
    for _ in range(int(inputs["iterations"])):
        train_epoch(fit)
        w, next_one = fit.state.w, Clock(fit.state.epoch + 1, fit.options.epochs)
        alphas.append(w + method.epsilon)
        targets.append(method._targets(fit.regressed(), w, next_one))
        hyper.append(_hyper(fit.gp))
    return {
        "train_loss": np.array([each["loss"] for each in fit.state.history]),
        "train_alpha_after": stack(alphas),
        "train_targets_after": stack(targets),
        **{name: np.stack([one[name] for one in hyper]) for name in hyper[0]},
    }


def _hyper(gp: ClasswiseGP) -> Arrays:
    return {
        "hyper_mean_constants": array(gp.constants),
        "hyper_outputscale": array(gp.scale.view(1)),
        "hyper_lengthscale": array(gp.length.view(1)),
        "hyper_extra_noise": array(gp.noise),
    }


def _test(inputs: Inputs, method: MIPLGP) -> Arrays:
    """Ask the fitted estimator about the unseen instances."""
    x = torch.as_tensor(inputs["test_instances"])
    summary: Any = method.summary_
    mean, _ = summary.marginals(method.gp_, x)
    return {
        "test_posterior_mean": array(mean),
        "test_posterior_covariance": array(summary.covariance(method.gp_, x)),
    }
