"""Writing a data set: what the format could not hold is told, then what was written."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mipl.cli.data_views import show_written
from mipl.cli.output import warn
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset


def write(
    dataset: Dataset,
    out: Path,
    as_json: bool,
    writing: Sequence[str] | None = None,
    **others: object,
) -> None:
    """Write a data set and show it; ``others`` go into the JSON."""
    from mipl.io import write_dataset

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_dataset(dataset, out, **given_options(writing or (), "--write"))
    for warning in caught:
        warn(str(warning.message))
    show_written(dataset, out, as_json, **others)
