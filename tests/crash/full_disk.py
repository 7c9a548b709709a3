"""Writes over an old data set while the system takes only so many bytes of a file.

Run as a program: a crash of a library is then seen in how the process ends.
"""

import resource
import sys
import warnings
from pathlib import Path

import numpy as np

from mipl import Bags, Dataset, MiplError, read_dataset, write_dataset

NAMES = ("t.bags.h5", "t.csv", "t.parquet", "t.npz", "t.mat", "t73.mat", "folder")


def data(version: int, rows: int) -> Dataset:
    values = np.random.default_rng(version).random((rows, 32), np.float32)
    bags = Bags(values, np.arange(0, rows + 1, 10))
    return Dataset(bags, [{i % 3, 3 + i % 2} for i in range(len(bags))], name="t")


def limited(size: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size if size else hard, hard))


def main(folder: Path) -> None:
    old, new = data(0, 50), data(1, 4000)
    for name in NAMES:
        options = {"version": "7.3"} if name == "t73.mat" else {}
        path = folder / name
        if name != "folder":  # A folder of data is never written over.
            write_dataset(old, path, **options)
        for size in (1, 2000, 20_000, 200_000, 300_000):
            try:
                limited(size)
                write_dataset(new, path, **options)
                outcome = "written"
            except MiplError as error:
                outcome = str(error)
            finally:
                limited(0)
            if outcome == "written":
                assert np.array_equal(
                    read_dataset(path).bags.load().instances, new.bags.instances
                )
                break
            assert "file too large" in outcome and "\n" not in outcome, outcome
            assert not [f for f in folder.iterdir() if f.name.startswith(".mipl")]
            if path.exists():
                assert len(read_dataset(path).bags) == 5
            print(name, size, "refused")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main(Path(sys.argv[1]))
