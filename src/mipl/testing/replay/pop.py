"""Replay of POP as the authors' program computes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.methods.pll.pop import POP
from mipl.nn.network import BagNetwork
from mipl.testing.replay.network import Arrays, Inputs, array, source_of
from mipl.testing.replay.program import GoldenFit, Numbers, fit_parts, total_of
from mipl.training.batches import Batch
from mipl.training.loop import train_epoch
from mipl.training.options import Training
from mipl.training.state import Clock

_VIEWS = ("instances", "instances_augmented_1", "instances_augmented_2")


def released(inputs: Inputs) -> Arrays:
    """Recompute the file of the authors' program.

    Its three views of a row are three rows here, which share their label weights: the
    mean of the views' losses is the loss of all rows.
    """
    method = _method(inputs)
    m, k = inputs["candidates"].shape
    bags = Bags(np.concatenate([inputs[view] for view in _VIEWS]))
    source = source_of(bags, np.tile(inputs["candidates"], (len(_VIEWS), 1)))
    weights = Candidates(source.candidates.numpy()).initial_weights()
    module = _network(inputs, method, k)
    orders = [_views(order, inputs) for order in inputs["order"]]
    fit = _ThreeViews(**fit_parts(method, module, weights, source), orders=orders)
    told: dict[str, list[Any]] = {}
    for _ in orders:
        train_epoch(fit)
        values = {
            "confidences_after_epoch": fit.state.w[:m],
            "kept_candidates_after_epoch": fit.state.own["kept"][:m],
            "theta_after_epoch": fit.state.own["theta"][0],
            "weight_after_epoch": _classifier(module).weight,
            "bias_after_epoch": _classifier(module).bias,
        }
        for name, value in values.items():
            told.setdefault(name, []).append(array(value))
    losses = np.reshape(fit.of_views, (len(orders), -1, len(_VIEWS)))
    stacked = {name: np.stack(values) for name, values in told.items()}
    return {"loss_per_step_three_views": losses, **stacked}


@dataclass(eq=False, kw_only=True)
class _ThreeViews(GoldenFit):
    """Notes the loss of each view, and gives all the label weights of the first."""

    of_views: list[list[float]] = field(default_factory=list)

    def deal(self, clock: Clock) -> Iterator[Batch]:
        """Look at each view before the step on all."""
        for batch in super().deal(clock):
            views = np.split(batch.bags.numpy(), len(_VIEWS))
            self.of_views.append([self._loss(rows, clock) for rows in views])
            yield batch

    def _loss(self, rows: Numbers, clock: Clock) -> float:
        batch = next(self.source.deal(rows, None, None))
        out, w = self.look(batch, clock), self.weights(batch)
        terms = self.method._loss(out, batch, w, clock)
        return float(total_of(terms).detach())

    def end_step(self) -> None:
        """Share the label weights."""
        m = len(self.source) // len(_VIEWS)
        self.state.w.copy_(self.state.w[:m].repeat(len(_VIEWS), 1))
        super().end_step()


def _views(order: Numbers, inputs: Inputs) -> Numbers:
    """Return the rows of all views, step by step."""
    m, size = len(inputs["candidates"]), int(inputs["batch_size"])
    first = m * np.arange(len(_VIEWS))[:, None]
    steps: Numbers = order.reshape(-1, 1, size) + first  # (steps, views, size)
    return steps.ravel()


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
            batch_size=len(_VIEWS) * int(inputs["batch_size"]),
            clip=None,
            weight_decay=float(inputs["weight_decay"]),
            schedule="constant",
            dtype="float64",
        ),
    )


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
