"""Flags that tell what the columns of a label table mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mipl.cli.lists import names

Labels = Annotated[Path | None, typer.Option(help="Table of labels: a row per bag.")]
Annotations = Annotated[
    Path | None, typer.Option(help="Table of votes: bag, annotator, label.")
]
Rule = Annotated[
    str | None,
    typer.Option(help="How votes make sets: union, crc, or the least number."),
]
Annotators = Annotated[
    list[str] | None,
    typer.Option(help="Columns a,b,c that hold one annotator's votes each."),
]
Unsure = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VOTE[=a|b]",
        help="A vote that stands for every class, or for these; repeatable.",
    ),
]
BagId = Annotated[str | None, typer.Option(help="Column of bag ids.")]
CandidateColumns = Annotated[
    list[str] | None, typer.Option(help="Column of sets, or columns a,b,c of votes.")
]
Label = Annotated[str | None, typer.Option(help="Column of true labels.")]
Group = Annotated[str | None, typer.Option(help="Column of groups.")]
SplitColumn = Annotated[str | None, typer.Option(help="Column of splits.")]
Classes = Annotated[
    list[str] | None, typer.Option(help="Class names a,b,c in their order.")
]


def told(
    *,
    rule: str | None,
    candidates: Sequence[str] | None,
    classes: Sequence[str] | None,
    annotators: Sequence[str] | None = None,
    unsure: Sequence[str] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Return the flags that were given, as the readers of tables take them.

    Examples
    --------
    >>> told(rule="2", candidates=["a,b"], classes=None, label=None)
    {'rule': 2, 'candidates': ['a', 'b']}
    """
    columns = names(candidates)
    given = {
        **others,
        "rule": int(rule) if rule and rule.isdecimal() else rule,
        "candidates": columns[0] if columns and len(columns) == 1 else columns,
        "classes": names(classes),
        "annotators": names(annotators),
        "unsure": None if unsure is None else dict(map(_meaning, unsure)),
    }
    return {name: value for name, value in given.items() if value is not None}


def _meaning(unsure: str) -> tuple[str, str | None]:
    """Divide a vote from the classes it stands for."""
    vote, _, classes = unsure.partition("=")
    return vote.strip(), classes or None
