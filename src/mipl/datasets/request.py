"""What a builder is asked for."""

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.bags import Array, Bags
from mipl.data.dataset import Dataset
from mipl.data.generators import generate_candidates
from mipl.datasets.places import find_raw
from mipl.errors import BadFile
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

    def file(self, names: Sequence[str], remedy: str) -> Path:
        """Find a raw file by any of these names; where absent, tell the remedy."""
        return find_raw(self.name, remedy, names, self.raw)

    def arrays(self, name: str, *keys: str) -> list[Array]:
        """Read these arrays of a raw .npz file."""
        remedy = f"point MIPL_DATA or --raw at a folder that holds {name}."
        path = self.file([name], remedy)
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return [arrays[key] for key in keys]
        except (OSError, EOFError, KeyError, ValueError) as error:
            raise _damaged(path, error) from error
        except (zipfile.BadZipFile, zlib.error) as error:
            raise _damaged(path, error) from error

    def labelled(
        self, bags: Bags, labels: Array, classes: Any, **facts: Any
    ) -> Dataset:
        """Return the data set in which a bag has its true and r false labels."""
        y, made = generate_candidates(labels, classes, "fixed", self.seed, r=self.r)
        return Dataset(bags, y, labels, facts={"candidates": made, **facts})


def _damaged(path: Path, error: Exception) -> BadFile:
    reason = str(error)[:80]
    return BadFile(f"{path} is damaged or foreign ({reason}); get it again.")
