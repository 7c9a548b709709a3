"""What commands print: tables for people, JSON for programs, sentences for mistakes."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from mipl.cli.encoding import is_unicode
from mipl.plain_text import plain

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from mipl.datasets.download import Progress

FOUND_ERRORS, WRONG_INPUT, INTERRUPTED = 1, 2, 130
_WORD = 16  # Letters that a narrow table keeps together: a number, a short name.


def console(*, stderr: bool = False) -> Console:
    """Return where to print; colours only where a terminal shows them.

    Whatever is printed passes the gate: text is no markup and steers no terminal.
    """
    from mipl.cli.terminal_gate import GatedConsole

    return GatedConsole(stderr=stderr)


def show_json(payload: object) -> None:
    """Print one JSON document, in which letters that steer are escapes."""
    escaped = not is_unicode(sys.stdout)
    text = json.dumps(payload, indent=2, ensure_ascii=escaped, allow_nan=False)
    typer.echo("".join(c if c.isprintable() or c == "\n" else _escape(c) for c in text))


def _escape(letter: str) -> str:
    return json.dumps(letter)[1:-1] if ord(letter) > 0x9F else f"\\u{ord(letter):04x}"


def show(*parts: RenderableType, wrap: bool = True) -> None:
    """Print rich parts one below the other; without ``wrap`` paths stay whole."""
    target = console()
    for part in parts:
        target.print(part, soft_wrap=not wrap)


def say(word: str, text: str) -> None:
    """Print a line that is never broken: a path or a command can be copied from it."""
    console().print(title(word, text), soft_wrap=True)


def next_step(*words: object) -> None:
    """Print a command that can be copied, whatever the names in it."""
    say("next", shlex.join(map(str, words)))


def tell_error(error: BaseException) -> None:
    """Print the sentence of a mistake on stderr."""
    tell("error", str(error), "bold red")


def warn(sentence: str) -> None:
    """Print on stderr what should be known before the figures are believed."""
    tell("warning", sentence)


def note(line: str) -> None:
    """Print on stderr a line that belongs to the sentence before it."""
    typer.echo(f"  {plain(line)}", err=True)


def tell_left_out(reasons: Mapping[str, str]) -> None:
    """Name in one list what was left out, and why."""
    if reasons:
        warn(f"{len(reasons):,} left out:")
        for reason in reasons.values():
            note(reason)


@contextmanager
def left_out_told() -> Iterator[None]:
    """Name in such a list, whoever reads data inside, the bags that were left out."""
    with warnings.catch_warnings():
        warnings.filterwarnings("always", r"[\d,]+ of [\d,]+ .* left out: ")
        others = warnings.showwarning

        def told(message: Warning | str, *details: Any, **more: Any) -> None:
            reasons = getattr(message, "reasons", None)
            if reasons is None:
                others(message, *details, **more)
            else:
                tell_left_out(reasons)

        warnings.showwarning = told
        yield


def tell(kind: str, sentence: str, style: str = "yellow") -> None:
    """Print a sentence on stderr, in one line."""
    from rich.text import Text

    told = Text.assemble((f"{kind}: ", style), plain(sentence))
    console(stderr=True).print(told, soft_wrap=True)


def title(text: str, note: str = "") -> RenderableType:
    """Return a heading with a dim note behind it."""
    from rich.text import Text

    return Text.assemble(
        (plain(text), "bold"), "  " if note else "", (plain(note), "dim")
    )


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> RenderableType:
    """Return a table without lines, whose words break only where they are long.

    Empty names of columns leave out the header.
    """
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        box=None,
        show_header=any(header),
        header_style="dim",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    lines = [
        [cell if isinstance(cell, Text) else Text(plain(cell)) for cell in row]
        for row in rows
    ]
    for place, name in enumerate(header):
        words = [word for line in lines for word in line[place].plain.split()]
        least = max(map(len, [*words, *name.split()]), default=1)
        grid.add_column(name, overflow="fold", min_width=min(least, _WORD))
    for line in lines:
        grid.add_row(*line)
    return grid


def pairs(rows: Mapping[str, str]) -> RenderableType:
    """Return names and values side by side."""
    from rich.text import Text

    return table(["", ""], [(Text(plain(name), "dim"), rows[name]) for name in rows])


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Give a callback that draws a bar on stderr."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
    ) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
