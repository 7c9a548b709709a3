"""Several runs of one small network, trained together on stacked parameters.

A step of a small network is mostly the overhead of its operations. Here a step takes
one batch of each of S runs, so that S runs pay that overhead once; each run keeps its
own state, order, masks, learning rate and figures, and ends where it would end alone,
up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.nn.network import Output
from mipl.nn.segments import Segments
from mipl.nn.stacked import rekey_together, separate, stack_networks
from mipl.training.batches import Batch, cut
from mipl.training.loop import (
    Run,
    TrainableMethod,
    check_finite,
    close_epoch,
    order_and_keys,
    set_learning_rate,
)
from mipl.training.state import Clock

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JointBatch(Batch):
    """A batch of each run.

    Each run has one more bag, which holds the padding; ``rows`` counts instances
    without it. ``candidates`` is (S, B, k).
    """

    rows: list[int]  # (S,)

    def per_bag(self, values: Tensor) -> Tensor:
        """Add up over bags, without the padding: (N,) -> (S, B)."""
        return self.segments.sum(values).view(len(self.rows), -1)[:, :-1]


def train_together(
    runs: Mapping[int, Run], joint_method: Callable[[Sequence[int]], TrainableMethod]
) -> None:
    """Run the epochs of all runs, by number; one that asks to stop leaves the others.

    ``joint_method`` gives the method that stands for the runs of these numbers: its
    loss terms and label weights have a first axis of runs.
    """
    going = dict(runs)
    epochs = {run.options.epochs for run in runs.values()}.pop()
    done = 0
    while going and done < epochs:
        stack, method = _Stack(going), joint_method(list(going))
        stopped: list[int] = []
        while not stopped and done < epochs:
            done += 1
            stopped = stack.run_epoch(method, method._clock(done, epochs))
        stack.separate()
        going = {number: run for number, run in going.items() if number not in stopped}


class _Stack:
    """Runs whose parameters, label weights and instances lie in common tensors."""

    def __init__(self, numbered: Mapping[int, Run]) -> None:
        self.numbers = list(numbered)
        self.runs = runs = list(numbered.values())
        self.module = stack_networks([run.state.module for run in runs])
        self.w = torch.cat([run.state.w for run in runs])  # (S m, k)
        self.p = torch.cat([run.state.p for run in runs])  # (S m, k)
        for run, w, p in zip(
            runs, self._parts(self.w), self._parts(self.p), strict=True
        ):
            run.state.w, run.state.p = w, p
        sources = [run.source for run in runs]
        self.candidates = torch.stack([source.candidates for source in sources])
        self.x = torch.cat([source.x for source in sources if source.x is not None])
        lengths = [int(source.sizes.sum()) for source in sources]
        before = np.cumsum([0, *lengths[:-1]])
        self.starts = np.stack([s.starts for s in sources]) + before[:, None]  # (S, m)
        self.sizes = np.stack([source.sizes for source in sources])  # (S, m)

    def _parts(self, whole: Tensor) -> Sequence[Tensor]:
        return whole.view(len(self.runs), -1, whole.shape[1]).unbind()

    def separate(self) -> None:
        """Give each run its own memory again."""
        for run in self.runs:
            separate(run.state.module)
            run.state.w, run.state.p = run.state.w.clone(), run.state.p.clone()

    def run_epoch(self, method: TrainableMethod, clock: Clock) -> list[int]:
        """Take all steps of one epoch; return which runs ask to stop."""
        runs = self.runs
        rates = [set_learning_rate(r.state, r.options, clock.epoch) for r in runs]
        drawn = [order_and_keys(r.seed, clock.epoch, r.trained) for r in runs]
        orders = np.stack([order for order, _ in drawn])  # (S, m)
        keys = np.stack([key for _, key in drawn]).T.tolist()
        totals: list[dict[str, float]] = [{} for _ in runs]
        self.module.train()
        for step, batch in enumerate(self._deal(orders)):
            rekey_together(self.module, keys[step], batch.rows)
            found = self._run_step(method, batch, clock, step)
            n_bags = batch.candidates.shape[1]
            for total, values in zip(totals, found, strict=True):
                for name, value in values.items():
                    total[name] = total.get(name, 0.0) + value * n_bags
        stopped = []
        for number, run, lr, total in zip(
            self.numbers, runs, rates, totals, strict=True
        ):
            terms = {name: value / orders.shape[1] for name, value in total.items()}
            with _told(number):
                close_epoch(
                    run.state, run.source, run.options, run.trained, terms, clock, lr
                )
            if run.after_epoch(run.state, clock):
                stopped.append(number)
        return stopped

    def _deal(self, orders: Numbers) -> Iterator[JointBatch]:
        """Give the next bags of every run at once."""
        n_runs, n_bags = self.sizes.shape
        lines = np.arange(n_runs)[:, None]
        sizes, starts = self.sizes[lines, orders], self.starts[lines, orders]  # (S, m)
        numbers = orders + n_bags * lines
        for first, last in cut(sizes[0], self.runs[0].options.batch_size, None):
            yield self._batch(
                numbers[:, first:last], sizes[:, first:last], starts[:, first:last]
            )

    def _batch(self, numbers: Numbers, sizes: Numbers, starts: Numbers) -> JointBatch:
        device = self.x.device
        rows = sizes.sum(axis=1)  # (S,)
        padding = rows.max() - rows
        padded = np.column_stack([sizes, padding]).ravel()  # (S (B + 1),)
        # Any rows serve as padding: their bag is dropped.
        first = np.column_stack([starts, np.zeros_like(padding)]).ravel()
        index = np.repeat(first - (np.cumsum(padded) - padded), padded)
        index += np.arange(len(index))
        bag = np.repeat(np.arange(len(padded)), padded)
        flat = torch.as_tensor(numbers.ravel(), device=device)
        return JointBatch(
            bags=flat,
            x=self.x.index_select(0, torch.as_tensor(index, device=device)),
            segments=Segments(
                torch.as_tensor(padded.clip(1), device=device),
                torch.as_tensor(bag, device=device),
            ),
            candidates=self.candidates.flatten(0, 1)
            .index_select(0, flat)
            .view(*numbers.shape, -1),
            rows=rows.tolist(),
        )

    def _run_step(
        self, method: TrainableMethod, batch: JointBatch, clock: Clock, step: int
    ) -> list[dict[str, float]]:
        out = _without_padding(
            self.module(batch.x, batch.segments, clock.tau), len(self.runs)
        )
        w = self.w.index_select(0, batch.bags).view(out.p.shape)  # (S, B, k)
        updated = method._update(out, batch, w, clock)
        terms = method._loss(
            out, batch, updated if method._updates_first() else w, clock
        )
        each = torch.stack(list(terms.values()))  # (terms, S)
        total = each.sum(dim=0)  # (S,)
        values = self._values([*terms, "loss"], torch.cat([each, total[None]]))
        for number, found in zip(self.numbers, values, strict=True):
            with _told(number):
                check_finite(found, clock, step)
        self.module.zero_grad(set_to_none=False)
        total.sum().backward()  # type: ignore[no-untyped-call]
        for run in self.runs:
            if run.options.clip is not None:
                parameters = run.state.module.parameters()
                nn.utils.clip_grad_norm_(parameters, run.options.clip)
            run.state.optimiser.step()
        self.w.index_copy_(0, batch.bags, updated.flatten(0, 1))
        self.p.index_copy_(0, batch.bags, out.p.detach().flatten(0, 1))
        return values

    def _values(self, names: list[str], each: Tensor) -> list[dict[str, float]]:
        lines = each.detach().T.tolist()
        return [dict(zip(names, line, strict=True)) for line in lines]


def _without_padding(out: Output, n_runs: int) -> Output:
    """Drop the last bag of each run, and give bags an axis of runs: (S, B, ...)."""
    log_p, p, z = (
        v.view(n_runs, -1, v.shape[1])[:, :-1] for v in (out.log_p, out.p, out.z)
    )
    return Output(log_p, p, out.a, out.scores, z, out.h)


@contextmanager
def _told(number: int) -> Iterator[None]:
    """Say which run an error comes from."""
    try:
        yield
    except MiplError as error:
        raise MiplError(f"run {number}: {error}") from error
