"""Peak memory of work on files that are larger than it.

    python -m benchmarks.memory [--folder DIR] [--share 1.0]

Writes files of the native form to a temporary folder (of DIR), one at a time, does each
piece of work in a fresh process and keeps the peak of its resident memory in
results/memory.csv: one bag of 10^6 x 512 is predicted, bags of 10^5 x 512 and a file of
8 GB are trained on for an epoch. ``--share`` makes all files smaller, to try it out.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.read_mat import Watch, peak
from benchmarks.record import RESULTS, append
from mipl import (
    MIPLMA,
    Bags,
    Candidates,
    Dataset,
    Training,
    load_model,
    read_dataset,
    write_dataset,
)

FILE = RESULTS / "memory.csv"
FEATURES, CLASSES = 512, 5
PERIOD = 16_381  # Rows after which the random numbers repeat.


class Made:
    """Rows that are made when they are asked for, so that any file can be written."""

    def __init__(self, n_rows: int) -> None:
        rng = np.random.default_rng(0)
        self.shape = (n_rows, FEATURES)
        self.dtype = np.dtype(np.float32)
        self.numbers = rng.standard_normal((PERIOD, FEATURES), dtype=np.float32)

    def __getitem__(self, rows: slice) -> Any:
        return self.numbers[np.arange(*rows.indices(self.shape[0])) % PERIOD]

    def select(self, starts: Any, stops: Any) -> Made:
        """Refuse: writing takes runs only."""
        raise NotImplementedError


def build(bags: int, size: int) -> Dataset:
    rng = np.random.default_rng(bags)
    sets = rng.random((bags, CLASSES)) < 0.3
    sets[np.arange(bags), np.arange(bags) % CLASSES] = True
    rows = Bags(Made(bags * size), np.arange(bags + 1) * size)
    return Dataset(rows, Candidates(sets))


def small_model(folder: Path) -> None:
    """Fit on a few small bags of the same width, and save."""
    data = build(20, 50)
    model = MIPLMA(training=Training(epochs=1), random_state=0)
    model.fit(data.bags.load(), data.candidates).save(folder)


def predicting(name: str) -> Callable[[Path, Path], None]:
    def work(file: Path, model: Path) -> None:
        data, fitted = read_dataset(file), load_model(model)
        given = (data.candidates,) if name == "disambiguate" else ()
        getattr(fitted, name)(data.bags, *given)

    return work


def by_command(file: Path, model: Path) -> None:
    from mipl.cli.main import main as command  # noqa: PLC0415

    try:
        command(["predict", str(model), str(file), "--out", str(file.parent / "p.csv")])
    except SystemExit as end:
        if end.code:
            raise


def training(**settings: Any) -> Callable[[Path, Path], None]:
    def work(file: Path, model: Path) -> None:
        data = read_dataset(file)
        options = Training(epochs=1, **settings)
        MIPLMA(training=options).fit(data.bags, data.candidates)

    return work


@dataclass(frozen=True)
class Case:
    """A file and what is done with it; ``limit`` is the most memory allowed, in MiB."""

    bags: int
    size: int
    limit: int | None
    works: dict[str, Callable[[Path, Path], None]]


CASES = {
    "one bag of 10^6": Case(
        1,
        10**6,
        954,  # 1 GB.
        {
            name: predicting(name)
            for name in (
                "predict_proba",
                "predict",
                "attend",
                "transform",
                "predict_instances",
                "disambiguate",
            )
        }
        | {"mipl predict": by_command},
    ),
    "10 bags of 10^5": Case(
        10,
        10**5,
        None,
        {
            "fit, batch_instances=10^5": training(
                batch_size=None, batch_instances=10**5
            ),
            "fit, instances_per_bag=2000": training(instances_per_bag=2000),
            "fit, instances_per_bag=100": training(instances_per_bag=100),
        },
    ),
    "4000 bags of 1000": Case(
        4000,
        1000,
        1431,  # 1.5 GB.
        {"fit": training()},
    ),
}


def do(case: str, work: str, file: Path, model: Path) -> None:
    """Do one piece of work in this process and print what it took."""
    watch = Watch()
    imports, start = peak("self"), time.perf_counter()
    CASES[case].works[work](file, model)
    seconds = time.perf_counter() - start
    watch.stop.set()
    watch.join()
    found = {
        "seconds": round(seconds, 1),
        "peak_mib": round(peak("self")),
        "imports_mib": round(imports),
        "fenced_child_mib": round(watch.most),
    }
    print("\n" + json.dumps(found))


def measure(case: str, work: str, file: Path, model: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.memory", "--case", case]
    command += ["--work", work, "--file", str(file), "--model", str(model)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(folder: Path, share: float) -> None:
    model, file = folder / "model", folder / "data.bags.h5"
    small_model(model)
    for name, case in CASES.items():
        size = max(1, int(case.size * share))
        needed = case.bags * size * FEATURES * 4
        if shutil.disk_usage(folder).free < 1.2 * needed:
            print(f"{name}: no room for {needed / 1e9:.1f} GB in {folder}, left out")
            continue
        write_dataset(build(case.bags, size), file)
        for work in case.works:
            row = {
                "file": name,
                "file_mib": round(file.stat().st_size / 2**20),
                "work": work,
                **measure(name, work, file, model),
                "limit_mib": case.limit or "",
            }
            append(FILE, row)
            print(*row.values(), sep="  ", flush=True)
        file.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    for name in ("--case", "--work"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    for name in ("--file", "--model"):
        parser.add_argument(name, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        do(given.case, given.work, given.file, given.model)
        return
    FILE.unlink(missing_ok=True)
    with TemporaryDirectory(dir=given.folder) as folder:
        run(Path(folder), given.share)


if __name__ == "__main__":
    main()
