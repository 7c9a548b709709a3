"""Several runs of one small network, trained together on stacked parameters.

A step of a small network is mostly the overhead of its operations. Here a step takes
one batch of each of S runs, so that S runs pay that overhead once; each run keeps its
own order, masks, learning rate and figures, and ends where it would end alone, up to
rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.nn.network import Output
from mipl.nn.stacked import (
    dropout_layers,
    separate,
    set_joint_keys,
    share_memory,
    stack_networks,
)
from mipl.training.descent import descent
from mipl.training.distributed import ALONE
from mipl.training.joint_batches import JointBatch, JointSource
from mipl.training.loop import (
    Run,
    TrainableMethod,
    check_finite,
    close_epoch,
    order_and_keys,
)
from mipl.training.state import Clock

Floats = npt.NDArray[np.float64]


def train_together(
    runs: Mapping[int, Run], joint_method: Callable[[Sequence[int]], TrainableMethod]
) -> dict[int, Diverged]:
    """Run the epochs of all runs, by number; return the errors of those that diverged.

    A run that asks to stop, or whose loss is no longer finite, is set aside as it is,
    and the others go on. ``joint_method`` gives the method that stands for the runs of
    these numbers: its loss terms and label weights have a first axis of runs.
    """
    stack = _Stack(runs)
    method = joint_method(list(runs))
    epochs = next(iter(runs.values())).options.epochs
    for epoch in range(1, epochs + 1):
        stack.run_epoch(method, method._clock(epoch, epochs))
        if not stack.going:
            break
    for number in list(stack.going):
        stack.set_aside(number)
    return stack.diverged


class _Stack:
    """Runs whose parameters, label weights and instances lie in common tensors."""

    def __init__(self, runs: Mapping[int, Run]) -> None:
        self.runs = runs
        self.going = set(runs)
        self.diverged: dict[int, Diverged] = {}
        states = [run.state for run in runs.values()]
        sources = [run.source for run in runs.values()]
        self.module = stack_networks([state.module for state in states])
        self.layers = dropout_layers(self.module)
        scaled = [
            state.module.scaling(source.x)
            for state, source in zip(states, sources, strict=True)
        ]
        self.source = JointSource(sources, scaled)
        options = [run.options for run in runs.values()]
        self.batch_size = options[0].batch_size
        self.optimiser = descent(self.module.parameters(), options)
        for i, state in enumerate(states):
            share_memory(state.module, self.module, i)
        self.w = torch.stack([state.w for state in states])  # (S, m, k)
        self.p = torch.stack([state.p for state in states])  # (S, m, k)
        for state, w, p in zip(states, self.w, self.p, strict=True):
            state.w, state.p = w, p

    def set_aside(self, number: int) -> None:
        """Let a run stay as it is: its tensors become its own again."""
        self.going.discard(number)
        state = self.runs[number].state
        separate(state.module)
        state.w, state.p = state.w.clone(), state.p.clone()

    def run_epoch(self, method: TrainableMethod, clock: Clock) -> None:
        """Take all steps of one epoch, and close it for each run."""
        drawn = [
            order_and_keys(run.seed, clock.epoch, run.trained)
            for run in self.runs.values()
        ]
        orders = np.stack([order for order, _ in drawn])  # (S, m)
        keys = np.stack([key for _, key in drawn]).T.tolist()
        totals: dict[str, Floats] = {}
        clock = replace(clock, mean_p=self._mean_p())
        self.optimiser.start_epoch(clock.epoch)
        self.module.train()
        for step, batch in enumerate(self.source.deal(orders, self.batch_size)):
            set_joint_keys(self.layers, keys[step], batch.rows)
            values = self._run_step(method, batch, clock, step)
            for name, value in values.items():
                totals[name] = totals.get(name, 0.0) + value * batch.candidates.shape[1]
        for i, number in enumerate(self.runs):
            if number in self.going:
                means = {
                    n: float(total[i]) / len(orders[i]) for n, total in totals.items()
                }
                self._close_epoch(number, means, clock)

    def _mean_p(self) -> Tensor | None:
        """Return the mean probabilities of each run in the last epoch, (S, 1, k)."""
        means = [run.state.mean_p for run in self.runs.values()]
        if all(mean is None for mean in means):
            return None
        # A run that diverged in its first epoch has none, and needs none.
        even = torch.full_like(self.p[0, 0], 1 / self.p.shape[2])
        return torch.stack([even if mean is None else mean for mean in means])[:, None]

    def _close_epoch(self, number: int, terms: dict[str, float], clock: Clock) -> None:
        run = self.runs[number]
        try:
            close_epoch(run.state, run.source, run.options, run.trained, terms, clock)
            stop = run.after_epoch(run.state, clock)
        except Diverged as error:
            self.diverged[number], stop = error, True
        if stop:
            self.set_aside(number)

    def _run_step(
        self, method: TrainableMethod, batch: JointBatch, clock: Clock, step: int
    ) -> dict[str, Floats]:
        """Take one step of each run; return the terms of each loss, (S,)."""
        late = method._updates_late()
        out = self._look(batch, clock)
        w = self.w.flatten(0, 1).index_select(0, batch.bags).view(out.p.shape)
        updated = w if late else method._update(out, batch, w, clock)  # (S, B, k)
        used = updated if method._updates_first() else w
        terms = method._loss(out, batch, used, clock)
        each = torch.stack(list(terms.values()))  # (terms, S)
        total = each.sum(dim=0)  # (S,)
        lines = torch.cat([each, total.unsqueeze(0)]).detach().cpu().double().numpy()
        values = dict(zip([*terms, "loss"], lines, strict=True))
        self._check_finite(values, clock, step)
        gradients = ALONE.gradients(total.sum(), self.optimiser.parameters)
        self.optimiser.descend(gradients)
        if late:
            with torch.no_grad():
                updated = method._update(self._look(batch, clock), batch, w, clock)
        self._keep(self.w, batch, updated)
        self._keep(self.p, batch, out.p.detach())
        return values

    def _look(self, batch: JointBatch, clock: Clock) -> Output:
        whole = self.module(batch.x, batch.segments, clock.tau)
        return _without_padding(whole, len(self.runs))

    def _keep(self, of_bags: Tensor, batch: JointBatch, values: Tensor) -> None:
        of_bags.flatten(0, 1).index_copy_(0, batch.bags, values.flatten(0, 1))

    def _check_finite(
        self, values: Mapping[str, Floats], clock: Clock, step: int
    ) -> None:
        """Set the runs aside whose loss is no longer a number, before their step."""
        if np.isfinite(values["loss"]).all():
            return
        for i, number in enumerate(self.runs):
            if number in self.going:
                try:
                    check_finite(
                        {name: float(v[i]) for name, v in values.items()}, clock, step
                    )
                except Diverged as error:
                    self.diverged[number] = error
                    self.set_aside(number)


def _without_padding(out: Output, n_runs: int) -> Output:
    """Drop the last bag of each run, and give bags an axis of runs: (S, B, ...)."""
    log_p, p, z = (
        v.view(n_runs, -1, v.shape[1])[:, :-1] for v in (out.log_p, out.p, out.z)
    )
    return replace(out, log_p=log_p, p=p, z=z)
