"""The bars of a fit, in scikit-learn's callback form, of a search and of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from mipl.cli.output import console
from mipl.plain_text import plain

if TYPE_CHECKING:
    from mipl.runs.result import Result
    from mipl.runs.runner import Progress as PlanProgress
    from mipl.selection import Tuned
    from mipl.selection.tuning import Watch

_SHOWN = {
    "loss": "loss",
    "bound": "bound",
    "change": "change",
    "margin_mean": "margin",
    "resolved": "resolved",
    "residual": "residual",
}


def bar(steady: bool = True) -> Progress:
    """Return a bar on stderr that counts, with elapsed and remaining time.

    The remaining time is left out where steps do not come steadily.
    """
    remaining = (TextColumn("left"), TimeRemainingColumn()) if steady else ()
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        *remaining,
        TextColumn("{task.fields[figures]}", markup=False),
        console=console(stderr=True),
    )


@contextmanager
def _stopped(progress: Progress) -> Iterator[None]:
    """Stop a bar at the end, where it was ever started."""
    try:
        yield
    finally:
        if progress.live.is_started:
            progress.stop()


class EpochBar:
    """A callback that moves a bar with every epoch and shows its figures.

    Where an estimator has learners, it moves with the epochs of each. What follows on
    the epochs shows how often it has iterated.
    """

    max_propagation_depth = 1

    def __init__(self) -> None:
        self.progress = bar()
        self.task: TaskID | None = None
        self.done: dict[int, float] = {}  # Shares of the tasks, by their numbers.

    def __reduce__(self) -> tuple[type[EpochBar], tuple[()]]:
        """A copy in another process draws nothing."""
        return EpochBar, ()

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin to draw."""
        self.progress.start()

    def teardown(self, estimator: Any, context: Any) -> None:
        """End drawing, also where the fit failed."""
        self.progress.stop()

    def on_fit_task_begin(self, estimator: Any, context: Any, **_: Any) -> None:
        """Learn from the root task how many epochs there are."""
        if context.parent is None:
            total = context.max_subtasks
            what = context.task_name
            self.task = self.progress.add_task(what, total=total, figures="")

    def on_fit_task_end(
        self,
        estimator: Any,
        context: Any,
        *,
        metadata: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> bool:
        """Move on to the epoch or learner that ended; never asks to stop."""
        if self.task is None or context.parent is None:
            return False
        figures = (metadata or {}).get("figures", {})
        whole, share, shown = context, 1.0, told(figures)
        if context.parent.parent is not None:  # An epoch of a learner, say.
            whole, n = context.parent, context.task_id + 1
            n = int(figures.get(context.task_name, n))
            share = n / whole.max_subtasks if whole.max_subtasks else 0.0
            shown = f"{context.task_name} {n} {shown}"
        self.done[whole.task_id] = share
        what = whole.source_task_name or whole.task_name
        moved = {"description": what, **({"figures": shown} if shown else {})}
        # A resumed run begins later.
        completed = max(sum(self.done.values()), figures.get(what, 0.0))
        self.progress.update(self.task, completed=completed, **moved)
        return False


@contextmanager
def trial_bar() -> Iterator[Watch]:
    """Give what moves a bar with every trial and shows the best score so far."""
    progress = bar()
    task = progress.add_task("trial", total=None, figures="")

    def watch(tuned: Tuned, fold: int) -> None:
        progress.start()
        ranked = tuned.ranked()
        best = f"best {ranked[0].score:.3f} " if ranked else ""
        progress.update(
            task,
            completed=len(tuned.trials),
            total=tuned.wanted,
            figures=f"{best}fold {fold}" if fold else best,
        )

    with _stopped(progress):
        yield watch


@contextmanager
def count_bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Give a callback of how many are done, and of how many in all.

    The bar is shown from its first call on: not above an error in what comes before.
    """
    progress = bar()
    task = progress.add_task(what, total=None, figures="")

    def advance(done: int, total: int | None) -> None:
        progress.start()
        progress.update(task, completed=done, total=total)

    with _stopped(progress):
        yield advance


@contextmanager
def plan_bar() -> Iterator[Callable[[PlanProgress], None]]:
    """Give what moves a bar with every run of a plan and shows what came of it."""
    progress = bar(steady=False)  # Runs that were trained together end together.
    task = progress.add_task("run", total=None, figures="")
    begun, before = monotonic(), 0

    def watch(now: PlanProgress) -> None:
        nonlocal begun, before
        if not progress.live.is_started:
            progress.start()
            begun, before = monotonic(), now.done
        figures = "" if now.last is None else _ended(now.last)
        if now.done > before:
            each = (monotonic() - begun) / (now.done - before)
            figures = f"left {duration(each * (now.total - now.done))}  {figures}"
        if now.waiting:
            progress.console.print(f"waiting: {plain(now.waiting)}", soft_wrap=True)
        progress.update(
            task, completed=now.done, total=now.total, figures=plain(figures)
        )

    with _stopped(progress):
        yield watch


def _ended(result: Result) -> str:
    run = result.run
    what = result.state if result.accuracy is None else f"{result.accuracy:.3f}"
    return f"{run.method} {run.data} r={run.r} split {run.split}: {what}"


def duration(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> duration(42.4), duration(150), duration(9000)
    ('42 s', '2.5 min', '2.5 h')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def told(figures: Mapping[str, float]) -> str:
    """Return the figures of an epoch in a few words.

    Examples
    --------
    >>> told({"epoch": 3.0, "loss": 0.5, "margin_mean": 0.25, "resolved": 1.0})
    'loss 0.500 margin 0.250 resolved 1.000'
    """
    known = [(word, figures[name]) for name, word in _SHOWN.items() if name in figures]
    return " ".join(f"{word} {value:.3f}" for word, value in known)
