"""Replay of ProMIPL as the authors' program computes it."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from mipl.methods.mipl.promipl import ProMIPL
from mipl.nn.latent_label import LatentOutput
from mipl.nn.network import BagNetwork
from mipl.objectives import on_candidates
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    gradients_of,
    prefixed,
    run,
    stack,
)
from mipl.testing.replay.program import (
    one_by_one,
    starting_network,
    total_of,
    training_source,
)
from mipl.training.batches import Batch
from mipl.training.state import Clock


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program."""
    method = ProMIPL(
        entropy_weight=float(inputs["entropy_weight"]),
        reconstruction_weight=float(inputs["reconstruction_weight"]),
        tau=float(inputs["tau"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
    )
    source = training_source(inputs)
    module, batch = starting_network(inputs, method), all_bags(source)
    w = torch.as_tensor(inputs["label_weights"])
    u = torch.as_tensor(inputs["uniform_noise"])
    out = _run(module.train(), batch, method.tau, u)
    q, s = out.of(w)
    clock = Clock(1, 1)
    rows = zip(one_by_one(source), u.unsqueeze(1), w.unsqueeze(1), strict=True)
    totals = [
        total_of(method._loss(_run(module, one, method.tau, noise), one, v, clock))
        for one, noise, v in rows
    ]
    return {
        "bag_vector": array(out.z),
        "probabilities_eval": array(run(module.eval(), batch, method.tau).p),
        "inferred_label_probabilities": array(q),
        "relaxed_label_sample": array(out.latent.sample(q, u)),
        "reconstructed_candidates": array(s),
        "total_loss": stack(totals),
        "normalised_reconstruction_on_candidates": array(
            on_candidates(s, batch.candidates)
        ),
        **prefixed(
            "gradient_", gradients_of(module, totals[int(inputs["gradient_bag"])])
        ),
    }


def _run(module: BagNetwork, batch: Batch, tau: float, u: Tensor) -> LatentOutput:
    """Run the network on a batch, with given draws."""
    out = run(module, batch, tau)
    assert isinstance(out, LatentOutput)
    return replace(out, u=u)
