"""Options that the verbs about models share."""

from pathlib import Path
from typing import Annotated

import typer

ModelFolder = Annotated[
    Path,
    typer.Argument(help="A folder that `mipl fit` or save() wrote.", metavar="MODEL"),
]
DataSeed = Annotated[
    int | None,
    typer.Option("--data-seed", min=0, help="Governs bags and false labels."),
]
Fold = Annotated[
    int | None, typer.Option("--split", min=0, metavar="N", help="A fold, 0 to 9.")
]
Table = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="Write a table, .csv or .parquet."),
]
NewPictures = Annotated[
    str | None,
    typer.Option(
        "--generator",
        "-g",
        help="How DATA, pictures, recordings or documents, are to be cut, where the "
        "model does not say: the generator of the training, whose arguments are --set.",
    ),
]
