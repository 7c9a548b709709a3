"""Results that are saved as they come: one CSV row per finished run.

Also what the commands that measure them share: which runs are missing, how they are
run, and what is told of those in a file.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from mipl.files import write_text

RESULTS = Path(__file__).parent / "results"
Job = dict[str, Any]


def load(path: Path) -> list[dict[str, str]]:
    """Read the rows measured so far."""
    if not path.exists():
        return []
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def append(path: Path, row: dict[str, Any]) -> None:
    """Add one row, with a header if the file is new.

    A column that the file lacks is added to it, empty in the rows before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    old = _heads(path)
    heads = list(dict.fromkeys([*old, *row]))
    if heads != old:
        text = io.StringIO()
        writer = csv.DictWriter(text, heads)
        writer.writeheader()
        writer.writerows(load(path))
        write_text(path, text.getvalue())
    with path.open("a", newline="") as handle:
        csv.DictWriter(handle, heads).writerow(row)


def _heads(path: Path) -> list[str]:
    if not path.exists():
        return []
    with path.open(newline="") as handle:
        return next(csv.reader(handle), [])


def arguments_text(arguments: dict[str, Any]) -> str:
    """Write arguments in one reproducible form."""
    return json.dumps(arguments, sort_keys=True)


def key_of(job: Job, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a job as its row has them."""
    values = (job[name] for name in columns)
    return tuple(arguments_text(v) if isinstance(v, dict) else str(v) for v in values)


def missing(
    jobs: Sequence[Any],
    columns: Sequence[str],
    path: Path,
    key: Callable[[Any], tuple[str, ...]] | None = None,
) -> list[Any]:
    """Return the jobs whose key is not in the file yet."""
    done = {tuple(row[name] for name in columns) for row in load(path)}
    key = key or partial(key_of, columns=columns)
    todo = [job for job in jobs if key(job) not in done]
    print(f"{len(jobs)} runs, {len(jobs) - len(todo)} already in {path}", flush=True)
    return todo


def batches(jobs: Sequence[Any], most: int) -> list[Any]:
    """Return jobs in groups of at most so many."""
    return [jobs[first : first + most] for first in range(0, len(jobs), most)]


def by_setting(jobs: Sequence[Job], columns: Sequence[str]) -> list[list[Job]]:
    """Put the folds of one setting together."""
    groups: dict[tuple[str, ...], list[Job]] = defaultdict(list)
    for job in jobs:
        groups[key_of(job, [name for name in columns if name != "fold"])].append(job)
    return list(groups.values())


def run_all(
    jobs: Sequence[Any], work: Callable[[Any], Any], path: Path, workers: int
) -> None:
    """Run jobs in processes, saving the row or the rows that each gives."""
    os.environ["OMP_NUM_THREADS"] = "1"
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as pool:
        for future in as_completed([pool.submit(work, job) for job in jobs]):
            found = future.result()
            for row in found if isinstance(found, list) else [found]:
                append(path, row)
                print(*row.values(), flush=True)


def parse_numbers(texts: Iterable[str]) -> list[int]:
    """Read ``0 3 5-9`` as a list of numbers."""
    numbers: list[int] = []
    for text in texts:
        first, _, last = text.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def study_command(
    about: str,
    studies: Mapping[str, Callable[[list[str]], list[Job]]],
    work: Callable[[list[Job]], list[Job]],
    columns: Sequence[str],
    path: Path,
    summary: Callable[[], None],
) -> None:
    """Run the study that the command line names, or tell of all that is in the file.

    ``work`` takes the folds of one setting.
    """
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("study", choices=[*studies, "summary"])
    parser.add_argument("--data", nargs="+", default=[])
    parser.add_argument("--method", nargs="+", default=[], help="only these")
    parser.add_argument("--epochs", type=int, help="fewer, told in the rows")
    parser.add_argument("--folds", nargs="+", default=[], help="only these: 0 3 5-9")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.study == "summary":
        summary()
        return
    jobs = studies[given.study](given.data)
    if given.method:
        jobs = [job for job in jobs if job["method"] in given.method]
    if given.folds:
        chosen = parse_numbers(given.folds)
        jobs = [job for job in jobs if job["fold"] in chosen]
    if given.epochs:
        cut = {"training__epochs": given.epochs}
        jobs = [{**job, "arguments": {**job["arguments"], **cut}} for job in jobs]
    if jobs:
        todo = by_setting(missing(jobs, columns, path), columns)
        run_all(todo, work, path, given.workers)


def print_cells(
    path: Path,
    cell: Callable[[dict[str, str]], tuple[str, ...]],
    beside: Callable[[tuple[str, ...], float], str] = lambda cell, accuracy: "",
) -> None:
    """Print mean, std (ddof 0) and number of runs of every cell measured."""
    cells: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in load(path):
        cells[cell(row)].append(row)
    for name, rows in sorted(cells.items()):
        accuracies = [float(row["accuracy"]) for row in rows]
        mean, std = fmean(accuracies), pstdev(accuracies)
        seconds = fmean(float(row["seconds"]) for row in rows)
        print(
            f"{mean:.3f} +- {std:.3f}  ({len(rows):2d} runs, {seconds:.1f} s each)  "
            f"{'  '.join(name)}{beside(name, mean)}"
        )
