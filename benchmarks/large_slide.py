"""Time and peak memory of a fit where one slide is far larger than the others.

    python -m benchmarks.large_slide [--folder DIR] [--share 1.0]

Writes a folder of 66 feature files in float16 as CLAM has them, one slide of
200,000 x 512 and the others of 1,500 to 4,500, with a table of candidates, and fits
MIPLMA by its defaults through the command line, each time in a fresh process: with all
instances, and with the number that ``instances_per_bag="auto"`` takes. ``--share``
makes the slides smaller, to try it out. Rows are kept in results/large_slide.csv.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import numpy as np

from benchmarks.read_mat import peak
from benchmarks.record import RESULTS, append

FILE = RESULTS / "large_slide.csv"
SLIDES, LARGEST, FEATURES, CLASSES = 66, 200_000, 512, 3
SHOWING = 20  # One instance in so many shows the class of its slide.
WAYS = {"all": (), "auto": ("--set", "training.instances_per_bag=auto")}


def write_slides(folder: Path, share: float) -> int:
    """Write the feature files and the label table; return how many instances."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(1_500, 4_501, SLIDES)  # (m,)
    sizes[0] = LARGEST
    sizes = np.maximum(1, (sizes * share).astype(int))
    centres = rng.standard_normal((CLASSES, FEATURES))
    features = folder / "h5_files"
    features.mkdir()
    lines = ["slide_id,case_id,candidates"]
    for i, size in enumerate(sizes):
        truth = i % CLASSES
        rows = rng.standard_normal((size, FEATURES), dtype=np.float32)
        rows[::SHOWING] += centres[truth]
        with h5py.File(features / f"slide_{i:02}.h5", "w") as file:
            file["features"] = rows.astype(np.float16)
            file["coords"] = np.stack(np.divmod(np.arange(size), 500), 1) * 256
        other = (truth + rng.integers(1, CLASSES)) % CLASSES
        lines.append(f"slide_{i:02},case_{i:02},c{truth}|c{other}")
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    return int(sizes.sum())


def do(words: list[str]) -> None:
    """Give one command in this process and print what it took."""
    from mipl.cli.main import main as command  # noqa: PLC0415

    start = time.perf_counter()
    with contextlib.suppress(SystemExit):  # Without its answer the caller stops.
        command([*words, "--json"])
    seconds = time.perf_counter() - start
    found = {
        "seconds": round(seconds, 1),
        "processor_s": round(time.process_time(), 1),
        "peak_mib": round(peak("self")),
    }
    print("\n" + json.dumps(found))


def measure(*words: str) -> dict[str, Any]:
    """Give a command in a fresh process; return what it answered and took."""
    call = [sys.executable, "-m", "benchmarks.large_slide", "--do", *words]
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True)
    answer, taken = done.stdout.rstrip().rsplit("\n", 1)
    return json.loads(answer) | json.loads(taken)


def run(folder: Path, share: float) -> None:
    instances = write_slides(folder, share)
    labels = str(folder / "labels.csv")
    for way, given in WAYS.items():
        out = str(folder / way)
        source = ("--set", f"options.labels={labels}", *given)
        found = measure("fit", str(folder / "h5_files"), "--out", out, *source)
        row = {
            "slides": SLIDES,
            "instances": instances,
            "instances_per_bag": way,
            "taken": found["instances_per_bag"] or "",
            **{name: found[name] for name in ("seconds", "processor_s", "peak_mib")},
        }
        append(FILE, row)
        print(*row.values(), sep="  ", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--do", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.do:
        do(given.do)
        return
    FILE.unlink(missing_ok=True)
    with TemporaryDirectory(dir=given.folder) as folder:
        run(Path(folder), given.share)


if __name__ == "__main__":
    main()
