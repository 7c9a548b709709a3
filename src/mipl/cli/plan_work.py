"""What commands that compute a plan have in common."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mipl.cli.output import FOUND_ERRORS, WRONG_INPUT, pairs, show, warn
from mipl.cli.plan_options import Backend
from mipl.errors import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.runs.backends import WorkerPool
    from mipl.runs.run import Run
    from mipl.runs.runner import Progress
    from mipl.runs.store import Store


def expected(
    plan: Sequence[Run], store: Path, workers: int, retry_diverged: bool
) -> dict[str, Any]:
    """Return how many runs a plan has, how many are known, and the time of the rest."""
    from tempfile import TemporaryDirectory

    from mipl.runs.estimate import estimate
    from mipl.runs.result import FINISHED
    from mipl.runs.runner import left
    from mipl.runs.store import SETTLED, Store

    with TemporaryDirectory() as folder:  # A look leaves no new file behind.
        nothing = Path(folder) / store.name
        kept = Store(store) if store.exists() else Store(nothing, create=True)
        todo = left(plan, kept, (FINISHED,) if retry_diverged else SETTLED)
        time = estimate(todo.runs, kept)
    return {
        "runs": len(todo.runs) + todo.known + sum(todo.absent.values()),
        "known": todo.known,
        "diverged": todo.diverged,
        "to_compute": len(todo.runs),
        "seconds": time.seconds / workers,
        "without_estimate": time.unknown,
        "rough_estimate": time.rough,
        "absent": todo.absent,
    }


def show_expected(told: dict[str, Any], workers: int) -> None:
    """Print what ``expected`` has found."""
    from mipl.cli.progress import duration

    time = f"about {duration(told['seconds'])} with {counted(workers, 'worker')}"
    if told["rough_estimate"]:
        time += f" ({told['rough_estimate']} runs judged by other data only)"
    if told["without_estimate"]:
        other = counted(told["without_estimate"], "run")
        time += f", and {other} unlike any in the store"
        if told["without_estimate"] == told["to_compute"]:
            time = "how long cannot be told, the store has none like them"
    rows = {
        "runs": f"{told['runs']}, {told['known']} of them known{_diverged(told)}",
        "to compute": f"{counted(told['to_compute'], 'run')}: {time}",
    }
    show(pairs(rows))
    tell_absent(told["absent"])


def _diverged(told: dict[str, Any]) -> str:
    return f", {told['diverged']} diverged" if told["diverged"] else ""


def work_off(
    context: typer.Context,
    plan: Sequence[Run],
    store: Store,
    workers: int,
    backend: AbstractContextManager[WorkerPool] | None,
    retry_diverged: bool,
    retry_outdated: bool,
) -> Progress:
    """Compute a plan with a bar; told how to go on where it is interrupted."""
    from mipl.cli.progress import plan_bar
    from mipl.cli.resuming import stoppable
    from mipl.runs.result import FINISHED
    from mipl.runs.runner import left, run_plan

    if retry_diverged:  # But for those whose data are not at hand.
        store.forget_diverged(left(plan, store, (FINISHED,)).runs)
    if retry_outdated:
        store.forget(left(plan, store).outdated)
    with stoppable(context, store.path, ""), plan_bar() as watch:
        return run_plan(plan, store, workers, backend, watch)


def chosen_backend(
    backend: Backend, address: str | None
) -> AbstractContextManager[WorkerPool] | None:
    """Return the cluster, or None for processes of this machine."""
    from mipl.errors import MiplError
    from mipl.runs.backends import cluster

    if (backend is Backend.dask) != (address is not None):
        raise MiplError("--backend dask and --address go together; give both.")
    return None if address is None else cluster(address)


def as_told(progress: Progress, store: Path) -> dict[str, Any]:
    """Return what a runner has done, as plain values."""
    return {
        "store": str(store),
        "runs": progress.total,
        "known": progress.known,
        "diverged": progress.diverged,
        "ended": dict(progress.ended),
        "elsewhere": progress.elsewhere,
        "absent": progress.absent,
        "outdated": progress.outdated,
    }


def show_done(told: dict[str, Any]) -> None:
    """Print what a runner has done."""
    ended = ", ".join(f"{count} {state}" for state, count in told["ended"].items())
    before = f"{told['known']} of them known before{_diverged(told)}"
    rows = {"runs": f"{told['runs']}, {before}"}
    if ended:
        rows["computed"] = ended
    if told["elsewhere"]:
        rows["elsewhere"] = f"{told['elsewhere']} computed by other runners"
    show(pairs(rows))


def finish(told: dict[str, Any]) -> None:
    """Tell what went wrong, by sentences and by the exit code."""
    for method, count in told["outdated"].items():
        warn(
            f"{counted(count, 'known run')} of {method} came from another text of it "
            "than it has now; --retry-outdated computes them again."
        )
    failed = told["ended"].get("failed", 0)
    if failed:
        warn(
            f"{counted(failed, 'run')} failed; mipl runs ls --state failed --store "
            f"{told['store']} tells why, and the same command tries them again."
        )
    tell_absent(told["absent"])
    if failed or told["absent"]:
        raise typer.Exit(WRONG_INPUT if told["absent"] else FOUND_ERRORS)


def tell_absent(absent: dict[str, int]) -> None:
    """Print why runs cannot be computed here."""
    for sentence, count in absent.items():
        warn(f"{counted(count, 'run')} cannot be computed: {sentence}")
