"""What all studies share: a plan is computed into a store, and its cells are told.

    mipl runs import results/runs.csv       # what is committed is not computed again
    python -m tools.multi_instance classical --data musk1 --workers 2
    mipl runs export results/runs.csv       # to commit what was added

A study is a list of runs. ``--data``, ``--method``, ``--r``, ``--splits``, ``--seeds``
and ``--epochs`` take a part of it, and ``--known`` computes nothing.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from mipl.errors import MiplError
from mipl.runs.computing import MoreFigures
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.runner import Progress, run_plan
from mipl.runs.store import Store

RESULTS = Path(__file__).parents[1] / "results"

Plan = Callable[[], list[Run]]


def study(
    about: str | None, plans: Mapping[str, Plan], more: MoreFigures | None = None
) -> tuple[str, list[Result]]:
    """Compute the plan that the command line names; return it and what is known."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study", choices=list(plans))
    parser.add_argument("--data", nargs="+", help="only these data sets")
    parser.add_argument("--method", nargs="+", help="only these methods")
    parser.add_argument("--r", nargs="+", type=int, help="only these numbers")
    parser.add_argument("--splits", nargs="+", type=int, help="only these splits")
    parser.add_argument("--seeds", nargs="+", type=int, help="only these seeds")
    parser.add_argument("--epochs", type=int, help="fewer, told in the arguments")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--store", type=Path, default=Path("results.db"))
    parser.add_argument("--known", action="store_true", help="compute nothing")
    given = parser.parse_args()
    try:
        return given.study, _known(given, plans[given.study](), more)
    except MiplError as error:
        parser.error(str(error))


def _known(
    given: argparse.Namespace, whole: list[Run], more: MoreFigures | None
) -> list[Result]:
    """Compute what was asked for, print its cells, and return what is known of it."""
    plan = part(
        whole,
        data=given.data,
        method=given.method,
        r=given.r,
        split=given.splits,
        seed=given.seeds,
    )
    if not plan:
        raise MiplError(
            f"nothing of {given.study} is chosen by --data, --method, --r, --splits "
            "and --seeds; leave one of them out."
        )
    if given.epochs is not None:
        cut = {"training__epochs": given.epochs}
        plan = [replace(run, arguments={**run.arguments, **cut}) for run in plan]
    store = Store(given.store, create=True)
    if not given.known:
        run_plan(plan, store, given.workers, watch=_tell, more=more)
    found = list(store.answers(plan).values())
    print(*cells(found), f"{len(found)} of {len(plan)} runs are known.", sep="\n")
    return found


def part(plan: Iterable[Run], **chosen: Sequence[Any] | None) -> list[Run]:
    """Return the runs whose attributes are among those chosen, where any are.

    Examples
    --------
    >>> runs = [Run("abmil", "fox", split=split) for split in range(4)]
    >>> [run.split for run in part(runs, split=[1, 3], data=None)]
    [1, 3]
    """
    return [
        run
        for run in plan
        if all(
            some is None or getattr(run, name) in some for name, some in chosen.items()
        )
    ]


def in_folds(n_folds: int, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Return the options of data in folds; the seed shuffles them.

    Examples
    --------
    >>> in_folds(10), in_folds(5, 1, q=0.3)
    ({'folds': 10}, {'folds': 5, 'seed': 1, 'q': 0.3})
    """
    return {"folds": n_folds, **({"seed": seed} if seed else {}), **options}


def cells(results: Iterable[Result]) -> list[str]:
    """Return mean, std (ddof 0) and figures of runs that differ by split and seed."""
    found: dict[tuple[Any, ...], list[Result]] = defaultdict(list)
    for one in results:
        run = one.run
        drawn = {name: v for name, v in run.options.items() if name != "seed"}
        found[run.data, run.r, run.method, str(run.arguments), str(drawn)].append(one)
    return [_line(cell, same) for cell, same in found.items()]


def _line(cell: tuple[Any, ...], same: list[Result]) -> str:
    accuracies = [one.accuracy for one in same if one.accuracy is not None]
    mean, std = fmean(accuracies), pstdev(accuracies)
    seconds = fmean(one.seconds for one in same)
    told = f"{mean:.3f} +- {std:.3f}  ({len(same):2d} runs, {seconds:.1f} s each)"
    return "  ".join([told, *map(str, cell)])


def _tell(progress: Progress) -> None:
    done, last = f"{progress.done}/{progress.total}", progress.last
    if progress.waiting:
        print(done, progress.waiting, flush=True)
    elif last is None:
        print(done, *progress.absent, sep="\n", flush=True)
    else:
        end = last.message if last.accuracy is None else f"{last.accuracy:.4f}"
        print(f"{done}  {last.run}: {end}", flush=True)
