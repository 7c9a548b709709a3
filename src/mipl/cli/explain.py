"""``mipl explain``: why a model says what it says about one bag."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mipl.cli.model_options import DataSeed, ModelFolder, NewPictures, Table
from mipl.cli.options import FalseLabels, Json, NameOrPath, Raw, Settings
from mipl.cli.output import pairs, say, show, show_json, table, title
from mipl.runs.named_values import given_options

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mipl.data.bags import Bags
    from mipl.runs.explanation import Explanation

_MOST_ROWS = 20
_EXAMPLES = 3


def explain(
    model: ModelFolder,
    data: NameOrPath,
    bag: Annotated[str, typer.Option(help="The id of a bag, or its number from 0.")],
    plot: Annotated[
        Path | None, typer.Option(help="Draw a picture, .png, .svg or .pdf.")
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(
            help="Draw the weights over the bag's own picture, .png, .svg or .pdf."
        ),
    ] = None,
    out: Table = None,
    generator: NewPictures = None,
    r: FalseLabels = None,
    data_seed: DataSeed = None,
    raw: Raw = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Show attention per instance, candidate weights and margin of one bag.

    Of a new picture any class may be true: all are candidates.
    """
    from mipl.cli.generators import pictures_by, unlabelled
    from mipl.cli.tables import check_table_name, write_table
    from mipl.images.bag_generators import recorded
    from mipl.reports.bag_plots import draw_explanation
    from mipl.reports.overlay import draw_overlay
    from mipl.reports.plots import check_picture_name, save
    from mipl.runs.explanation import explain
    from mipl.runs.folder import open_model
    from mipl.runs.source import Source

    for picture in (plot, overlay):
        if picture is not None:
            check_picture_name(picture)
    if out is not None:
        check_table_name(out)
    opened = open_model(model)
    options = given_options(settings or ())
    source = opened.source(Source(data, r, data_seed, raw, options))
    generator = pictures_by(opened, source, generator)
    if generator is None:
        dataset = source.dataset()
    else:
        dataset = unlabelled(opened, source, generator)
    told = explain(opened.model, dataset, bag_number(dataset.bags, bag))
    _spare_originals(dataset.bags, plot, overlay)
    if plot is not None:
        save(draw_explanation(told), plot)
    if overlay is not None:
        save(draw_overlay(told, recorded(dataset.facts)), overlay)
    if out is not None:
        write_table(out, told.columns())
    if as_json:
        show_json(told.as_dict())
    else:
        _show(told, [str(path) for path in (plot, overlay, out) if path is not None])


def bag_number(bags: Bags, name: str) -> int:
    """Return the number of the bag that a user calls by its id or number."""
    from difflib import get_close_matches

    from mipl.errors import MiplError

    ids = [] if bags.bag_ids is None else [str(one) for one in bags.bag_ids]
    if name in ids:
        return ids.index(name)
    if name.isdecimal() and int(name) < len(bags):
        return int(name)
    close = get_close_matches(name, ids, n=1)
    guess = f"did you mean {close[0]!r}? " if close else ""
    known = (
        f"ids such as {', '.join(ids[:_EXAMPLES])}, or numbers" if ids else "numbers"
    )
    raise MiplError(
        f"there is no bag {name!r}; {guess}bags are named by {known} 0 to "
        f"{len(bags) - 1}."
    )


def _spare_originals(bags: Bags, *drawn: Path | None) -> None:
    """Refuse to draw into a picture that a bag was made of."""
    from mipl.errors import MiplError

    originals = set() if bags.uris is None else {str(uri) for uri in bags.uris}
    for path in drawn:
        if path is not None and {str(path.absolute()), str(path.resolve())} & originals:
            raise MiplError(
                f"{path} is a picture that the bags were made of; name another file."
            )


def _show(told: Explanation, written: list[str]) -> None:
    rows = {
        "predicted": f"{told.predicted} (p = {told.p.max():.3f})",
        "best candidate": f"{told.disambiguated} (weight {told.weights.max():.3f})",
        "margin": f"{told.margin:+.3f}" + ("  violated" if told.margin < 0 else ""),
    }
    if told.label is not None:
        rows["true class"] = str(told.label)
    show(title(told.name), pairs(rows), "", title("classes"), _classes(told))
    n = told.bag.n_instances
    note = f"the first {_MOST_ROWS} of {n}" if n > _MOST_ROWS else f"{n}"
    show("", title("instances", f"{note}, {told.ordered_by}"), _instances(told))
    if written:
        show("")
        say("written", ", ".join(written))


def _classes(told: Explanation) -> RenderableType:
    rows = zip(told.classes, told.p, told.candidates, told.weights, strict=True)
    return table(
        ["class", "probability", "candidate", "weight"],
        [
            [name, f"{p:.3f}", "yes" if inside else "", f"{w:.3f}" if inside else ""]
            for name, p, inside, w in rows
        ],
    )


def _instances(told: Explanation) -> RenderableType:
    columns = told.columns()
    rows = zip(
        *(values[:_MOST_ROWS].tolist() for values in columns.values()), strict=True
    )
    return table(
        list(columns),
        [[f"{c:.4f}" if isinstance(c, float) else c for c in row] for row in rows],
    )
