"""``mipl reproduce``: every table and figure of the paper, recomputed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.lists import names, numbers
from mipl.cli.options import Json
from mipl.cli.output import say, show, show_json
from mipl.cli.own_files import Own, run_own
from mipl.cli.plan_options import (
    RESULTS,
    Address,
    Backend,
    Counts,
    Data,
    DryRun,
    Epochs,
    Methods,
    RetryDiverged,
    RetryOutdated,
    Splits,
    StoreFile,
    Where,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.paper.artefact import Artefact, Product
    from mipl.paper.artefact_selection import Selection
    from mipl.runs.run import Run

_SUFFIXES = {
    "text": "txt",
    "markdown": "md",
    "latex": "tex",
    "latex-fragment": "fragment.tex",  # For the \\input of a document.
    "csv": "csv",
}


def reproduce(
    context: typer.Context,
    name: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...", help="table2, figA3, claims ... or all; list shows them."
        ),
    ],
    method: Methods = None,
    data: Data = None,
    r: Counts = None,
    splits: Splits = None,
    preset: Annotated[
        list[str] | None,
        typer.Option(help="A reading of MIPLMA: ours, released, paper; repeatable."),
    ] = None,
    epochs: Epochs = None,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="T-tests of two groups of results.")
    ] = False,
    dry_run: DryRun = False,
    retry_diverged: RetryDiverged = False,
    retry_outdated: RetryOutdated = False,
    known: Annotated[
        bool, typer.Option("--known", help="Compute nothing; show what is known.")
    ] = False,
    backend: Where = Backend.processes,
    address: Address = None,
    workers: Workers = 2,
    store: StoreFile = RESULTS,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            help="text, markdown, latex, latex-fragment (for a document of your own), "
            "csv or html, in a file; png, svg or pdf, a "
            "file for each picture; repeatable.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of these files.")
    ] = Path(),
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Compute what a table or a figure still lacks, and show it.

    The same command again goes on with what was interrupted.
    """
    from mipl.cli import plan_work
    from mipl.files import make_folder
    from mipl.runs.store import Store

    run_own(own)
    if name == ["list"]:
        _list(as_json)
        return
    wanted, formats = _artefacts(name), names(formats)
    _check_formats(formats or [])
    selection = _selection(
        names(method), names(data), r, splits, names(preset), epochs, not unpaired
    )
    plan = _plan(wanted, selection)
    if dry_run:
        each = {one.name: len(one.plan(selection)) for one in wanted}
        expected = plan_work.expected(plan, store, workers, retry_diverged)
        _show_dry_run(expected | {"artefacts": each}, workers, as_json)
        return
    cluster = plan_work.chosen_backend(backend, address)
    if formats:  # What cannot be is told before hours are spent.
        make_folder(out)
    kept = Store(store, create=not known)
    told: dict[str, Any] = {
        "store": str(store),
        "ended": {},
        "absent": {},
        "outdated": {},
    }
    if not known:
        done = plan_work.work_off(
            context, plan, kept, workers, cluster, retry_diverged, retry_outdated
        )
        told = plan_work.as_told(done, store)
    options = selection.options
    products = [replace(one.build(kept, selection), options=options) for one in wanted]
    files = _write(products, formats or [], out)
    if as_json:
        shown = [_as_dict(product) for product in products]
        show_json(told | {"artefacts": shown, "files": [str(file) for file in files]})
    else:
        _show(products, files)
        if not known:
            plan_work.show_done(told)
        say("store", str(store))
    plan_work.finish(told)


def _artefacts(names: Sequence[str]) -> list[Artefact]:
    from mipl.paper.index import ARTEFACTS, artefact

    if "all" in names:
        return list(ARTEFACTS.values())
    return [artefact(name) for name in dict.fromkeys(names)]


def _list(as_json: bool) -> None:
    from mipl.cli.output import table
    from mipl.paper.index import ARTEFACTS

    titles = {name: one.title for name, one in ARTEFACTS.items()}
    show_json(titles) if as_json else show(table(["name", ""], list(titles.items())))


