"""What a builder is asked for, and the raw files it asks for in turn."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidate_generators import generate_candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.datasets.places import find_raw
from mipl.errors import BadFile
from mipl.io.arrays import archive, npz
from mipl.seeds import stream


@dataclass(frozen=True)
class Request:
    """A data set by name, its number of false labels, its seed, its raw files."""

    name: str
    r: int = 1
    seed: int = 0
    raw: str | Path | None = None

    def rng(self, *names: str | int) -> np.random.Generator:
        """Return the random stream of this set for one purpose."""
        return stream(self.seed, self.name, *names)

    def file(self, names: Sequence[str], remedy: str = "") -> Path:
        """Find a raw file by any of these names; where absent, tell the remedy."""
        holds = f"point MIPL_DATA or --raw at a folder that holds {names[0]}."
        return find_raw(self.name, remedy + holds, names, self.raw)

    def dataset(self, name: str) -> Dataset:
        """Read a raw .npz file that holds bags and their labels."""
        return npz.read(self.file([name]))

    def arrays(self, name: str, **axes: int) -> list[Array]:
        """Read arrays of a raw .npz file that must have these numbers of axes."""
        path = self.file([name])
        arrays = archive.read_arrays(path)
        for key, ndim in axes.items():
            if key not in arrays or arrays[key].ndim != ndim:
                raise BadFile(
                    f"{path} must hold an array {key!r} of {ndim} axes; get it again."
                )
        return [arrays[key] for key in axes]

    def labelled(
        self, bags: Bags, labels: Array, classes: Any, **facts: Any
    ) -> Dataset:
        """Return the data set in which a bag has its true and r false labels."""
        y, made = generate_candidates(labels, classes, "fixed", self.seed, r=self.r)
        return Dataset(bags, y, labels, facts={"candidates": made, **facts})


def check_classes(
    numbers: Array, n: int, least: int, n_classes: int, file: str
) -> None:
    """Refuse class numbers that are not one whole number in range for each of n."""
    whole = numbers.dtype.kind in "iu" and len(numbers) == n > 0
    if not whole or numbers.min() < least or numbers.max() >= n_classes:
        raise BadFile(
            f"{file} must hold for each of its {n} instances a class from {least} to "
            f"{n_classes - 1}; get it again."
        )
