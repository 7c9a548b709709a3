"""Data: the data sets of the workspace with their figures."""

from __future__ import annotations

from nicegui import ui

from mipl.errors import MiplError
from mipl.page import cards
from mipl.page.embedded import add_digits
from mipl.page.paging import page_of
from mipl.page.visit import Visit
from mipl.page.workspace import Place

_PER_PAGE = 12


async def build(visit: Visit) -> None:
    """Show a page of the data sets, and what may be imported."""
    found = await visit.work(visit.workspace.datasets)
    cards.heading("Data", "What models are trained on, and what is in it.")
    with cards.bar():
        cards.to("Bring your data", "/import", "main")
    if not found:
        with cards.empty(
            "No data set yet",
            "Import your own, or take the digits that come with mipl to look around.",
        ):
            cards.button("Use the digits", lambda: _digits(visit))
        return
    page = page_of(found, visit.query.get("page", ""), _PER_PAGE)
    with ui.element("div").classes("tiles"):
        for one in page.shown:
            await _tile(visit, one)
    cards.pages(page, visit)


async def _tile(visit: Visit, place: Place) -> None:
    with ui.element("article").classes("card tile"):
        cards.picture(f"/picture/{place.id}/thumbnail", "The first bag", "thumbnail")
        ui.link(place.name, f"/data/{place.id}").classes("h2")
        try:
            told = await visit.work(visit.library.description, place)
        except MiplError as error:
            cards.text(str(error), "note")
            return
        columns = told.columns()
        names = {
            "bags": "bags",
            "instances": "instances",
            "k": "classes",
            "candidates min/avg/max": "candidates",
        }
        cards.figures({new: columns[old] for old, new in names.items()})


async def _digits(visit: Visit) -> None:
    place = await visit.work(add_digits, visit.workspace)
    visit.go(f"/data/{place.id}")
