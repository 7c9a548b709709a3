"""Recordings per hour of each generator and file format; 10,000 minutes are the goal.

    python -m benchmarks.sound_bags [--recordings 40] [--jobs 2] [--formats ogg mp3]

One-minute recordings of 44,100 samples per second, a hundred short calls in noise each,
are written to a temporary folder in every format that is read. Rows go to
results/sound_bags.csv, anew where all formats are measured; ``cpu_ms`` is the
processor's time per recording, of the processes that decode as well, which other work
on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import soundfile

from benchmarks.record import RESULTS, append
from mipl.audio import EnergySegments, SoundBags, TimeWindows

FILE = RESULTS / "sound_bags.csv"
GENERATORS: dict[str, SoundBags] = {
    "energy": EnergySegments(),
    "energy, birdsong38": EnergySegments(measures="birdsong38"),
    "windows": TimeWindows(),
}
FORMATS = ("wav", "flac", "ogg", "mp3")
RATE = 44100
CALLS = 100


def write_recordings(folder: Path, n: int, suffix: str) -> None:
    rng = np.random.default_rng(0)
    time_of_call = np.arange(int(0.2 * RATE)) / RATE
    for i in range(n):
        samples = rng.normal(scale=0.03, size=60 * RATE)
        for begin in rng.integers(0, 59 * RATE, CALLS):
            low, high = rng.uniform(1000, 7000, 2)
            turns = low * time_of_call + (high - low) * time_of_call**2 / 0.4
            call = 0.2 * np.sin(2 * np.pi * turns) * np.hanning(len(turns))
            samples[begin : begin + len(call)] += call
        with soundfile.SoundFile(folder / f"{i:04d}.{suffix}", "w", RATE, 1) as out:
            for second in np.split(samples.clip(-1, 1), 60):
                out.write(second)


def processor_seconds() -> float:
    """Return what this process and those that it started and ended have used."""
    mine, ended = (
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return mine.ru_utime + mine.ru_stime + ended.ru_utime + ended.ru_stime


def measure(name: str, suffix: str, folder: Path, n: int, jobs: int) -> dict[str, Any]:
    generator = GENERATORS[name].set_params(n_jobs=jobs)
    generator.transform(sorted(folder.iterdir())[: 4 * jobs])  # Processes are started.
    start = time.perf_counter()
    bags = generator.transform(folder)
    seconds = time.perf_counter() - start
    return {
        "generator": name,
        "format": suffix,
        "instances": f"{bags.sizes.mean():.1f}",
        "features": bags.n_features,
        "jobs": jobs,
        "recordings": n,
        "per_hour": f"{3600 * n / seconds:.0f}",
    }


def measure_processor(name: str, suffix: str, folder: Path, n: int) -> float:
    """Return milliseconds per recording, in a process of its own that then ends."""

    program = (
        "import sys\nfrom benchmarks.sound_bags import GENERATORS\n"
        "generator = GENERATORS[sys.argv[1]].set_params(n_jobs=1)\n"
        "generator.transform(sys.argv[2:])\n"
    )
    files = [str(file) for file in sorted(folder.iterdir())]

    def used(some: list[str]) -> float:
        before = processor_seconds()
        subprocess.run([sys.executable, "-c", program, name, *some], check=True)
        return processor_seconds() - before

    # What starting costs is in both, and not in the difference.
    return 1000 * (used(files[: n // 2 + 1]) - used(files[:1])) / (n // 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--recordings", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--formats", choices=FORMATS, nargs="+", default=FORMATS)
    given = parser.parse_args()
    if set(given.formats) == set(FORMATS):
        FILE.unlink(missing_ok=True)
    for suffix in given.formats:
        with TemporaryDirectory() as place:
            folder = Path(place)
            write_recordings(folder, given.recordings, suffix)
            for name in GENERATORS:
                row = measure(name, suffix, folder, given.recordings, given.jobs)
                cpu = measure_processor(name, suffix, folder, given.recordings)
                row["cpu_ms"] = f"{cpu:.0f}"
                append(FILE, row)
                print(*row.values(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
