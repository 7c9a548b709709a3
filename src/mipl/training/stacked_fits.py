"""Several fits of one small network, trained together on stacked parameters.

A step of a small network is mostly the overhead of its operations. Here a step takes
one batch of each of S runs, so that S runs pay that overhead once; each run keeps its
own order, masks, learning rate and figures, and ends where it would end alone, up to
rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.nn.stacked import (
    drawing_layers,
    separate,
    set_stacked_keys,
    share_memory,
    stack_networks,
)
from mipl.training.descent import descent
from mipl.training.distributed import ALONE
from mipl.training.loop import TrainableMethod, train
from mipl.training.stacked_batches import StackedBatch, StackedSource

if TYPE_CHECKING:
    from mipl.nn.network import Output
    from mipl.training.network_fit import NetworkFit
    from mipl.training.state import Clock


class StackedFits:
    """Fits whose parameters, label weights and instances lie in common tensors.

    A fit that asks to stop, or whose loss is no longer finite, is set aside as it is.
    Once half of a stack is set aside, the others make one of their own.

    Parameters
    ----------
    fits : mapping
        By number; they train equally many bags each.
    joint_method : function
        Gives the method that stands for those of these numbers: its loss terms and
        label weights have a first axis of runs.
    """

    team = ALONE

    def __init__(
        self,
        fits: Mapping[int, NetworkFit],
        joint_method: Callable[[Sequence[int]], TrainableMethod],
    ) -> None:
        self.all, self.joint_method = fits, joint_method
        self.diverged: dict[int, Diverged] = {}
        self._stack(fits)

    def _stack(self, fits: Mapping[int, NetworkFit]) -> None:
        """Move these fits into common tensors."""
        self.fits, self.going = dict(fits), dict(fits)
        self.method = self.joint_method(list(fits))
        states = [fit.state for fit in fits.values()]
        sources = [fit.source for fit in fits.values()]
        self.options = [fit.options for fit in fits.values()]
        self.module = stack_networks([state.module for state in states])
        self.layers = drawing_layers(self.module)
        scaled = [
            state.module.scaling(source.x)
            for state, source in zip(states, sources, strict=True)
        ]
        self.source = StackedSource(sources, scaled)
        self.optimiser = descent(self.module.parameters(), self.options)
        for i, state in enumerate(states):
            share_memory(state.module, self.module, i)
        self.w = torch.stack([state.w for state in states])  # (S, m, k)
        self.p = torch.stack([state.p for state in states])  # (S, m, k)
        self.own = {
            name: torch.stack([state.own[name] for state in states])  # (S, ...)
            for name in states[0].own
        }
        for i, state in enumerate(states):
            state.w, state.p = self.w[i], self.p[i]
            state.own = {name: values[i] for name, values in self.own.items()}

    def _close_ranks(self) -> None:
        """Make a smaller stack of the fits that are still going."""
        lines = [i for i, number in enumerate(self.fits) if number in self.going]
        kept = {n: values[lines] for n, values in self.optimiser.buffers().items()}
        self._stack(self.going)
        self.optimiser.put_back(kept)

    def run(self) -> dict[int, Diverged]:
        """Train to the end; return the errors of the fits that diverged, by number."""
        train(self)
        for number in list(self.going):
            self._set_aside(number)
        for number, fit in self.all.items():
            if number in self.diverged:
                fit.fall_back()
            else:
                fit.finish()
        return self.diverged

    # -- what the loop asks ----------------------------------------------------------

    def done(self) -> bool:
        """Tell whether no epoch of any fit is left."""
        return all(fit.done() for fit in self.going.values())

    def begin_epoch(self) -> Clock:
        """Go on with the next epoch."""
        if 2 * len(self.going) <= len(self.fits):
            self._close_ranks()
        epochs = self.options[0].epochs
        epoch = 1 + max(fit.state.epoch for fit in self.going.values())
        self.optimiser.start_epoch(epoch)
        self.module.train()
        clock = self.method._clock(epoch, epochs)
        return replace(clock, own=self.own, mean_p=self._mean_p())

    def _mean_p(self) -> Tensor | None:
        """Return the mean probabilities of each run in the last epoch, (S, 1, k)."""
        means = [fit.state.mean_p for fit in self.fits.values()]
        if all(mean is None for mean in means):
            return None
        # A run that diverged in its first epoch has none, and needs none.
        even = torch.full_like(self.p[0, 0], 1 / self.p.shape[2])
        return torch.stack([even if mean is None else mean for mean in means])[:, None]

    def deal(self, clock: Clock) -> Iterator[StackedBatch]:
        """Give the batches of an epoch, each run's in its own order."""
        fits = self.fits.values()
        batches = self.source.deal(
            [fit.drawn(clock.epoch) for fit in fits],
            [fit.order(clock.epoch) for fit in fits],
            self.options[0].batch_size,
        )
        keys = zip(*(fit.keys(clock.epoch) for fit in fits), strict=True)
        for batch, of_step in zip(batches, keys, strict=False):
            set_stacked_keys(self.layers, of_step, batch.rows)
            yield batch

    def look(self, batch: StackedBatch, clock: Clock) -> Output:
        """Return what the networks say, with an axis of runs: (S, B, ...)."""
        out: Output = self.module(batch.x, batch.segments, clock.tau)
        return out.joined(
            {
                # The last bag of each run is padding.
                name: values.view(len(self.fits), -1, values.shape[1])[:, :-1]
                for name, values in out.per_bag().items()
            }
        )

    def weights(self, batch: StackedBatch) -> Tensor:
        """Return the label weights of the bags."""
        w = self.w.flatten(0, 1).index_select(0, batch.bags)
        return w.view(batch.candidates.shape)  # (S, B, k)

    def count(
        self,
        names: Sequence[str],
        values: Sequence[Sequence[float]],
        batch: StackedBatch,
        clock: Clock,
    ) -> None:
        """Let each fit add its loss terms; set those aside that are not finite."""
        for number, own in zip(self.fits, values, strict=True):
            if number in self.going:
                try:
                    self.fits[number].count(names, own, batch, clock)
                except Diverged as error:
                    self._set_aside(number, error)

    def keep(self, batch: StackedBatch, w: Tensor, out: Output) -> None:
        """Keep label weights and probabilities."""
        for whole, new in ((self.w, w), (self.p, out.p.detach())):
            whole.flatten(0, 1).index_copy_(0, batch.bags, new.flatten(0, 1))

    def end_step(self) -> None:
        """Count the step in each fit."""
        for fit in self.going.values():
            fit.end_step()

    def end_epoch(self, clock: Clock) -> None:
        """Let each fit write down its figures and hear whether to stop."""
        for number, fit in list(self.going.items()):
            try:
                fit.end_epoch(clock)
            except Diverged as error:
                self._set_aside(number, error)
            else:
                if fit.stopped:
                    self._set_aside(number)

    def _set_aside(self, number: int, error: Diverged | None = None) -> None:
        """Let a fit stay as it is: its tensors become its own again."""
        state = self.going.pop(number).state
        separate(state.module)
        state.w, state.p = state.w.clone(), state.p.clone()
        state.own = {name: values.clone() for name, values in state.own.items()}
        if error is not None:
            self.diverged[number] = error
