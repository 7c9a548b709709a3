"""The training loop: epochs of steps over batches of bags.

It stands here once, for a fit on its own and for several whose networks are stacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import torch
from torch import Tensor

if TYPE_CHECKING:
    from mipl.training.distributed import Alone
    from mipl.training.state import Clock, Optimiser, TrainingState

B = TypeVar("B")  # What is dealt in a step.


class TrainableMethod(Protocol):
    """What the loop asks of a method."""

    def _clock(self, epoch: int, epochs: int) -> Clock: ...

    def _loss(
        self, out: Any, batch: Any, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]: ...

    def _update(self, out: Any, batch: Any, w: Tensor, clock: Clock) -> Tensor: ...

    def _updates_first(self) -> bool: ...

    def _updates_late(self) -> bool: ...

    def _end_epoch(self, state: TrainingState, clock: Clock) -> None: ...


class Fit(Protocol[B]):
    """What the loop asks of a fit under way, or of several stacked ones.

    Those have a first axis of runs, S, wherever a single fit has none.
    """

    @property
    def method(self) -> TrainableMethod:
        """What has the loss and the update of the label weights."""
        ...

    @property
    def optimiser(self) -> Optimiser:
        """What takes the steps."""
        ...

    @property
    def team(self) -> Alone:
        """The processes that share the training."""
        ...

    def done(self) -> bool:
        """Tell whether no epoch is left."""
        ...

    def begin_epoch(self) -> Clock:
        """Make ready for the steps of an epoch that are left."""
        ...

    def deal(self, clock: Clock) -> Iterator[B]:
        """Give the batches of these steps, and the keys of what they draw."""
        ...

    def look(self, batch: B, clock: Clock) -> Any:
        """Return what the network says of a batch."""
        ...

    def weights(self, batch: B) -> Tensor:
        """Return the label weights of its bags, (B, k) or (S, B, k)."""
        ...

    def count(self, names: Sequence[str], values: Any, batch: B, clock: Clock) -> None:
        """Write down loss terms, as a list or one list per run.

        Where they are no longer finite, a single fit raises ``Diverged``.
        """
        ...

    def keep(self, batch: B, w: Tensor, out: Any) -> None:
        """Keep the label weights and probabilities of the bags."""
        ...

    def end_step(self) -> None:
        """Count a step whose all is kept."""
        ...

    def end_epoch(self, clock: Clock) -> None:
        """Write down the figures of an epoch, and hear whether to stop."""
        ...


def train(fit: Fit[B]) -> None:
    """Run the epochs that are left."""
    while not fit.done():
        train_epoch(fit)


def train_epoch(fit: Fit[B]) -> None:
    """Take the steps that are left of an epoch."""
    clock = fit.begin_epoch()
    for batch in fit.deal(clock):
        take_step(fit, batch, clock)
    fit.optimiser.end_epoch(clock.epoch)
    fit.end_epoch(clock)


def take_step(fit: Fit[B], batch: B, clock: Clock) -> None:
    """Take one step on one batch: forward, label weights, loss, backward.

    Late label weights come from a second look at the batch, once the step is taken.
    """
    method, optimiser = fit.method, fit.optimiser
    late = method._updates_late()
    out = fit.look(batch, clock)
    w = fit.weights(batch)
    updated = w if late else method._update(out, batch, w, clock)
    terms = method._loss(out, batch, updated if method._updates_first() else w, clock)
    each = torch.stack(list(terms.values()), dim=-1)  # (terms,) or (S, terms)
    # The only time that a step waits for the device.
    fit.count(list(terms), each.tolist(), batch, clock)
    optimiser.descend(fit.team.gradients(each.sum(), optimiser.parameters))
    if late:
        with torch.no_grad():
            updated = method._update(fit.look(batch, clock), batch, w, clock)
    fit.keep(batch, updated, out)
    fit.end_step()
