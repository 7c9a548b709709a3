"""A fit on its own: what it counts, when it stops, and where it stays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from mipl.errors import Diverged
from mipl.training.loop import TrainableMethod, train

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.training.distributed import Alone
    from mipl.training.keeping import Keeper
    from mipl.training.options import Training
    from mipl.training.progress import EpochReports
    from mipl.training.state import Clock, Optimiser, TrainingState
    from mipl.training.stopping import EarlyStopping, Validation


class FittedMethod(TrainableMethod, Protocol):
    """What a fit asks of its method between epochs."""

    def _proba(self, bags: Bags) -> Any: ...

    def _forget(self) -> None: ...


@dataclass(eq=False, kw_only=True)
class SingleFit:
    """The training of one estimator: what moves is in ``state``.

    A leaf deals batches and looks at them, keeps their label weights, and knows what
    the estimator is to remember.
    """

    method: FittedMethod
    state: TrainingState
    options: Training
    keeper: Keeper
    stopping: EarlyStopping | None = None
    validation: Validation | None = None
    reports: EpochReports | None = None
    stopped: bool = False

    # -- hooks -----------------------------------------------------------------------

    def deal(self, clock: Clock) -> Iterator[Any]:
        """Give the batches of the steps that are left of an epoch."""
        raise NotImplementedError

    def look(self, batch: Any, clock: Clock) -> Any:
        """Return what is known of a batch before, or after, its step."""
        raise NotImplementedError

    def weights(self, batch: Any) -> Tensor:
        """Return the label weights of a batch."""
        raise NotImplementedError

    def keep(self, batch: Any, w: Tensor, out: Any) -> None:
        """Keep the new label weights of a batch."""
        raise NotImplementedError

    def n_bags(self) -> int:
        """Return what the lengths of an epoch's batches add up to."""
        raise NotImplementedError

    def write_down(self, terms: dict[str, float], clock: Clock) -> None:
        """Append the figures of an epoch, which had these mean loss terms."""
        raise NotImplementedError

    def check(self, clock: Clock) -> None:
        """Refuse what the last step of an epoch broke: no later loss would show it."""
        for name, parameter in self.state.module.named_parameters():
            if not bool(torch.isfinite(parameter).all()):
                raise Diverged(
                    f"the parameter '{name}' is not finite after epoch {clock.epoch}; "
                    "lower training__lr or scale the features."
                )

    def remember(self) -> None:
        """Give the estimator what predictions need, as of the last epoch."""
        raise NotImplementedError

    def conclude(self) -> None:
        """Do what is to be done once, when no epoch is left."""

    def settle(self) -> None:
        """Give the estimator what the training has ended with."""
        self.remember()

    # -- what the loop asks ----------------------------------------------------------

    @property
    def optimiser(self) -> Optimiser:
        """What takes the steps."""
        return self.state.optimiser

    @property
    def team(self) -> Alone:
        """The processes of the training."""
        return self.keeper.team

    def done(self) -> bool:
        """Tell whether no epoch is left."""
        return self.stopped or self.state.epoch >= self.options.epochs

    def begin_epoch(self) -> Clock:
        """Go on with the epoch that is not finished, or with the next."""
        state = self.state
        clock = self.method._clock(state.epoch + 1, self.options.epochs)
        state.optimiser.start_epoch(clock.epoch)
        state.module.train()
        return replace(clock, seen=state.seen, own=state.own, mean_p=state.mean_p)

    def count(
        self, names: Sequence[str], values: Sequence[float], batch: Sized, clock: Clock
    ) -> None:
        """Add the loss terms of a step, and their sum, to those of its epoch."""
        terms = dict(zip(names, values, strict=True)) | {"loss": sum(values)}
        for name, value in terms.items():
            if not math.isfinite(value):
                raise Diverged(
                    f"the loss term '{name}' became {value} in epoch {clock.epoch}, "
                    f"batch {self.state.step}; lower training__lr or scale the "
                    "features."
                )
        totals, n = self.state.totals, len(batch)
        for name, value in terms.items():
            totals[name] = totals.get(name, 0.0) + value * n

    def end_step(self) -> None:
        """Count the step, and obey a signal that has come."""
        self.state.step += 1
        self.keeper.after_step()

    def end_epoch(self, clock: Clock) -> None:
        """Write down the figures of an epoch, tell of it, and hear whether to stop."""
        state = self.state
        self.method._end_epoch(state, clock)
        self.check(clock)
        terms = {name: total / self.n_bags() for name, total in state.totals.items()}
        state.finish_epoch()
        self.write_down(terms, clock)
        self.remember()
        if self.validation is not None:
            state.history[-1] |= self.validation.figures(self.method._proba)
        last = self.done()
        stop = self.stopping is not None and self.stopping.after_epoch(
            state, self.method._proba
        )
        if self.reports is not None:
            now = dict(vars(self.method))
            stop = self.reports.epoch(state.history[-1], now) or stop
        self.stopped = self.keeper.after_epoch(stop, last)

    # -- from the first epoch to the last --------------------------------------------

    def run(self) -> None:
        """Train, from where a checkpoint stands; what fails leaves the last epoch."""
        try:
            with self.keeper.at_work():
                if not self.keeper.resume():
                    train(self)
                self.conclude()
        except (Diverged, KeyboardInterrupt):
            self.fall_back()
            raise
        self.finish()

    def fall_back(self) -> None:
        """Stay with the last finished epoch; without one, unfitted."""
        if self.state.last is None:
            return self.method._forget()
        self.state.last.restore(self.state)
        self.settle()

    def finish(self) -> None:
        """Settle, on the best epoch where there is early stopping."""
        if self.stopping is not None:
            self.stopping.restore(self.state)
        self.settle()
        if self.reports is not None:
            self.reports.finish()
