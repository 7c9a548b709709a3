"""How long runs will take, by what like runs have taken."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import fmean

from mipl.experiments.plan import Run
from mipl.experiments.store import Store


@dataclass(frozen=True)
class Estimate:
    """Expected time of some runs.

    Attributes
    ----------
    seconds : float
        In one process, of the runs that can be estimated.
    unknown : int
        Runs of which no like one was ever computed.
    """

    seconds: float
    unknown: int


def estimate(runs: Iterable[Run], store: Store) -> Estimate:
    """Estimate runs by the mean seconds of the likest that the store holds.

    Those are runs that differ only in split, seed and r; failing that, runs of the
    same method on the same data.

    Examples
    --------
    >>> import tempfile
    >>> from mipl.experiments.results import Result
    >>> runs = [Run("miplma", "digits-mipl", split=split) for split in range(10)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     _ = store.record(Result(runs[0], "finished", 0.9, 20.0))
    ...     estimate([*runs[1:], Run("demipl", "digits-mipl")], store)
    Estimate(seconds=180.0, unknown=1)
    """
    seen: dict[Hashable, list[float]] = defaultdict(list)
    for result in store.results():
        for like in _likeness(result.run):
            seen[like].append(result.seconds)
    total, unknown = 0.0, 0
    for run in runs:
        like = next((like for like in _likeness(run) if like in seen), None)
        total += fmean(seen[like]) if like is not None else 0.0
        unknown += like is None
    return Estimate(total, unknown)


def _likeness(run: Run) -> tuple[Hashable, ...]:
    """Return what like runs share, the closest likeness first."""
    near = (run.method, run.arguments, run.data, run.options)
    return near, (run.method, run.data)
