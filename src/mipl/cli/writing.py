"""Writing a data set: what the format could not hold is told, then what was written."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mipl.cli.data_views import show_written
from mipl.cli.output import note, warn
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset


@contextmanager
def leaving_out() -> Iterator[None]:
    """Tell, once the work inside is done, which bags were left out of what was read."""
    from mipl.io import BagsLeftOut

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if isinstance(warning.message, BagsLeftOut):
            tell_left_out(warning.message.reasons)
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )


def tell_left_out(reasons: Mapping[str, str]) -> None:
    """Name in one list what was left out, and why."""
    if reasons:
        warn(f"{len(reasons):,} left out:")
        for reason in reasons.values():
            note(reason)


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
