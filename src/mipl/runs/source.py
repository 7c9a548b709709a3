"""What a user names on the command line: a data set of the catalog, or a path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.datasets import CATALOG, load_dataset
from mipl.errors import MiplError, unknown
from mipl.io import read_bags, read_dataset
from mipl.runs.named_values import given_options


@dataclass(frozen=True)
class Source:
    """A name or a path, and how to read it."""

    target: str
    r: int | None = None
    seed: int | None = None
    raw: Path | None = None
    settings: Sequence[str] = ()

    def dataset(self) -> Dataset:
        """Load or read it; an unknown name gets a guess."""
        options = given_options(self.settings)
        if self.target in CATALOG:
            r = 1 if self.r is None else self.r
            return load_dataset(self.target, r, self.seed or 0, raw=self.raw, **options)
        return read_dataset(self.path(), **options)

    def bags(self) -> Bags:
        """Load or read the bags alone; tables of them need no labels."""
        if self.target in CATALOG:
            return self.dataset().bags
        return read_bags(self.path(), **given_options(self.settings))

    def path(self) -> Path:
        """Return what was named as a path; what can only be a wrong name is refused."""
        path = Path(self.target)
        if not path.exists() and path.name == self.target and not path.suffix:
            raise unknown("data set", self.target, CATALOG)
        if (self.r, self.seed, self.raw) != (None, None, None):
            raise MiplError(
                f"--r, --seed and --raw go with a name of the catalog; {path} is read "
                "as it is."
            )
        return path
