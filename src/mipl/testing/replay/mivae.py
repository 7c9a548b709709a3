"""Replay of MIVAE as the author's program computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mipl.data.bags import Bags
from mipl.methods.mil.mivae import MIVAE
from mipl.nn.network import Output
from mipl.nn.segments import Segments
from mipl.nn.vae import VariationalNetwork, VariationalOutput, sampled
from mipl.objectives import log_density, standard_kl, weighted_log_loss
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

_SHAPE = (3, 27, 27)


class _Given(nn.Module):
    """Draws that are given."""

    def __init__(self, draws: Any) -> None:
        super().__init__()
        self.draws = torch.as_tensor(draws)

    def forward(self, like: Tensor) -> Tensor:
        return self.draws


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the author's program."""
    method = MIVAE(
        latent=inputs["noise_bag"].shape[1],
        instance_kl=float(inputs["weight_kl_instance"]),
        bag_kl=float(inputs["weight_kl_bag"]),
        label_weight=float(inputs["weight_classifier"]),
        width=len(inputs["init_classifier1_bias"]),
        decoder_width=len(inputs["init_decoder_fc1_bias"]),
        dropout=0.0,
        scaling="none",
        head="sigmoid",
    )
    bags = Bags(inputs["instances"], inputs["offsets"], instance_shape=_SHAPE)
    source = source_of(bags, np.eye(2)[inputs["bag_labels"]])
    module, batch = _network(inputs, method, bags), all_bags(source)
    out = run(module.train(), batch, 1.0)
    assert isinstance(out, VariationalOutput)
    w = batch.candidates.double()
    total = total_of(method._terms(out, batch, w))
    total.backward()  # type: ignore[no-untyped-call]
    return {
        **_latents(module, out, w),
        **_judgements(module, out, batch.segments),
        "total_loss": array(total),
        "classification_loss": array(weighted_log_loss(out.log_p, w).mean()),
        "reconstruction_loss": array(out.error.mean()),
        **prefixed("gradient_", _gradients(module)),
        **_evaluated(module, run(module.eval(), batch, 1.0), batch.segments),
    }


def _network(inputs: Inputs, method: MIVAE, bags: Bags) -> VariationalNetwork:
    """Return the method's network with given values and draws."""
    method.n_features_in_, method.instance_shape_ = bags.n_features, _SHAPE
    module = method._new_module(2).double()
    with torch.no_grad():
        for role, parameter in _roles(module).items():
            given = inputs[f"init_{role}"].astype(np.float64)
            parameter.copy_(torch.as_tensor(given))
    module.noise_instance = _Given(inputs["noise_instance"])  # type: ignore[assignment]
    module.noise_bag = _Given(inputs["noise_bag"])  # type: ignore[assignment]
    return module


def _roles(module: VariationalNetwork) -> dict[str, nn.Parameter]:
    """Name each parameter as the file does, e.g. ``instance_conv1_weight``."""
    return {
        name.removeprefix("encoder.").removeprefix("head.").replace(".", "_"): value
        for name, value in module.named_parameters()
    }


def _gradients(module: VariationalNetwork) -> Arrays:
    found = {}
    for role, parameter in _roles(module).items():
        assert parameter.grad is not None
        found[role] = array(parameter.grad)
    return found


def _latents(module: VariationalNetwork, out: VariationalOutput, w: Tensor) -> Arrays:
    _, _, evidence_mean, evidence_logvar = module.encoder.parts(out.h)
    prior_mean, prior_logvar = (w @ each for each in out.label_prior.of_each_class())
    own = standard_kl(out.instance_mean, out.instance_logvar).mean()
    prior = log_density(out.z, prior_mean, prior_logvar)
    posterior = log_density(out.z, out.bag_mean, out.bag_logvar)
    return {
        "instance_posterior_mean": array(out.instance_mean),
        "instance_posterior_logvar": array(out.instance_logvar),
        "bag_evidence_mean": array(evidence_mean),
        "bag_evidence_logvar": array(evidence_logvar),
        "label_prior_mean": array(prior_mean),
        "label_prior_logvar": array(prior_logvar),
        "sampled_instance_latent": array(_own(module, out)),
        "sampled_bag_latent": array(out.z),
        "minus_kl_instance": array(-own),
        "minus_kl_bag_one_sample": array((prior - posterior).mean()),
    }


def _own(module: VariationalNetwork, out: VariationalOutput) -> Tensor:
    noise = module.noise_instance(out.instance_mean)
    return sampled(out.instance_mean, out.instance_logvar, noise)


def _judgements(
    module: VariationalNetwork, out: VariationalOutput, bags: Segments
) -> Arrays:
    both = torch.cat([_own(module, out), bags.spread(out.z)], dim=1)
    logits = module.head(both)
    return {
        "instance_logits": array(logits.squeeze(1)),
        "bag_logits": array(bags.peak(logits).squeeze(1)),
        "train_reconstruction": array(module.decoder(both)),
    }


def _evaluated(module: VariationalNetwork, out: Output, bags: Segments) -> Arrays:
    logits = module.judge(out.h, bags.spread(out.z))
    return {
        "eval_instance_logits": array(logits.squeeze(1)),
        "eval_bag_logits": array(bags.peak(logits).squeeze(1)),
        "eval_bag_label": array(out.p.argmax(dim=1)),
    }
