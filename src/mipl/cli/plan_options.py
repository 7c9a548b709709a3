"""The options of commands that compute or read runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

RESULTS = Path("results.db")


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
    list[str] | None,
    typer.Option("--r", metavar="N", help="False labels: 2, 1,3 or 1-3; repeatable."),
]
Splits = Annotated[
    list[str] | None,
    typer.Option(metavar="N", help="Splits: 0, 0,5 or 0-9; repeatable."),
]
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
RetryOutdated = Annotated[
    bool,
    typer.Option(
        "--retry-outdated", help="Compute again what another text of --with computed."
    ),
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
