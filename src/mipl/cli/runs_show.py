"""``mipl runs table`` and ``plot``: results of one's own as a paper shows them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.lists import names, numbers
from mipl.cli.options import Json
from mipl.cli.output import say, show, show_json
from mipl.cli.own_files import Own, run_own
from mipl.cli.plan_options import RESULTS, Counts, Data, Splits, StoreFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.paper.store_cells import ResultChoice


class Correction(StrEnum):
    """What is done about many tests at once."""

    holm = "holm"
    none = "none"


Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="ID",
        help="miplma, or one setting of it: 'miplma {\"lam\": 2.0}'; repeatable.",
    ),
]
Test = Annotated[
    str | None,
    typer.Option(metavar="ID", help="The method that the others are compared with."),
]
Figure = Annotated[
    str,
    typer.Option(help="accuracy, seconds, or a figure of mipl runs show KEY: ece ..."),
]
Titles = Annotated[
    list[str] | None,
    typer.Option(
        "--title", metavar="ID=TEXT", help="What a method or data set is called."
    ),
]


def table(
    rows: Annotated[
        list[str] | None,
        typer.Option(help="method, data, r or an argument; several with commas."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(help="The same; by default data, and r where there are several."),
    ] = None,
    test: Test = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="T-tests of two groups of results.")
    ] = False,
    correction: Annotated[
        Correction, typer.Option(help="Of the p-values, for their number.")
    ] = Correction.holm,
    method: Settings = None,
    data: Data = None,
    r: Counts = None,
    splits: Splits = None,
    figure: Figure = "accuracy",
    titles: Titles = None,
    format: Annotated[
        str | None,
        typer.Option(help="text, markdown, latex (a tabular for \\input), html, csv."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A file: .tex, .md, .html, .csv or .txt."),
    ] = None,
    store: StoreFile = RESULTS,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Show results as a table: means, best in bold, tests, wins, ranks."""
    from mipl.paper.result_table import TableRequest, result_table
    from mipl.reports.result_views import ResultTable, format_of
    from mipl.runs.store import Store

    run_own(own)
    wanted = format_of(format, out)
    request = TableRequest(
        _axes(rows) or ("method",),
        _axes(columns),
        _choice(method, data, r, splits, figure, titles),
        test,
        not unpaired,
        correction is Correction.holm,
    )
    made = ResultTable(result_table(Store(store), request))
    if out is not None:
        made.save(out, wanted)
    if as_json:
        show_json(_told(made, out))
    elif out is not None:
        say("written", str(out))
    elif wanted is None:
        from mipl.reports.terminal import sheet_parts

        show(*sheet_parts(made.sheet))
    else:
        _print(made.text(wanted))


def _print(text: str) -> None:
    """Print a table in a format that another program reads: its lines stay whole."""
    from rich.text import Text

    from mipl.plain_text import plain

    show(Text(plain(text.rstrip("\n"), keep="\n")), wrap=False)


def _told(made: Any, out: Path | None) -> dict[str, Any]:
    product = made.product
    return {
        "title": product.title,
        "rows": made.sheet.records(),
        "notes": list(made.sheet.notes),
        "missing": product.missing,
        "diverged": product.diverged,
        "file": None if out is None else str(out),
    }


def plot(
    kind: Annotated[
        str,
        typer.Argument(help="bars, curves, sweep, ranks, reliability or confusion."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="A file: .pdf, .svg or .png.")
    ],
    argument: Annotated[
        str | None,
        typer.Option(help="What a sweep follows, lam; the curve to draw, loss."),
    ] = None,
    test: Annotated[
        str | None, typer.Option(metavar="ID", help="The method that stands first.")
    ] = None,
    method: Settings = None,
    data: Data = None,
    r: Counts = None,
    splits: Splits = None,
    figure: Figure = "accuracy",
    titles: Titles = None,
    store: StoreFile = RESULTS,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Draw results: bars, curves of epochs, sweeps, critical differences, calibration.

    Curves, reliability and confusion need what mipl runs compute keeps of each run.
    """
    from mipl.paper.result_figures import result_figure
    from mipl.paper.result_table import TableRequest
    from mipl.reports.plots import check_picture_name
    from mipl.reports.result_views import ResultPlot
    from mipl.runs.store import Store

    run_own(own)
    check_picture_name(out)
    choice = _choice(method, data, r, splits, figure, titles)
    request = TableRequest(choice=choice, test=test)
    made = ResultPlot(result_figure(Store(store), kind, request, argument))
    made.save(out)
    if as_json:
        show_json({"file": str(out), "kind": kind})
    else:
        say("written", str(out))


def _choice(
    method: Sequence[str] | None,
    data: list[str] | None,
    r: list[str] | None,
    splits: list[str] | None,
    figure: str,
    titles: Sequence[str] | None,
) -> ResultChoice:
    from mipl.paper.store_cells import ResultChoice

    told = names(data)
    return ResultChoice(
        _methods(method),
        None if told is None else tuple(told),
        numbers("--r", r),
        numbers("--splits", splits),
        figure,
        titles=_titles(titles or ()),
    )


def _methods(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Read ids, several with commas; arguments in braces have commas of their own."""
    if given is None:
        return None
    parts = [[one] if "{" in one else (names([one]) or []) for one in given]
    return tuple(dict.fromkeys(name for own in parts for name in own))


def _axes(given: list[str] | None) -> tuple[str, ...] | None:
    told = names(given)
    return None if told is None else tuple(name.replace(".", "__") for name in told)


def _titles(given: Sequence[str]) -> dict[str, str]:
    from mipl.errors import MiplError

    told = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name or not text:
            raise MiplError(f"--title must be ID=TEXT; got {one!r}.")
        told[name] = text
    return told
