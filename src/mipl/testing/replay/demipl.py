"""Replays of DEMIPL as the authors' program computes it."""

from __future__ import annotations

from mipl.methods.mipl.demipl import DEMIPL
from mipl.nn.attention import attention_entropy
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
    method = DEMIPL.released(
        lam=float(inputs["lambda_attention"]),
        width=len(inputs["init_feature_bias"]),
        dropout=0.0,
        scaling="none",
        training=released_training(inputs),
    )
    source = training_source(inputs)
    module, batch = starting_network(inputs, method), all_bags(source)
    terms, losses = static_losses(inputs, method, module, source)
    scores = run(module.train(), batch, 1.0).scores
    entropy = batch.per_bag(attention_entropy(scores))
    return {
        **static_outputs(module, batch),
        **losses,
        "static_disambiguation_loss": stack([one["disambiguation"] for one in terms]),
        "static_attention_entropy_loss": array(entropy),
        **trajectory(inputs, method, source),
    }
