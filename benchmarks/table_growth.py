"""How reading a CSV table grows with its rows, columns and classes.

Run with ``python -m benchmarks.table_growth``: each size three decades apart, in a
process of its own, with seconds of the processor and the largest memory in use.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time


def rows(n: int) -> Iterator[str]:
    """Give n instances, five to a bag."""
    yield "bag_id,label,f"
    yield from (f"p{i // 5},{'ab'[i // 5 % 2]},{i}" for i in range(n))


def columns(n: int) -> Iterator[str]:
    """Give four instances of n features, as tables of gene expressions have them."""
    yield "bag_id,label," + ",".join(f"f{i}" for i in range(n))
    cells = ",".join(["1.5"] * n)
    yield from (f"p{i},{'ab'[i % 2]},{cells}" for i in range(4))


def classes(n: int) -> Iterator[str]:
    """Give 2,000 bags of candidate sets of two out of n classes."""
    yield "bag_id,candidates,f"
    yield from (f"p{i},c{i % n}|c{(i * 7 + 1) % n},{i}" for i in range(2000))


def class_columns(n: int) -> Iterator[str]:
    """Give six bags with a column of 0 and 1 for each of n classes."""
    yield "bag_id,f," + ",".join(f"candidate:c{i}" for i in range(n))
    for bag in range(6):
        flags = ("1" if i == 0 or i % 3 == bag % 3 else "0" for i in range(n))
        yield f"p{bag},1," + ",".join(flags)


SIZES: dict[str, tuple[Callable[[int], Iterator[str]], tuple[int, ...]]] = {
    "rows": (rows, (1_000, 10_000, 100_000, 1_000_000)),
    "columns": (columns, (30, 300, 3_000, 30_000)),
    "classes": (classes, (20, 200, 2_000, 20_000)),
    "class columns": (class_columns, (30, 300, 3_000, 30_000)),
}


def measure(what: str, n: int) -> dict[str, float]:
    """Read a table of one size in this process."""
    from mipl import read_dataset  # noqa: PLC0415 - after the child began

    with TemporaryDirectory() as folder:
        small, path = Path(folder, "small.csv"), Path(folder, "a.csv")
        small.write_text("\n".join(rows(10)))
        read_dataset(small)  # So that no import is counted.
        path.write_text("\n".join(SIZES[what][0](n)))
        start = process_time()
        read_dataset(path)
        seconds = process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "MiB": memory}


def main() -> None:
    """Print a table of all sizes."""
    for what, (_, sizes) in SIZES.items():
        for n in sizes:
            command = [sys.executable, "-m", "benchmarks.table_growth", what, str(n)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            told = json.loads(done.stdout)
            print(f"{what:14} {n:>9,} {told['seconds']:8.3f} s {told['MiB']:7.0f} MiB")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
