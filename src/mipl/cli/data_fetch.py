"""``mipl data fetch``: the authors' own files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mipl.cli import data_views as views
from mipl.cli.options import Json
from mipl.cli.output import progress_bar, show_json


def fetch(
    names: Annotated[list[str], typer.Argument(help="mnist-mipl, sival-mipl, ...")],
    folder: Annotated[
        Path | None,
        typer.Option("--to", help="Where to; by default the user's data directory."),
    ] = None,
    address: Annotated[
        str | None, typer.Option("--from", metavar="URL", help="Another address.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Get the authors' own files; an interrupted download goes on where it stopped."""
    from mipl.datasets.fetch import ADDRESS, fetch

    got = []
    for name in names:
        with progress_bar(name) as progress:
            got.append(
                fetch(name, folder, address=address or ADDRESS, progress=progress)
            )
        if not as_json:
            views.show_fetched(got[-1])
    if as_json:
        show_json(
            [
                {
                    "name": name,
                    "folder": str(one.folder),
                    "files": one.files,
                    "verified": one.verified,
                    "fresh": one.fresh,
                }
                for name, one in zip(names, got, strict=True)
            ]
        )
