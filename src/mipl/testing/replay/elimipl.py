"""Replays of ELIMIPL as the authors' program computes it."""

from __future__ import annotations

from mipl.methods.mipl.elimipl import ELIMIPL
from mipl.objectives import candidate_mass, inhibition_loss
from mipl.testing.replay.network import Arrays, Inputs, all_bags, array, run, stack
from mipl.testing.replay.program import (
    released_training,
    starting_network,
    static_losses,
    static_outputs,
    training_source,
    trajectory,
)


def released(inputs: Inputs) -> Arrays:
    """Recompute a file of the authors' program."""
    method = ELIMIPL.released(
        mu=float(inputs["mu"]),
        gamma=float(inputs["gamma"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
        training=released_training(inputs),
    )
    source = training_source(inputs)
    module, batch = starting_network(inputs, method), all_bags(source)
    terms, losses = static_losses(inputs, method, module, source)
    out = run(module.train(), batch, 1.0)
    return {
        **static_outputs(module, batch),
        **losses,
        "static_mapping_loss": stack([one["mapping"] for one in terms]),
        "static_sparsity_loss": array(candidate_mass(out.p, batch.candidates)),
        "static_inhibition_loss": array(inhibition_loss(out.log_p, batch.candidates)),
        **trajectory(inputs, method, source),
    }
