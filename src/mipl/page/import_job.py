"""The job that imports: reads what somebody brought, and writes a data set."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mipl.data.dataset import Dataset
from mipl.files import clear_temporaries, write_text
from mipl.generators.generator_catalog import catalog_of
from mipl.generators.labelled import read_items
from mipl.io import read_dataset, write_dataset
from mipl.page.figure_log import append
from mipl.page.jobs import FIGURES
from mipl.page.recognition import items_in, reader_options


def work(arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Read the source, and write it whole or not at all; return where it lies."""
    source, out = Path(arguments["source"]), Path(arguments["out"])
    options = reader_options(source, arguments["options"])
    skip = "skip" if arguments.get("skip_bad") else "raise"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if arguments.get("generator"):
            data = _items(source, options, arguments, skip, folder)
        else:
            data = read_dataset(source, on_bad=skip, **options)
        write_dataset(data, out)
    left = dict(data.facts.get("left_out", {}))
    return {
        "data": out.as_posix(),
        "bags": len(data),
        "left_out": left,
        "warnings": [str(one.message) for one in told],
    }


def undo(arguments: Mapping[str, Any], root: Path) -> None:
    """Remove what a write has left that was not finished."""
    clear_temporaries(root / arguments["out"])


def _items(
    source: Path,
    options: Mapping[str, Any],
    arguments: Mapping[str, Any],
    skip: str,
    folder: Path,
) -> Dataset:
    def progress(done: int, total: int | None) -> None:
        told = {"kind": "items", "done": 0, "read": done, "total": total}
        append(folder / FIGURES, told)

    catalog = catalog_of(items_in(source))
    generator = catalog.build(arguments["generator"], on_error=skip)
    data, _ = read_items(
        source, generator, progress=progress, finished=folder / "items", **options
    )
    for parent in source.parents:  # What a data set shows must not be cleared away.
        if parent.parent.name == "uploads":
            write_text(parent / "kept", "")
    return data
