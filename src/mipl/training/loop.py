"""The training loop: epochs of steps over batches of bags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.nn.dropout import keyed_layers, set_keys
from mipl.nn.network import BagNetwork, Output
from mipl.seeds import stream
from mipl.training.batches import Batch, BatchSource
from mipl.training.descent import descent
from mipl.training.distributed import ALONE, Alone
from mipl.training.flat import FlatDescent
from mipl.training.keeping import Keeper
from mipl.training.options import Training
from mipl.training.record import bag_record, epoch_figures, recorded_bags
from mipl.training.state import Clock, TrainingState

AfterEpoch = Callable[[TrainingState, Clock], bool]


@dataclass(frozen=True, eq=False)
class Run:
    """What the training of one estimator needs, besides its method."""

    state: TrainingState
    source: BatchSource
    options: Training
    seed: int
    trained: npt.NDArray[np.int64]  # Numbers of the bags to train on.
    after_epoch: AfterEpoch
    finish: Callable[[], None]
    keeper: Keeper


class TrainableMethod(Protocol):
    """What the loop asks of a method."""

    def _clock(self, epoch: int, epochs: int) -> Clock: ...

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]: ...

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor: ...

    def _updates_first(self) -> bool: ...

    def _updates_late(self) -> bool: ...

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None: ...


def start(
    module: BagNetwork, weights: npt.NDArray[np.float64], options: Training
) -> TrainingState:
    """Return the state before the first epoch."""
    # A copy: the label weights are written to at every step.
    w = torch.tensor(weights, dtype=options.torch_dtype())
    w = w.to(options.torch_device())
    optimiser = descent(module.parameters(), [options])
    return TrainingState(module, optimiser, w, torch.zeros_like(w))


def train(run: Run, method: TrainableMethod) -> None:
    """Run the remaining steps and epochs; ``after_epoch`` may ask to stop."""
    state, options, seed = run.state, run.options, run.seed
    while state.epoch < options.epochs:
        clock = method._clock(state.epoch + 1, options.epochs)
        clock = replace(clock, seen=state.seen, own=state.own, mean_p=state.mean_p)
        cast("FlatDescent", state.optimiser).start_epoch(clock.epoch)
        order, keys = order_and_keys(seed, clock.epoch, run.trained)
        drawn = run.source.drawing(options.instances_per_bag, seed, clock.epoch)
        terms = run_epoch(state, method, drawn, options, clock, order, keys, run.keeper)
        method._end_epoch(state, clock)
        close_epoch(state, run.source, options, run.trained, terms, clock)
        if run.after_epoch(state, clock):
            return


def order_and_keys(
    seed: int, epoch: int, trained: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the order of the bags in an epoch, and a key for each of its steps."""
    order = trained[stream(seed, "order", epoch).permutation(len(trained))]
    keys = stream(seed, "dropout", epoch).integers(2**62, size=len(trained))
    return order, keys


def close_epoch(
    state: TrainingState,
    source: BatchSource,
    options: Training,
    trained: npt.NDArray[np.int64],
    terms: dict[str, float],
    clock: Clock,
) -> None:
    """Write down the figures of an epoch once its steps are done."""
    _check_parameters(state, clock)
    state.finish_epoch()
    # Bags that are not trained on have no probabilities.
    state.mean_p = state.p.sum(dim=0) / len(trained)
    candidates = source.candidates.cpu().numpy()
    lr = options.learning_rate(clock.epoch)
    figures = epoch_figures(state, candidates, trained, terms, clock, lr)
    state.history.append(figures)
    recorded = recorded_bags(options.record_bags, len(source))
    if recorded:
        state.records.append(bag_record(state, candidates, recorded))


def run_epoch(
    state: TrainingState,
    method: TrainableMethod,
    source: BatchSource,
    options: Training,
    clock: Clock,
    order: npt.NDArray[np.int64],
    keys: npt.NDArray[np.int64],
    keeper: Keeper,
) -> dict[str, float]:
    """Visit the bags in this order, with a key for each step; return mean terms.

    An epoch that was interrupted goes on with the step that comes next.
    """
    state.module.train()
    layers = keyed_layers(state.module)
    batches = source.deal(
        order, options.batch_size, options.batch_instances, skip=state.step
    )
    for step, batch in enumerate(batches, state.step):
        set_keys(layers, int(keys[step]), batch.part)
        values = run_step(state, method, batch, clock, step, keeper.team)
        for name, value in values.items():
            total = state.totals.get(name, 0.0)
            state.totals[name] = total + value * len(batch.bags)
        state.step = step + 1
        keeper.after_step()
    return {name: total / len(order) for name, total in state.totals.items()}


def run_step(
    state: TrainingState,
    method: TrainableMethod,
    batch: Batch,
    clock: Clock,
    step: int,
    team: Alone = ALONE,
) -> dict[str, float]:
    """Take one step on one batch: forward, label weights, loss, backward.

    Late label weights come from a second look at the batch, once the step is taken.
    """
    late = method._updates_late()
    out = team.forward(state.module, batch, clock.tau)
    w = state.w.index_select(0, batch.bags)  # (B, k)
    updated = w if late else method._update(out, batch, w, clock)  # (B, k)
    terms = method._loss(out, batch, updated if method._updates_first() else w, clock)
    each = torch.stack(list(terms.values()))
    # The only time that a step waits for the device.
    values = dict(zip(terms, each.tolist(), strict=True))
    values["loss"] = sum(values.values())
    check_finite(values, clock, step)
    optimiser = cast("FlatDescent", state.optimiser)
    optimiser.descend(team.gradients(each.sum(), optimiser.parameters))
    if late:
        with torch.no_grad():
            again = team.forward(state.module, batch, clock.tau)
            updated = method._update(again, batch, w, clock)
    state.w.index_copy_(0, batch.bags, updated)
    state.p.index_copy_(0, batch.bags, out.p.detach())
    return values


def check_finite(values: dict[str, float], clock: Clock, step: int) -> None:
    """Refuse a loss term that is no longer a number."""
    for name, value in values.items():
        if not np.isfinite(value):
            raise Diverged(
                f"the loss term '{name}' became {value} in epoch {clock.epoch}, batch "
                f"{step}; lower training__lr or scale the features."
            )


def _check_parameters(state: TrainingState, clock: Clock) -> None:
    """Refuse what the last step of an epoch broke: no later loss would show it."""
    for name, parameter in state.module.named_parameters():
        if not bool(torch.isfinite(parameter).all()):
            raise Diverged(
                f"the parameter '{name}' is not finite after epoch {clock.epoch}; "
                "lower training__lr or scale the features."
            )
