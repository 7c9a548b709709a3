"""``mipl audio`` and ``mipl text``: from recordings and documents to bags."""

from __future__ import annotations

import typer

from mipl.cli.to_bags import to_bags_verb
from mipl.cli.verb import Verb

audio = typer.Typer(help="Recordings: turned into bags.", no_args_is_help=True)
text = typer.Typer(help="Documents: turned into bags.", no_args_is_help=True)


@audio.callback()
def _audio() -> None:
    pass


@text.callback()
def _text() -> None:
    pass


audio.command("to-bags", cls=Verb)(
    to_bags_verb(
        "recording",
        "Turn a folder of recordings and a table of candidates into a data set.",
        "A folder of WAV, FLAC, OGG and MP3 files, searched with those below it.",
        "energy, windows.",
        "measures=birdsong38",
    )
)
text.command("to-bags", cls=Verb)(
    to_bags_verb(
        "document",
        "Turn documents and a table of candidates into a data set.",
        "A folder of text files, or a CSV, Parquet, Excel or JSONL file of ids and "
        "texts; a table may hold the candidates as well.",
        "sentences, passages, windows.",
        "dimensions=100",
    )
)
