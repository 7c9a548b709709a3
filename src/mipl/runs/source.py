"""Source: a data set of the catalog or a path, and how to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.datasets import CATALOG, load_dataset
from mipl.errors import MiplError, unknown
from mipl.generators.generator_catalog import catalog_of
from mipl.generators.item import are_items
from mipl.io import has_labels, read_bags, read_dataset, read_open

if TYPE_CHECKING:
    from mipl.runs.run import Run


@dataclass(frozen=True)
class Source:
    """A name or a path, and how to read it.

    Attributes
    ----------
    target : str
    r, seed, raw
        Of a name of the catalog; None where nothing is told.
    options : mapping
        Of the data set, or of the file's format.
    """

    target: str
    r: int | None = None
    seed: int | None = None
    raw: str | Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Source:
        """Return where the data of a run come from."""
        options, r = dict(run.options), None if run.r == 1 else run.r
        if run.data not in CATALOG:
            return cls(run.data, r, options=options)
        drawn = options.pop("seed", None), options.pop("raw", None)
        return cls(run.data, r, *drawn, options)

    def dataset(self, on_bad: str = "raise") -> Dataset:
        """Load or read it; an unknown name gets a guess."""
        if self.target in CATALOG:
            r, seed = (1 if self.r is None else self.r), self.seed or 0
            options = self._others("name", "r", "seed", "raw")
            return load_dataset(self.target, r, seed, raw=self.raw, **options)
        options = {"on_bad": on_bad, **self._others("path")}
        return read_dataset(self.path(), **options)

    def bags(self, **options: Any) -> Bags:
        """Load or read the bags alone; files of them need no labels.

        The ``options`` are those of ``read_bags``: which ids, and what to do with bad
        bags.
        """
        if self.target in CATALOG:
            if options.get("ids") is not None:
                raise MiplError(
                    f"--ids goes with files of your own; {self.target} is a data set "
                    "of the catalog: choose by --split."
                )
            return self.dataset().bags
        return read_bags(self.path(), **{**options, **self._others("path")})

    def unlabelled(self) -> bool:
        """Tell whether a folder of feature files is named that has no labels."""
        given = {"labels", "annotations", "slides"} & set(self.options)
        here = self.target not in CATALOG and Path(self.target).is_dir()
        return here and not given and not has_labels(self.target)

    def open_dataset(self, classes: Any, bag: str) -> Dataset:
        """Read such a folder, if it can be this bag alone; any class may be true."""
        return read_open(self.path(), classes, [bag])

    def holds(self, kind: str, expected: bool = False) -> bool:
        """Tell whether a path is named at which there are pictures, or recordings.

        Files that hold several, as tables do of texts, may hold bags as well: they
        count where such items are expected.
        """
        if self.target in CATALOG or not Path(self.target).exists():
            return False
        items, path = catalog_of(kind).items(), Path(self.target)
        if expected and path.suffix.lower() in items.holders:
            return bool(items.in_holder(path))
        return are_items(items, path, expected)

    def path(self) -> Path:
        """Return what was named as a path; what can only be a wrong name is refused."""
        path = Path(self.target)
        if not path.exists() and path.name == self.target and not path.suffix:
            raise unknown("data set", self.target, CATALOG)
        drawn = {"r=": self.r, "data_seed=": self.seed, "raw=": self.raw}
        for name, value in drawn.items():
            if value is not None:
                raise MiplError(
                    f"{name} goes with a name of the catalog; {path} is read as it is."
                )
        return path

    def _others(self, *told: str) -> Mapping[str, Any]:
        """Return the options, none of which may be what is told elsewhere."""
        for name in told:
            if name in self.options:
                raise MiplError(
                    f"{name} is no option of {self.target}; leave it out of its "
                    "options."
                )
        return self.options
