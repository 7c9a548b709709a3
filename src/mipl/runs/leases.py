"""Leases: which runner computes which run, so that several share one plan.

A lease is a row of the store. Its runner renews it while it works, and it ends when the
result is recorded; where the runner is killed the lease runs out and another runner
takes the run over. Its time is that of the machine since its start, which all processes
share and nobody sets.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from time import monotonic

from mipl.errors import MiplError
from mipl.runs import database
from mipl.runs.database import NotNow
from mipl.runs.run import Run
from mipl.runs.store import SETTLED, Store, asked

LASTS = 60.0  # Seconds without a sign of life after which a run is given away.
RENEWED = 10.0  # Seconds between two signs of life.


class Leases:
    """The runs that one runner has taken upon itself.

    Parameters
    ----------
    store : Store
    lasts : float
        Seconds.

    Examples
    --------
    >>> import tempfile
    >>> runs = [Run("miplma", "digits-mipl", split=split) for split in range(3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     one, other = Leases(store), Leases(store)
    ...     len(one.take(runs[:2])), other.take(runs) == runs[2:]
    (2, True)
    """

    def __init__(self, store: Store, lasts: float = LASTS) -> None:
        self._path, self._lasts = store.path, lasts
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"

    def take(self, runs: Sequence[Run]) -> list[Run]:
        """Return those runs that nobody has computed or is computing; now it is we."""
        now = monotonic()
        taken = []
        with database.writing(self._path) as file:
            # Of the future is what was taken before the machine was started again.
            file.execute(
                "DELETE FROM leases WHERE renewed < ? OR renewed > ?",
                (now - self._lasts, now + self._lasts),
            )
            for run in runs:
                if any(row["state"] in SETTLED for row in asked(file, run)):
                    continue
                # No row is added where somebody else's is.
                added = file.execute(
                    "INSERT OR IGNORE INTO leases VALUES (?, ?, ?)",
                    (run.question.key, self.owner, now),
                )
                if added.rowcount:
                    taken.append(run)
        return taken

    def renew(self) -> None:
        """Give a sign of life."""
        with database.writing(self._path) as file:
            file.execute(
                "UPDATE leases SET renewed = ? WHERE owner = ?",
                (monotonic(), self.owner),
            )

    def release(self) -> None:
        """Leave to others what was not computed."""
        with database.writing(self._path) as file:
            file.execute("DELETE FROM leases WHERE owner = ?", (self.owner,))

    @contextmanager
    def kept(self, every: float = RENEWED) -> Iterator[None]:
        """Renew in the background; release at the end."""
        over = threading.Event()
        beat = threading.Thread(target=self._beat, args=(over, every), daemon=True)
        beat.start()
        try:
            yield
        finally:
            over.set()
            beat.join()
            with suppress(NotNow):  # What is not given back runs out by itself.
                self.release()

    def _beat(self, over: threading.Event, every: float) -> None:
        while not over.wait(every):
            try:
                self.renew()
            except MiplError:
                # The store is busy or full; whoever records next will tell.
                continue
