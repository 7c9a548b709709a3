"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

FORMATS = "name.bags.h5 (best), .npz, .csv, .parquet, .mat, or a folder"

NameOrPath = Annotated[
    str, typer.Argument(help="A name of `mipl data list`, or a path.", metavar="DATA")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
FalseLabels = Annotated[
    int | None,
    typer.Option(
        "--r", min=0, help="False labels per bag, 1 by default; 0: true labels."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Governs bags and false labels; 0 by default."),
]
Raw = Annotated[
    Path | None, typer.Option(help="A folder of raw files, searched before MIPL_DATA.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="An option of the data set or of the file's format; may be repeated.",
    ),
]
Writing = Annotated[
    list[str] | None,
    typer.Option(
        "--write",
        metavar="NAME=VALUE",
        help="An option of the format written, as version=7.3 (.mat) or dtype=float16 "
        "(.bags.h5); may be repeated.",
    ),
]
PublishedSettings = Annotated[
    bool, typer.Option("--published", help="The settings published for the data.")
]
SkipBad = Annotated[
    bool,
    typer.Option(
        "--skip-bad", help="Leave out bags that cannot be used, and name them."
    ),
]
Ids = Annotated[
    Path | None,
    typer.Option(help="Only these bags: a table with a column bag_id."),
]
Out = Annotated[Path, typer.Option("--out", "-o", help=f"What to write: {FORMATS}.")]
