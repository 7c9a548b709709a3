"""The runner: compute what a store does not know yet of a plan.

Several runners may share a plan and a store: each run is computed once. A runner that
is interrupted or killed loses only what it was computing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from time import sleep
from typing import TypeVar

from mipl.errors import MiplError
from mipl.methods.catalogue.registered import registered
from mipl.runs.backends import WorkerDied, WorkerPool, processes
from mipl.runs.computing import MoreFigures, Outcome, compute
from mipl.runs.database import NotNow
from mipl.runs.groups import groups
from mipl.runs.leases import Leases
from mipl.runs.result import DIVERGED, FAILED, Result
from mipl.runs.run import Run
from mipl.runs.run_data import loaded
from mipl.runs.store import SETTLED, Store, check_kept

_PAUSE = 1.0  # Seconds between two looks at what other runners and programs do.

Answer = TypeVar("Answer")

Backend = AbstractContextManager[WorkerPool]


@dataclass
class Progress:
    """How far a runner is.

    Attributes
    ----------
    total : int
        Runs of the plan, each counted once.
    known, diverged : int
        Runs that were settled before, and how many of those had diverged.
    ended : counter of states
        Runs that this runner has computed.
    elsewhere : int
        Runs that other runners have computed meanwhile.
    last : Result or None
        What ended last here.
    absent : dict of str to int
        Why runs cannot be computed here, and how many: their data are not at hand.
    waiting : str
        Why the store cannot be used now; "" where it can.
    outdated : dict of str to int
        How many of the known runs of a registered method another text of it computed.
    """

    total: int
    known: int
    ended: Counter[str] = field(default_factory=Counter)
    elsewhere: int = 0
    last: Result | None = None
    absent: dict[str, int] = field(default_factory=dict)
    diverged: int = 0
    waiting: str = ""
    outdated: dict[str, int] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Runs of which nothing is left to do."""
        here = self.known + self.ended.total()
        return here + self.elsewhere + sum(self.absent.values())


Watch = Callable[[Progress], None]
Work = Callable[[Sequence[Run]], list[Outcome]]


@dataclass(frozen=True)
class Todo:
    """What is left of a plan: runs to compute, and why others cannot be.

    Of the ``known`` ones so many ``diverged``, and another text of their method has
    computed the ``outdated`` ones.
    """

    runs: list[Run]
    known: int
    absent: dict[str, int]
    diverged: int
    outdated: list[Run] = field(default_factory=list)


def left(
    plan: Sequence[Run], store: Store, settling: Collection[str] = SETTLED
) -> Todo:
    """Return the runs of a plan that are not settled, each once, in its order.

    The data are looked at: a result of other content settles nothing.
    """
    found, absent = [], Counter[str]()
    contents: dict[Hashable, tuple[str, int] | MiplError] = {}
    for run in dict.fromkeys(one.question for one in plan):
        check_kept(run)
        source = (run.data, run.options, run.r)
        if source not in contents:
            contents[source] = _content(run)
        known = contents[source]
        if isinstance(known, MiplError):
            absent[str(known)] += 1
        elif run.split is not None and run.split >= known[1]:
            absent[f"{run.data} has the splits 0 to {known[1] - 1} and no others."] += 1
        else:
            found.append(replace(run, content=known[0]))
    settled = store.answers(found, settling)
    runs = [run for run in found if run not in settled]
    diverged = sum(one.state == DIVERGED for one in settled.values())
    outdated = [run for run, one in settled.items() if _outdated(one)]
    return Todo(runs, len(settled), dict(absent), diverged, outdated)


def _outdated(result: Result) -> bool:
    """Tell whether a registered method has another text now, where both are known."""
    told = {row.id: row.code for row in registered()}.get(result.run.method, "")
    return bool(told and result.run.versions) and (
        result.run.versions.get(result.run.method) != told
    )


def _content(run: Run) -> tuple[str, int] | MiplError:
    """Return the content of a run's data and the number of their splits."""
    try:
        data = loaded(run)
        return data.content, data.n_splits
    except MiplError as error:
        return error


