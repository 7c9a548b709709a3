"""Built sets as files in the user's cache."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from mipl.datasets.catalog import load_dataset
from mipl.datasets.places import cache_dir
from mipl.errors import MiplError
from mipl.formats import write_dataset


def build_dataset(
    name: str,
    r: int = 1,
    seed: int = 0,
    *,
    raw: str | Path | None = None,
    **options: Any,
) -> Path:
    """Build a data set and keep it as one native file in the cache.

    Takes the arguments of ``load_dataset`` and returns the path of the file, which
    ``read_dataset`` opens lazily. An older or damaged file there is replaced in one
    step, also when several processes build at once. ``load_dataset`` never needs the
    file: to build from raw files takes no longer than to read a file with all checks.

    Examples
    --------
    >>> import os
    >>> from tempfile import TemporaryDirectory
    >>> from unittest.mock import patch
    >>> from mipl import read_dataset
    >>> with TemporaryDirectory() as cache, patch.dict(os.environ, MIPL_CACHE=cache):
    ...     len(read_dataset(build_dataset("synthetic", n_bags=20)))
    20
    """
    data = load_dataset(name, r, seed, raw=raw, **options)
    path = built_path(name, r, seed, **options)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MiplError(
            f"cannot make the cache folder {path.parent}: {error.strerror}; "
            "set MIPL_CACHE to another one."
        ) from None
    write_dataset(data, path)
    return path


def built_path(name: str, r: int = 1, seed: int = 0, **options: Any) -> Path:
    """Return where ``build_dataset`` keeps a set of these arguments.

    Examples
    --------
    >>> built_path("mnist-mipl", r=3).name
    'mnist-mipl-r3-seed0.bags.h5'
    """
    stem = f"{name}-r{r}-seed{seed}"
    if options:
        text = json.dumps(options, sort_keys=True, default=str)
        stem += f"-{sha256(text.encode()).hexdigest()[:8]}"
    return cache_dir() / f"{stem}.bags.h5"
