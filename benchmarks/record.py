"""Results that are saved as they come: one CSV row per finished run."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def load(path: Path) -> list[dict[str, str]]:
    """Read the rows measured so far."""
    if not path.exists():
        return []
    with path.open(newline="") as handle:
        return list(csv.DictReader(handle))


def append(path: Path, row: dict[str, Any]) -> None:
    """Add one row, with a header if the file is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as handle:
        writer = csv.DictWriter(handle, fieldnames=list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)


def arguments_text(arguments: dict[str, Any]) -> str:
    """Write arguments in one reproducible form."""
    return json.dumps(arguments, sort_keys=True)


def missing(
    jobs: Sequence[Any],
    key: Callable[[Any], tuple[str, ...]],
    columns: Sequence[str],
    path: Path,
) -> list[Any]:
    """Return the jobs whose key is not in the file yet."""
    done = {tuple(row[name] for name in columns) for row in load(path)}
    todo = [job for job in jobs if key(job) not in done]
    print(f"{len(jobs)} runs, {len(jobs) - len(todo)} already in {path}", flush=True)
    return todo


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
