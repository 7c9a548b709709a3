"""``mipl images``: from pictures to bags."""

from __future__ import annotations

import typer

from mipl.cli.to_bags import to_bags_verb
from mipl.cli.verb import Verb

app = typer.Typer(help="Pictures: turned into bags.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


app.command("to-bags", cls=Verb)(
    to_bags_verb(
        "picture",
        "Turn a folder of pictures and a table of candidates into a data set.",
        "A folder of pictures, searched with those below it.",
        "row, sbn, kmeansseg, sift, patches, deep.",
        "patch=16",
    )
)
