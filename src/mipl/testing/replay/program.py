"""What the replays of the authors' programs of one family have in common."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.methods.bases.neural import NeuralBagClassifier, NeuralClassifier
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
from mipl.training.distributed import ALONE
from mipl.training.keeping import Keeper
from mipl.training.loop import train_epoch
from mipl.training.network_fit import NetworkFit, start
from mipl.training.options import Training
from mipl.training.state import Clock

Terms = dict[str, Tensor]
Numbers = npt.NDArray[np.int64]


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


@dataclass(eq=False, kw_only=True)
class GoldenFit(NetworkFit):
    """A fit that visits bags in given orders and notes the loss of each step."""

    orders: Sequence[Numbers]
    losses: list[float] = field(default_factory=list)

    def order(self, epoch: int) -> Numbers:
        """Return the given order."""
        return self.orders[epoch - 1]

    def count(
        self, names: Sequence[str], values: Sequence[float], batch: Sized, clock: Clock
    ) -> None:
        """Note the loss of the step."""
        super().count(names, values, batch, clock)
        self.losses.append(sum(values))


def fit_parts(
    method: NeuralClassifier,
    module: BagNetwork,
    weights: npt.NDArray[np.float64],
    source: BatchSource,
) -> dict[str, Any]:
    """Return what a fit of all bags consists of, from given values on."""
    options = method._options()
    state = start(module, weights, options)
    method._prepare(state, source)
    return {
        "method": method,
        "state": state,
        "options": options,
        "keeper": Keeper(None, dict, state, None, ALONE),
        "source": source,
        "seed": 0,
        "trained": np.arange(len(source)),
    }


def trajectory(
    inputs: Inputs, method: NeuralBagClassifier, source: BatchSource
) -> Arrays:
    """Train from the starting values in the given order, and look at unseen bags."""
    module = starting_network(inputs, method)
    parts = fit_parts(method, module, inputs["train_label_weights_initial"], source)
    fit = GoldenFit(**parts, orders=inputs["train_order"])
    weights, values = [], []
    for _ in fit.orders:
        train_epoch(fit)
        weights.append(array(fit.state.w))
        values.append(values_of(module))
    test = golden_bags(inputs, "test_")
    unseen = source_of(test, np.ones((len(test), source.candidates.shape[1])))
    out = run(module.eval(), all_bags(unseen), method.tau_)
    history = fit.state.history
    return {
        **prefixed("after_epoch1_", values[0]),
        **prefixed("final_", values[-1]),
        "train_learning_rate_per_epoch": np.array([each["lr"] for each in history]),
        "train_alpha_per_epoch": np.array([each["alpha"] for each in history]),
        "train_step_loss": np.reshape(fit.losses, (len(fit.orders), -1)),
        "train_label_weights_per_epoch": np.stack(weights),
        "test_probabilities_final": array(out.p),
        "test_attention_final": array(attention_of(module, out)),
        **{f"own_{name}": array(value) for name, value in fit.state.own.items()},
    }
