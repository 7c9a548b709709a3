"""Replay of POP as the authors' program computes it."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.methods.pll.pop import POP
from mipl.nn.network import BagNetwork
from mipl.testing.replay.network import Arrays, Inputs, array, run, source_of
from mipl.testing.replay.program import total_of
from mipl.training.batches import Batch, BatchSource
from mipl.training.flat import FlatDescent
from mipl.training.loop import run_step, start
from mipl.training.options import Training
from mipl.training.state import Clock, TrainingState

_VIEWS = ("instances", "instances_augmented_1", "instances_augmented_2")


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program.

    Its three views of a row are three rows here, which share their label weights: the
    mean of the views' losses is the loss of all rows.
    """
    method = _method(inputs)
    m, k = inputs["candidates"].shape
    bags = Bags(np.concatenate([inputs[view] for view in _VIEWS]))
    candidates = np.tile(inputs["candidates"], (len(_VIEWS), 1))
    source = source_of(bags, candidates)
    module = _network(inputs, method, k)
    weights = Candidates(candidates > 0).initial_weights()
    state = start(module, weights, method._options())
    method._prepare(state, source)
    told: dict[str, list[Any]] = {}
    for epoch, order in enumerate(inputs["order"], start=1):
        losses = _epoch(method, state, source, order.reshape(-1, _size(inputs)), epoch)
        values = {
            "loss_per_step_three_views": losses,
            "confidences_after_epoch": array(state.w[:m]),
            "kept_candidates_after_epoch": array(state.own["kept"][:m]),
            "theta_after_epoch": array(state.own["theta"])[0],
            "weight_after_epoch": array(_classifier(module).weight),
            "bias_after_epoch": array(_classifier(module).bias),
        }
        for name, value in values.items():
            told.setdefault(name, []).append(value)
    return {name: np.stack(values) for name, values in told.items()}


def _method(inputs: Inputs) -> POP:
    return POP(
        theta=float(inputs["theta_initial"]),
        increment=float(inputs["theta_increment"]),
        window=int(inputs["window"]),
        warm_up=int(inputs["warm_up"]),
        scaling="none",
        training=Training(
            epochs=int(inputs["epochs"]),
            lr=float(inputs["learning_rate"]),
            momentum=float(inputs["momentum"]),
            nesterov=False,
            clip=None,
            weight_decay=float(inputs["weight_decay"]),
            schedule="constant",
            dtype="float64",
        ),
    )


def _size(inputs: Inputs) -> int:
    return int(inputs["batch_size"])


def _network(inputs: Inputs, method: POP, k: int) -> BagNetwork:
    method.n_features_in_ = inputs["instances"].shape[1]
    module = method._new_module(k).double()
    with torch.no_grad():
        _classifier(module).weight.copy_(torch.as_tensor(inputs["init_weight"]))
        _classifier(module).bias.copy_(torch.as_tensor(inputs["init_bias"]))
    return module


def _classifier(module: BagNetwork) -> torch.nn.Linear:
    (layer,) = (one for one in module.modules() if isinstance(one, torch.nn.Linear))
    return layer


def _epoch(
    method: POP, state: TrainingState, source: BatchSource, batches: Any, epoch: int
) -> Any:
    """Take the steps of an epoch; return the loss of each view before each step."""
    m = len(source) // len(_VIEWS)
    clock = Clock(epoch, len(batches), own=state.own)
    cast("FlatDescent", state.optimiser).start_epoch(epoch)
    state.module.train()
    losses = []
    for step, rows in enumerate(batches):
        views = [rows + m * view for view in range(len(_VIEWS))]
        losses.append(
            [_loss(method, state, _batch(source, one), clock) for one in views]
        )
        run_step(state, method, _batch(source, np.concatenate(views)), clock, step)
        _share_weights(state, m)
    method._end_epoch(state, clock)
    return np.array(losses)


def _share_weights(state: TrainingState, m: int) -> None:
    """Give all views the label weights of the first."""
    state.w.copy_(state.w[:m].repeat(len(_VIEWS), 1))


def _batch(source: BatchSource, rows: Any) -> Batch:
    return next(source.deal(rows, None, None))


def _loss(method: POP, state: TrainingState, batch: Batch, clock: Clock) -> float:
    out = run(state.module, batch, 1.0)
    terms = method._loss(out, batch, state.w[batch.bags], clock)
    return float(total_of(terms).detach())