def run_plan(
    plan: Sequence[Run],
    store: Store,
    workers: int = 1,
    backend: Backend | None = None,
    watch: Watch | None = None,
    more: MoreFigures | None = None,
) -> Progress:
    """Compute the runs of a plan that the store does not hold, saving each as it ends.

    Parameters
    ----------
    plan : sequence of Run
    store : Store
    workers : int
        Processes, where no backend is given.
    backend : context manager, optional
        As ``backends.cluster(address)``.
    watch : function of a Progress, optional
        Called at the beginning and after each run.
    more : function of a fitted model, its training bags and its test bags, optional
        More figures that are kept of each run, by name; runs that the store holds keep
        those they have. Other processes must be able to import it.

    Returns
    -------
    Progress
        As it was at the end.

    Examples
    --------
    >>> import tempfile
    >>> few = {"training__epochs": 2}
    >>> plan = [Run("miplma", "digits-mipl", few, split=split) for split in range(2)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(f"{folder}/results.db", create=True)
    ...     dict(run_plan(plan, store).ended), run_plan(plan, store).known
    ({'finished': 2}, 2)
    """
    todo = left(plan, store)
    progress = Progress(
        len(todo.runs) + todo.known + sum(todo.absent.values()),
        todo.known,
        absent=todo.absent,
        diverged=todo.diverged,
        outdated=dict(Counter(run.method for run in todo.outdated)),
    )
    tell = watch or (lambda _: None)
    tell(progress)
    if todo.runs:
        with backend or processes(workers) as spread:
            work = compute if more is None else partial(compute, more=more)
            _Runner(store, spread, progress, tell, work).work_off(todo.runs)
    return progress


class _Runner:
    """One runner's way through a plan."""

    def __init__(
        self,
        store: Store,
        spread: WorkerPool,
        progress: Progress,
        tell: Watch,
        work: Work,
    ) -> None:
        self._store, self._leases, self._spread = store, Leases(store), spread
        self._progress, self._tell, self._work = progress, tell, work
        self._flying: dict[Run, Run] = {}  # By question: what workers have now.
        self._ended: set[Run] = set()  # Questions answered here, in whatever way.

    def work_off(self, runs: Sequence[Run]) -> None:
        """Compute until nothing is left, or only what others compute has to end."""
        with self._leases.kept():
            while remaining := self._remaining(runs):
                before = len(self._ended)
                self._compute(groups(remaining, self._spread.workers))
                if len(self._ended) == before:
                    self._tell(self._progress)
                    sleep(_PAUSE)

    def _remaining(self, runs: Sequence[Run]) -> list[Run]:
        settled = self._patiently(lambda: self._store.answers(runs, SETTLED))
        others = [run for run in settled if run.question not in self._ended]
        self._progress.elsewhere = len(others)
        return [
            run
            for run in runs
            if run not in settled and run.question not in self._ended
        ]

    def _compute(self, parts: Sequence[list[Run]]) -> None:
        try:
            with closing(self._spread(self._work, self._leased(parts))) as outcomes:
                for some in outcomes:
                    self._keep(some)
        except WorkerDied:
            for run in list(self._flying.values()):
                self._compute_alone(run)

    def _compute_alone(self, run: Run) -> None:
        """Find out whether it was this run that ended a worker."""
        try:
            with closing(self._spread(self._work, [[run]])) as outcomes:
                for some in outcomes:
                    self._keep(some)
        except WorkerDied as error:
            failed = Result(run, FAILED, None, 0.0, message=str(error))
            self._keep([Outcome(failed)])

    def _leased(self, parts: Sequence[list[Run]]) -> Iterator[list[Run]]:
        """Give the groups, without what other runners have or had meanwhile."""
        for part in parts:
            try:
                mine = self._leases.take(part)
            except NotNow:  # They are asked for again.
                return
            self._flying |= {run.question: run for run in mine}
            if mine:
                yield mine

    def _patiently(self, ask: Callable[[], Answer]) -> Answer:
        """Ask the store again and again: what was computed shall not be lost."""
        while True:
            try:
                answer = ask()
            except NotNow as error:
                self._progress.waiting = str(error)
                self._tell(self._progress)
                sleep(_PAUSE)
            else:
                self._progress.waiting = ""
                return answer

    def _keep(self, outcomes: Sequence[Outcome]) -> None:
        for one in outcomes:
            question = one.result.run.question
            # Not recorded where we were held up so long that somebody took over.
            kept = one.result, one.curves, one.predictions
            if self._patiently(partial(self._store.record, *kept)):
                self._ended.add(question)
                self._progress.ended[one.result.state] += 1
                self._progress.last = one.result
            del self._flying[question]
            self._tell(self._progress)
