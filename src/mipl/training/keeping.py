"""Keeping a training in its checkpoint: when to save, and where to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING

from mipl import files
from mipl.errors import MiplError
from mipl.training.checkpoint import Checkpoint, Facts, read, resume, save
from mipl.training.interrupts import Interrupts

if TYPE_CHECKING:
    from mipl.training.distributed import Alone
    from mipl.training.state import TrainingState
    from mipl.training.stopping import EarlyStopping


class Keeper:
    """Saves a training every few epochs, and at a signal that asks to stop.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        Without one nothing is saved, and signals are obeyed at once.
    fingerprint : function
        Gives all that decides the bits of the training; a file of another is refused.
    state, stopping
        What is saved, and what a checkpoint that is there is put into.
    team : Alone
        The processes of the training; only the first one reads and writes.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        fingerprint: Callable[[], Facts],
        state: TrainingState,
        stopping: EarlyStopping | None,
        team: Alone,
    ) -> None:
        self.checkpoint = checkpoint
        # It reads all data: only where there is something to save or to compare.
        self.fingerprint = cache(fingerprint)
        team.check(state.module, self.fingerprint() if team.size > 1 else {})
        self.state, self.stopping, self.team = state, stopping, team
        self.interrupts = Interrupts()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Hold signals back, so that they come after a step that is saved."""
        with nullcontext() if self.checkpoint is None else self.interrupts.held_back():
            yield

    def resume(self) -> bool:
        """Go to where the checkpoint stands, if there is one; True if at the end."""
        if self.checkpoint is None:
            return False
        path, first = self.checkpoint.path, self.team.rank == 0
        if first:
            files.clear_temporaries(path)
        if not self.team.any(first and path.exists()):
            return False
        content = self.team.from_first(read(path) if first else b"")
        return resume(path, content, self.fingerprint(), self.state, self.stopping)

    def after_step(self) -> None:
        """Save and obey, if a signal has asked to stop."""
        if self.checkpoint is None or not self.team.any(self.interrupts.asked):
            return
        self._save(finished=False)
        if self.team.size > 1:
            raise KeyboardInterrupt  # Whichever process the signal has reached.
        self.interrupts.deliver()

    def after_epoch(self, stop: bool, last: bool) -> bool:
        """Save, if it is time; tell whether to stop, which one process may ask."""
        stop = self.team.any(stop)
        self._after(self.state.epoch, stop or last)
        return stop

    def after_iteration(self, n: int, last: bool) -> None:
        """Save, if it is time, what follows on the last epoch."""
        self._after(n, last)

    def _after(self, n: int, finished: bool) -> None:
        every = None if self.checkpoint is None else self.checkpoint.every
        if every is not None and (finished or n % every == 0):
            self._save(finished)

    def _save(self, finished: bool) -> None:
        failure: MiplError | None = None
        if self.checkpoint is not None and self.team.rank == 0:
            kept = (self.fingerprint(), self.state, self.stopping, finished)
            try:
                save(self.checkpoint.path, *kept)
            except MiplError as error:
                failure = error
        if self.team.any(failure is not None):
            raise failure or MiplError("the first process could not save the state.")
