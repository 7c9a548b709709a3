"""The data of a run, and a hash of all in them that its result depends on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from mipl.data.dataset import Dataset
from mipl.datasets import CATALOG
from mipl.errors import MiplError
from mipl.files import existing
from mipl.methods.saving.fingerprint import candidates_digest
from mipl.methods.saving.stored import classes_as_fact
from mipl.runs.run import Run


@dataclass(frozen=True, eq=False)
class Loaded:
    """A data set, the hash of its content, and how many splits it has."""

    data: Dataset
    content: str
    n_splits: int


def loaded(run: Run) -> Loaded:
    """Load the data of a run; those used last are kept."""
    path = Path(run.data)
    own = run.data not in CATALOG and (path.suffix != "" or path.exists())
    changed = existing(path).stat().st_mtime_ns if own else None
    # Whoever learns from them in whatever way.
    return _loaded(Run("", run.data, options=run.options, r=run.r), changed)


@lru_cache(maxsize=2)
def _loaded(run: Run, changed: int | None) -> Loaded:
    """Load a name of the catalog, or read a file that was ``changed`` then."""
    data = run.load()
    if data.labels is None:
        raise MiplError(
            f"{run.data} has no true labels, by which a run is judged; mipl fit and "
            "mipl evaluate do without."
        )
    return Loaded(data, content_of(data), len(data.folds()))


def content_of(data: Dataset) -> str:
    """Return a hash of bags, candidate sets, true labels and splits.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> one, same = load_dataset("digits-mipl", r=1), load_dataset("digits-mipl", r=1)
    >>> content_of(one) == content_of(same)
    True
    >>> content_of(one) == content_of(load_dataset("digits-mipl", r=2))
    False
    """
    total = sha256(data.bags.digest().encode())
    total.update(candidates_digest(data.candidates).encode())
    if data.labels is not None:
        total.update(repr(classes_as_fact(data.labels)).encode())
    for fold in data.folds():
        for numbers in (fold.train, fold.test):
            total.update(np.ascontiguousarray(numbers, dtype=np.int64).tobytes())
            total.update(b"|")
    return total.hexdigest()
