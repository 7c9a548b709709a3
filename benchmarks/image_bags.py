"""Pictures per second of each generator, and what 7000 of 224 x 224 would take.

    python -m benchmarks.image_bags crc_ishil100_224px.npz [--pictures 400] [--jobs 2]

Tissue of 224 x 224 pixels (array ``images`` of the .npz file) is repeated
up to the number of pictures and written as PNG files to a temporary folder: reading is
part of the work, as for the 7000 pictures of CRC-MIPL. Rows go to
results/image_bags.csv; ``cpu_ms`` is the processor's time per picture in one process,
which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.record import RESULTS, append
from mipl.images import SBN, SIFT, ImageBags, KMeansSeg, Patches, Row

FILE = RESULTS / "image_bags.csv"
GENERATORS: dict[str, type[ImageBags]] = {
    "row": Row,
    "sbn": SBN,
    "sift": SIFT,
    "kmeansseg": KMeansSeg,
    "patches": Patches,
}
PUBLISHED = 7000
SAMPLE = 100


def write_pictures(tiles: Path, folder: Path, n: int) -> None:
    pictures = np.load(tiles)["images"]
    for i in range(n):
        Image.fromarray(pictures[i % len(pictures)]).save(folder / f"{i:05d}.png")


def measure(name: str, folder: Path, n: int, jobs: int) -> dict[str, Any]:
    generator = GENERATORS[name](n_jobs=jobs)
    some = sorted(folder.iterdir())[:SAMPLE]
    alone = GENERATORS[name]()
    alone.transform(some[:1])  # Packages are loaded.
    start = time.process_time()
    alone.transform(some)
    cpu = (time.process_time() - start) / len(some)
    generator.transform(some)  # Processes are started.
    start = time.perf_counter()
    bags = generator.transform(folder)
    seconds = time.perf_counter() - start
    return {
        "generator": name,
        "instances": f"{bags.sizes.mean():.2f}",
        "features": bags.n_features,
        "cpu_ms": f"{1000 * cpu:.2f}",
        "jobs": jobs,
        "pictures": n,
        "per_second": f"{n / seconds:.1f}",
        "seconds_of_7000": f"{PUBLISHED * seconds / n:.0f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tiles", type=Path)
    parser.add_argument("--pictures", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    FILE.unlink(missing_ok=True)
    with TemporaryDirectory() as folder:
        write_pictures(given.tiles, Path(folder), given.pictures)
        for name in GENERATORS:
            row = measure(name, Path(folder), given.pictures, given.jobs)
            append(FILE, row)
            print(*row.values(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
