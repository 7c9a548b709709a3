"""The options of ``mipl tune``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Method = Annotated[str, typer.Option(help="An id of `mipl methods`.")]
Space = Annotated[
    str | None,
    typer.Option(
        metavar="paper|FILE.toml",
        help="The grid of the method's paper; or a file with the tables arguments and "
        "training. Where no --set searches: the paper's grid, or ours.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Searched: lam=0.1..5:log (a range), training.lr=[0.01,0.1] (a list). "
        "Fixed: training.epochs=50, options.fold=2 (of the data). Repeatable.",
    ),
]
Trials = Annotated[
    int, typer.Option(min=1, metavar="N", help="Settings to try, in the whole study.")
]
Score = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="covering_rate, approximated_accuracy or margin_violation_rate.",
    ),
]
Folds = Annotated[
    int, typer.Option(min=2, metavar="N", help="Folds of the training bags.")
]
Study = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.db",
        help="Keeps the trials; one that is there goes on. DATA-METHOD.db by default.",
    ),
]
Seed = Annotated[
    int, typer.Option(min=0, help="Of folds, search and training; of the run written.")
]
