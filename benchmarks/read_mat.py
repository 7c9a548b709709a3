"""Time and peak memory of reading the largest published size, from each file form.

    python -m benchmarks.read_mat [--bags 7000] [--instances 25] [--features 1000]

Writes the files to a temporary folder, reads each in a fresh process, and prints the
seconds, the peak memory of that process and of the fenced child beside it, and the size
of the file. ``.bags.h5`` is measured twice: reading the data set, which checks all of
the file and leaves the instances on disk, and loading the instances too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import numpy as np
from scipy.io import savemat

from mipl import Bags, Candidates, Dataset, read_dataset, write_dataset

CLASSES = 7


def build(m: int, n: int, d: int) -> Dataset:
    rng = np.random.default_rng(0)
    instances = rng.standard_normal((m * n, d), dtype=np.float32)
    instances.flags.writeable = False
    labels = np.arange(m) % CLASSES
    sets = np.zeros((m, CLASSES), bool)
    sets[np.arange(m), labels] = True
    sets[np.arange(m), rng.integers(0, CLASSES, m)] = True
    candidates = Candidates(sets)
    return Dataset(Bags(instances, np.arange(m + 1) * n), candidates, labels=labels)


def write_all(dataset: Dataset, folder: Path) -> dict[str, Path]:
    """Write the same bags in each form; the first is MATLAB's plain double."""
    cells = np.empty((len(dataset), 3), dtype=object)
    for i, (bag, chosen) in enumerate(
        zip(dataset.bags, dataset.candidates.matrix, strict=True)
    ):
        cells[i] = [
            bag.astype(np.float64),
            np.flatnonzero(chosen)[None] + 1.0,
            i % 7 + 1,
        ]
    files = {
        "mat v5, double, plain": folder / "double.mat",
        "mat v5, single, zlib": folder / "single.mat",
        "mat v7.3, single, zlib": folder / "single73.mat",
        "bags.h5, float32": folder / "single.bags.h5",
        "bags.h5, float16": folder / "half.bags.h5",
    }
    double, single, single73, native, half = files.values()
    savemat(double, {"data": cells})
    write_dataset(dataset, single)
    write_dataset(dataset, single73, version="7.3")
    write_dataset(dataset, native)
    write_dataset(dataset, half, dtype="float16")
    return files


def read_one(file: Path, load: bool) -> dict[str, float]:
    """Read in this process, while a thread watches the memory of the children."""
    watch = Watch()
    imports, cpu = peak("self"), time.process_time()
    start = time.perf_counter()
    dataset = read_dataset(file)
    if load:
        dataset.bags.load()
    seconds = time.perf_counter() - start
    watch.stop.set()
    watch.join()
    return {
        "seconds": seconds,
        "cpu": time.process_time() - cpu,
        "peak_mib": peak("self"),
        "imports_mib": imports,
        "child_mib": watch.most,
    }


def peak(process: str) -> float:
    """Return the largest resident memory that a process has had, in MiB."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) / 1024


def children(process: str) -> list[str]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return listed.read_text().split()


class Watch(Thread):
    """Keeps the largest memory of the processes that the server has forked."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stop = Event()
        self.most = 0.0
        self.start()

    def run(self) -> None:
        """Look every 20 ms."""
        while not self.stop.wait(0.02):
            # A process may end between two looks.
            with suppress(OSError, IndexError):
                for server in children(str(os.getpid())):
                    self.most = max([self.most, *map(peak, children(server))])


def measure(file: Path, load: bool) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.read_mat", "--read", str(file)]
    command += ["--load"] if load else []
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bags", type=int, default=7000)
    parser.add_argument("--instances", type=int, default=25)
    parser.add_argument("--features", type=int, default=1000)
    parser.add_argument("--read", type=Path)
    parser.add_argument("--load", action="store_true")
    given = parser.parse_args()
    if given.read:
        print(json.dumps(read_one(given.read, given.load)))
        return
    print(f"{given.bags} bags x {given.instances} x {given.features}")
    with TemporaryDirectory() as folder:
        dataset = build(given.bags, given.instances, given.features)
        files = write_all(dataset, Path(folder))
        del dataset
        for form, file in files.items():
            for load in (False, True) if file.suffix == ".h5" else (False,):
                row = measure(file, load)
                name = form + (", loaded" if load else "")
                print(
                    f"{name:27} {file.stat().st_size / 2**20:7.0f} MiB "
                    f"{row['seconds']:6.1f} s (own cpu {row['cpu']:.1f} s)  "
                    f"peak {row['peak_mib']:6.0f} MiB "
                    f"(imports {row['imports_mib']:.0f})  "
                    f"child {row['child_mib']:.0f} MiB"
                )


if __name__ == "__main__":
    main()
