"""The options of commands that compute or read runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mipl.errors import MiplError

RESULTS = Path("results.db")
_MOST = 1000  # Splits; a longer range is a slip of the finger.


class Backend(StrEnum):
    """Where runs are computed."""

    processes = "processes"
    dask = "dask"


StoreFile = Annotated[
    Path, typer.Option("--store", metavar="FILE.db", help="Where results are kept.")
]
Methods = Annotated[
    list[str] | None,
    typer.Option("--method", metavar="ID", help="An id of `mipl methods`; repeatable."),
]
Data = Annotated[
    list[str] | None,
    typer.Option("--data", metavar="NAME", help="A data set; repeatable."),
]
Counts = Annotated[
    str | None, typer.Option("--r", metavar="N", help="False labels: 2, 1,3 or 1-3.")
]
Splits = Annotated[str | None, typer.Option(metavar="N", help="Splits: 0, 0,5 or 0-9.")]
Epochs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Of every method: a quick look."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only count the runs and estimate their time.")
]
RetryDiverged = Annotated[
    bool, typer.Option("--retry-diverged", help="Compute again what diverged.")
]
Workers = Annotated[
    int,
    typer.Option(min=1, max=256, metavar="N", help="Processes, of one thread each."),
]
Where = Annotated[
    Backend, typer.Option("--backend", help="This machine, or a Dask cluster.")
]
Address = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Of the Dask scheduler."),
]
State = Annotated[
    list[str] | None,
    typer.Option("--state", help="finished, diverged or failed; repeatable."),
]


def numbers(option: str, text: str | None) -> tuple[int, ...] | None:
    """Read numbers and ranges.

    Examples
    --------
    >>> numbers("--splits", "0,3-5")
    (0, 3, 4, 5)
    """
    if text is None:
        return None
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise MiplError(f"{option} takes numbers and ranges, as 0,3-5; got {text}.")
        end = int(last or first)
        if not int(first) <= end < int(first) + _MOST:
            raise MiplError(f"the range {part.strip()} of {option} is empty or absurd.")
        found += range(int(first), end + 1)
    return tuple(dict.fromkeys(found))
