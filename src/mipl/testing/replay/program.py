"""What the replays of the authors' programs of one family have in common."""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor

from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import SigmoidAttention
from mipl.nn.heads import SigmoidSoftmaxHead
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import on_candidates
from mipl.testing.replay.network import (
    Arrays,
    Inputs,
    all_bags,
    array,
    golden_bags,
    golden_network,
    gradients_of,
    prefixed,
    run,
    source_of,
    stack,
    values_of,
)
from mipl.training.batches import Batch, BatchSource
from mipl.training.flat import FlatDescent
from mipl.training.loop import run_step, start
from mipl.training.options import Training
from mipl.training.state import Clock

Terms = dict[str, Tensor]


def released_training(inputs: Inputs) -> Training:
    """Return the training settings of a golden file."""
    return Training(
        epochs=int(inputs["train_epochs"]),
        lr=float(inputs["train_learning_rate_initial"]),
        momentum=float(inputs["train_momentum"]),
        weight_decay=float(inputs["train_weight_decay"]),
        clip=None,
        batch_size=1,
        dtype="float64",
    )


def starting_network(inputs: Inputs, method: NeuralBagClassifier) -> BagNetwork:
    """Return the method's network with the starting values of a golden file."""
    given = {k.removeprefix("init_"): v for k, v in inputs.items() if k[:5] == "init_"}
    k = inputs["candidates"].shape[1]
    return golden_network(method, golden_bags(inputs), k, given)


def training_source(inputs: Inputs) -> BatchSource:
    """Return the training bags of a golden file."""
    return source_of(golden_bags(inputs), inputs["candidates"])


def one_by_one(source: BatchSource) -> list[Batch]:
    """Return each bag as a batch of its own."""
    return list(source.deal(np.arange(len(source)), 1, None))


def total_of(terms: Terms) -> Tensor:
    """Return the sum of the terms, as the training loop takes it."""
    return torch.stack(list(terms.values())).sum()


def attention_of(module: BagNetwork, out: Output) -> Tensor:
    """Return the attention as the programs print it, shares or not."""
    if isinstance(module.attention, SigmoidAttention):
        return module.attention.opened(out.scores)
    return out.a


def static_outputs(module: BagNetwork, batch: Batch, tau: float = 1.0) -> Arrays:
    """Return what the network says at its starting values."""
    evaluated = run(module.eval(), batch, tau)
    trained = run(module.train(), batch, tau)
    head = module.head
    assert isinstance(head, SigmoidSoftmaxHead)
    return {
        "static_raw_scores": array(evaluated.scores),
        "static_attention": array(attention_of(module, evaluated)),
        "static_bag_vector": array(evaluated.z),
        "static_sigmoid_outputs": array(head.squash(evaluated.z)),
        "static_probabilities_train": array(trained.p),
        "static_probabilities_eval": array(evaluated.p),
    }


def static_losses(
    inputs: Inputs,
    method: NeuralBagClassifier,
    module: BagNetwork,
    source: BatchSource,
    tau: float = 1.0,
) -> tuple[list[Terms], Arrays]:
    """Return the loss terms of each bag, and what follows from them.

    The label weights are the given ones; one bag has its gradients told.
    """
    clock = Clock(1, 1, tau=tau, alpha=float(inputs["static_alpha"]))
    w = torch.as_tensor(inputs["static_label_weights"]).unsqueeze(1).unbind()
    visits = [
        (run(module.train(), batch, tau), batch, weights, clock)
        for batch, weights in zip(one_by_one(source), w, strict=True)
    ]
    terms = [method._loss(*visit) for visit in visits]
    kept = [on_candidates(out.p, batch.candidates) for out, batch, _, _ in visits]
    updated = [method._update(*visit) for visit in visits]
    totals = [total_of(one) for one in terms]
    gradients = gradients_of(module, totals[int(inputs["gradient_bag"])])
    return terms, {
        "static_total_loss": stack(totals),
        "static_normalised_candidate_probabilities": array(torch.cat(kept)),
        "static_updated_label_weights": array(torch.cat(updated)),
        **prefixed("gradient_", gradients),
    }


def trajectory(
    inputs: Inputs, method: NeuralBagClassifier, source: BatchSource
) -> Arrays:
    """Train from the starting values in the given order, and look at unseen bags."""
    options = method._options()
    module = starting_network(inputs, method)
    state = start(module, inputs["train_label_weights_initial"], options)
    rates, alphas, losses, weights = [], [], [], []
    found: Arrays = {}
    for epoch, order in enumerate(inputs["train_order"], start=1):
        clock = method._clock(epoch, options.epochs)
        alphas.append(clock.alpha)
        cast("FlatDescent", state.optimiser).start_epoch(epoch)
        rates.append(options.learning_rate(epoch))
        module.train()
        batches = source.deal(order, options.batch_size, None)
        steps = [run_step(state, method, b, clock, i) for i, b in enumerate(batches)]
        losses.append([step["loss"] for step in steps])
        weights.append(state.w.numpy().copy())
        if epoch == 1:
            found |= prefixed("after_epoch1_", values_of(module))
    test = golden_bags(inputs, "test_")
    unseen = source_of(test, np.ones((len(test), source.candidates.shape[1])))
    out = run(module.eval(), all_bags(unseen), method._tau_after(options.epochs))
    return found | {
        **prefixed("final_", values_of(module)),
        "train_learning_rate_per_epoch": np.array(rates),
        "train_alpha_per_epoch": np.array(alphas),
        "train_step_loss": np.array(losses),
        "train_label_weights_per_epoch": np.stack(weights),
        "test_probabilities_final": array(out.p),
        "test_attention_final": array(attention_of(module, out)),
    }
