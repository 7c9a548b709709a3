"""Keeping a training in its checkpoint: when to save, and where to go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from mipl import files
from mipl.training.checkpoint import Checkpoint, Facts, read, resume, save
from mipl.training.interrupts import Interrupts
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
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        fingerprint: Callable[[], Facts],
        state: TrainingState,
        stopping: EarlyStopping | None,
    ) -> None:
        self.checkpoint = checkpoint
        self.fingerprint = {} if checkpoint is None else fingerprint()
        self.state, self.stopping = state, stopping
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
        path = self.checkpoint.path
        files.clear_temporaries(path)
        if not path.exists():
            return False
        return resume(path, read(path), self.fingerprint, self.state, self.stopping)

    def after_step(self) -> None:
        """Save and obey, if a signal has asked to stop."""
        if self.interrupts.asked:
            self._save(finished=False)
            self.interrupts.deliver()

    def after_epoch(self, finished: bool) -> None:
        """Save, if it is time."""
        every = None if self.checkpoint is None else self.checkpoint.every
        if every is not None and (finished or self.state.epoch % every == 0):
            self._save(finished)

    def _save(self, finished: bool) -> None:
        if self.checkpoint is not None:
            path = self.checkpoint.path
            save(path, self.fingerprint, self.state, self.stopping, finished)
