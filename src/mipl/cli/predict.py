"""``mipl predict``: classes and probabilities of bags, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.model_options import DataSeed, Fold, ModelFolder, NewPictures
from mipl.cli.options import (
    FalseLabels,
    Ids,
    Json,
    NameOrPath,
    Raw,
    Settings,
    SkipBad,
)
from mipl.cli.output import say, show, show_json, table, warn
from mipl.cli.own_files import Own, run_own
from mipl.errors import counted
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.frozen import Array
    from mipl.runs.source import Source

_FIRST = 10


def predict(
    model: ModelFolder,
    data: NameOrPath,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The table to write, .csv or .parquet."),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="Add sets that hold the truth with probability 1 - alpha."),
    ] = None,
    generator: NewPictures = None,
    ids: Ids = None,
    skip_bad: SkipBad = False,
    split: Fold = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Predict bags: class, probabilities and, where calibrated, prediction sets.

    The bags need no labels. Pictures, recordings and documents are cut as those of the
    training were.
    """
    from mipl.cli.generators import new_items
    from mipl.cli.tables import check_table_name, write_table
    from mipl.errors import MiplError
    from mipl.runs.folder import open_model
    from mipl.runs.prediction_columns import prediction_columns
    from mipl.runs.prediction_sets import doubts_of_sets
    from mipl.runs.source import Source

    run_own(own)
    if out is not None:
        check_table_name(out)
    opened = open_model(model)
    if alpha is not None and opened.model.conformal_ is None:
        raise MiplError(
            f"{model} is not calibrated; train with --calibrate, or leave --alpha out."
        )
    options = given_options(settings or ())
    source = opened.source(Source(data, r, data_seed, raw, options))
    items = new_items(opened, source, generator)
    if items is not None and split is not None:
        raise MiplError(
            f"{items.kind}s have no splits; leave --split or --generator out."
        )
    if ids is not None and (items is not None or split is not None):
        raise MiplError("--ids goes with files of bags, without --split; leave it out.")
    if items is not None:
        bags = items.bags(skip_bad)
    else:
        bags = _bags(source, split, ids, "skip" if skip_bad else "raise")
    columns = prediction_columns(opened.model, bags, alpha)
    if alpha is not None:
        for sentence in doubts_of_sets(opened.model, bags, alpha):
            warn(sentence)
    if out is not None:
        write_table(out, columns)
    if as_json and out is not None:
        show_json({"bags": len(bags), "table": str(out)})
    elif as_json:
        show_json(_records(columns))
    else:
        _show(columns, data, out)


def _bags(source: Source, split: int | None, ids: Path | None, on_bad: str) -> Bags:
    if split is None:
        return source.bags(ids=ids, on_bad=on_bad)
    return source.dataset(on_bad=on_bad).split(split)[1].bags


def _records(columns: dict[str, Array]) -> list[dict[str, Any]]:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _show(columns: dict[str, Array], data: str, out: Path | None) -> None:
    n = len(columns["bag_id"])
    rows = [
        [f"{cell:.3f}" if isinstance(cell, float) else cell for cell in row.values()]
        for row in _records({name: v[:_FIRST] for name, v in columns.items()})
    ]
    note = f"the first {_FIRST} of {n} bags" if n > _FIRST else counted(n, "bag")
    say(data, note)
    show(table(list(columns), rows))
    if out is not None:
        show("")
        say("written", str(out))
