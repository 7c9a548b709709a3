"""Compare: runs side by side."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from nicegui import ui
from nicegui.element import Element

from mipl.errors import MiplError
from mipl.page import cards, charts
from mipl.page.compared_runs import (
    COST,
    FIGURES,
    HEADER,
    ComparedRun,
    Curves,
    chosen,
    compared,
    csv,
    paired_tests,
)
from mipl.page.fields import TextField
from mipl.page.paging import page_of
from mipl.page.visit import Visit

_PER_PAGE = 20
_TABLES = {"Markdown": "markdown", "LaTeX": "latex", "HTML": "html"}
_BESIDE = 4  # Runs whose curves and matrices are drawn.
_CURVES = ("loss", "margin_mean", "resolved", "accuracy")


async def build(visit: Visit) -> None:
    """Show the table of runs, and the first of them over each other."""
    cards.heading("Compare", "Runs side by side, on the bags they were not trained on.")
    jobs = await visit.work(visit.jobs.all, "fit")
    runs = await visit.work(compared, visit.workspace, jobs)
    if not runs:
        with cards.empty("No run yet", "Train a model or two to compare them."):
            cards.to("Train", "/train", "main")
        return
    query = visit.query
    by, falling = query.get("sort", ""), query.get("order", "falling") != "rising"
    found = chosen(runs, query.get("find", ""), by, falling)
    _ways(visit, found)
    page = page_of(found, query.get("page", ""), _PER_PAGE)
    with cards.section("Runs"):
        rows = [one.row() for one in page.shown]
        cards.table(HEADER, rows, label="Runs").classes("whole")
        cards.pages(page, visit)
    await _tests(visit, found)
    await _over_each_other(visit, found[:_BESIDE])


def _ways(visit: Visit, found: list[ComparedRun]) -> None:
    """Show what the table is sorted and filtered by."""
    with cards.section():
        field = TextField("Only runs with this in name, method or data")
        field.text = visit.query.get("find", "")
        field.element.props["value"] = field.text
        with cards.bar():
            cards.button(
                "Filter", lambda: visit.go(visit.again(find=field.text, page=None))
            )
            cards.button("Download the table", lambda: _download(visit, found))
        told = ui.element("div")
        with cards.bar():
            ui.label("Means over splits, as mipl runs table makes them").classes("note")
            for words, format in _TABLES.items():
                cards.button(words, partial(_table, visit, found, format, told))
        with cards.bar():
            ui.label("Sort by").classes("note")
            for name in (*FIGURES, COST):
                here = visit.query.get("sort") == name
                rising = here and visit.query.get("order") != "rising"
                order = "rising" if rising else None
                link = cards.to(
                    name,
                    visit.again(sort=name, order=order, page=None),
                    "main" if here else "plain",
                )
                if here:
                    link.props("aria-current=true")


async def _download(visit: Visit, found: list[ComparedRun]) -> None:
    text = await visit.work(csv, found, visit.workspace.own / "exports")
    ui.download.content(text, "runs.csv", "text/csv")


async def _table(
    visit: Visit, found: list[ComparedRun], format: str, told: Element
) -> None:
    """Send the table of runs; of the figure that they are sorted by."""
    told.clear()
    room = await visit.work(import_module, "mipl.page.run_tables")
    by, own = visit.query.get("sort", ""), visit.workspace.own / "exports"
    try:
        text: bytes = await visit.work(room.run_table, found, format, own, by)
    except MiplError as error:
        with told:
            cards.failed(str(error))
        return
    ui.download.content(text, room.FORMATS[format], "text/plain")


async def _tests(visit: Visit, found: list[ComparedRun]) -> None:
    tests = await visit.work(paired_tests, found)
    with cards.section("Paired tests", "t-tests on the splits that both were run on"):
        if not tests:
            cards.text("No two settings were run on two common splits.", "note")
            return
        rows = [
            [
                t.a,
                t.b,
                t.splits,
                f"{t.mean_a:.3f}",
                f"{t.mean_b:.3f}",
                f"{t.p_value:.3g}",
            ]
            for t in tests
        ]
        header = ["a", "b", "splits", "accuracy of a", "accuracy of b", "p"]
        cards.table(header, rows, label="Paired tests").classes("whole")


async def _over_each_other(visit: Visit, found: list[ComparedRun]) -> None:
    made = await visit.work(Curves.of, found)
    heading = cards.text(f"The first {len(found)} of the table", "h2 apart")
    heading.props("role=heading aria-level=2")
    with cards.columns(420):
        for name in _CURVES:
            if name in made.lines:
                with cards.section(name.replace("_", " ")):
                    drawn = charts.lines(made.lines[name], visit.dark)
                    cards.chart(drawn, f"{name} of {len(found)} runs", 240)
        for one in found:
            if one.confusion:
                with cards.section(f"Confusion of {one.place.name}"):
                    drawn = charts.matrix(
                        one.classes,
                        one.classes,
                        one.confusion,
                        visit.dark,
                        "true",
                        "predicted",
                    )
                    height = min(560, 110 + 26 * len(one.classes))
                    cards.chart(drawn, f"Confusion of {one.place.name}", height)