def _selection(
    methods: list[str] | None,
    data: list[str] | None,
    r: list[str] | None,
    splits: list[str] | None,
    presets: list[str] | None,
    epochs: int | None,
    paired: bool,
) -> Selection:
    from mipl.datasets import CATALOG
    from mipl.datasets.published_sets import SOURCES
    from mipl.errors import unknown
    from mipl.methods.catalogue.registry import find
    from mipl.paper.artefact_selection import Selection
    from mipl.paper.entrants import PRESETS

    for id in methods or ():
        find(id)
    sets = {*SOURCES, *(one.name for one in SOURCES.values()), *CATALOG}
    for name in presets or ():
        if name not in PRESETS:
            raise unknown("preset", name, PRESETS)
    # A file of one's own is named whole: the store knows it so.
    data = data and [name if name in sets else _file(name) for name in data]
    return Selection(
        methods=None if methods is None else tuple(methods),
        data=None if data is None else tuple(data),
        r=numbers("--r", r),
        splits=numbers("--splits", splits),
        presets=None if presets is None else tuple(presets),
        epochs=epochs,
        paired=paired,
    )


def _file(name: str) -> str:
    from mipl.files import existing
    from mipl.runs.source import Source

    return str(existing(Source(name).path()).absolute())


def _plan(wanted: Sequence[Artefact], selection: Selection) -> list[Run]:
    from mipl.errors import MiplError
    from mipl.paper.artefact_selection import Selection

    plan = [run for one in wanted for run in one.plan(selection)]
    # A table of data sets has no runs, whatever is selected.
    if any(one.plan(Selection()) for one in wanted):
        shown = ", ".join(one.name for one in wanted)
        _refuse_unused(wanted, selection, shown)
        if not plan:
            raise MiplError(f"nothing of {shown} is selected; leave an option out.")
    return list(dict.fromkeys(plan))


def _refuse_unused(
    wanted: Sequence[Artefact], selection: Selection, shown: str
) -> None:
    """Tell what was asked for and is in none of the tables and figures."""
    from mipl.errors import MiplError

    options = {
        "methods": "--method", "data": "--data", "r": "--r", "splits": "--splits",
        "presets": "--preset",
    }  # fmt: skip
    for field, option in options.items():
        for value in getattr(selection, field) or ():
            alone = replace(selection, **{field: (value,)})  # type: ignore[arg-type]
            if any(one.plan(alone) for one in wanted):
                continue
            remedy = "leave it out"
            if field == "methods":
                remedy += f", or compare it by mipl runs compute {option} {value}"
            raise MiplError(
                f"nothing of {shown} is selected by {option} {value}; {remedy}."
            )


def _show_dry_run(told: dict[str, Any], workers: int, as_json: bool) -> None:
    from mipl.cli import plan_work
    from mipl.cli.output import table

    if as_json:
        show_json(told)
        return
    each = told["artefacts"]
    if len(each) > 1:
        show(table(["", "runs"], list(each.items())), "")
    plan_work.show_expected(told, workers)


def _check_formats(formats: Sequence[str]) -> None:
    """Refuse an unknown format before hours are spent."""
    from mipl.errors import unknown
    from mipl.reports.formats import FORMATS, PICTURES

    known = (*FORMATS, *PICTURES)
    for format in formats:
        if format not in known:
            raise unknown("format", format, known)


def _write(
    products: Sequence[Product], formats: Sequence[str], out: Path
) -> list[Path]:
    from mipl.files import together, write_text
    from mipl.reports.formats import PICTURES, save_pictures, written

    stem = products[0].name if len(products) == 1 else "results"
    files = []
    with together():
        for format in formats:
            if format in PICTURES:
                files += save_pictures(products, out, format)
                continue
            files.append(out / f"{stem}.{_SUFFIXES.get(format, format)}")
            write_text(files[-1], written(products, format))
    return files


def _as_dict(product: Product) -> dict[str, Any]:
    return {
        "name": product.name,
        "title": product.title,
        "command": product.command,
        "runs": product.runs,
        "missing": product.missing,
        "diverged": product.diverged,
        "without_curves": product.bare,
        "sheets": [
            {"title": sheet.title, "rows": sheet.records(), "notes": list(sheet.notes)}
            for sheet in product.sheets
        ],
    }


def _show(products: Sequence[Product], files: Sequence[Path]) -> None:
    from mipl.reports.terminal import renderables

    for product in products:
        show(*renderables(product), "")
    for file in files:
        say("written", str(file))
