"""Replay of MIPLGP as the authors' program computes it."""

from __future__ import annotations

import numpy as np
import torch

from mipl.data.candidates import Candidates
from mipl.methods.bases.gaussian import Course
from mipl.methods.mipl.miplgp import MIPLGP
from mipl.nn.gp import ClasswiseGP
from mipl.objectives import lognormal, softmax_on
from mipl.testing.replay.network import Arrays, Inputs, array, golden_bags, stack
from mipl.training.options import Training


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
    course = method._begin(bags, candidates, method._options(), seed=0)
    outputs = torch.as_tensor(inputs["example_outputs"])
    return {
        "instance_targets_with_negative_class": array(course.sets),
        **_labels("initial", method, course.first),
        **_labels("example_updated", method, softmax_on(outputs, course.sets)),
        **_iterations(inputs, method, course),
        **_test(inputs, method, course),
    }


def _labels(when: str, method: MIPLGP, w: torch.Tensor) -> Arrays:
    alpha = w + method.epsilon
    targets, variances = lognormal(alpha)
    return {
        f"{when}_alpha": array(alpha),
        f"{when}_sigma2": array(variances),
        f"{when}_targets": array(targets),
    }


def _iterations(inputs: Inputs, method: MIPLGP, course: Course) -> Arrays:
    losses, alphas, targets = [], [], []
    hyper = [_hyper(course.gp)]
    course.regress(method._variances(course))
    for iteration in range(1, int(inputs["iterations"]) + 1):
        course.adam.set_rate(method._options().learning_rate(iteration))
        losses.append(method._step(course))
        course.regress(method._variances(course))
        course.state.finish_epoch()
        alphas.append(course.state.w + method.epsilon)
        targets.append(method._targets(course))
        hyper.append(_hyper(course.gp))
    return {
        "train_loss": np.array(losses),
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


def _test(inputs: Inputs, method: MIPLGP, course: Course) -> Arrays:
    """Ask the fitted estimator about the unseen instances."""
    method._remember(course)
    x = torch.as_tensor(inputs["test_instances"])
    mean, _ = method.gp_.marginals(x, method.summary_)
    return {
        "test_posterior_mean": array(mean),
        "test_posterior_covariance": array(method.gp_.covariance(x, method.summary_)),
    }
