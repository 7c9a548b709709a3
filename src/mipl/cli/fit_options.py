"""The options of ``mipl fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[Path, typer.Option("--out", "-o", help="The folder of this run.")]
Data = Annotated[
    str | None,
    typer.Argument(help="A name of `mipl data list`, or a path.", metavar="DATA"),
]
Method = Annotated[
    str | None, typer.Option(help="An id of `mipl methods`; miplma by default.")
]
Config = Annotated[
    Path | None, typer.Option(help="A TOML file; options given here win over it.")
]
Seed = Annotated[int | None, typer.Option(min=0, help="Of the training; 0 by default.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="lam=0.5, training.lr=0.1, options.fold=2 (of the data); repeatable.",
    ),
]
Everything = Annotated[
    bool, typer.Option("--all", help="Train on all bags, the default.")
]
Calibrate = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Keep a share of the bags to calibrate, by true labels where known.",
    ),
]
CheckpointEvery = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Save the state every N epochs, beside the folder; Ctrl-C always does.",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with an interrupted run.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace a run that lies in the folder.")
]
