"""Predict: which bags a model is asked about."""

from __future__ import annotations

from importlib import import_module

from mipl.page import cards
from mipl.page.paging import page_of
from mipl.page.visit import Visit

_ROOM = "mipl.page.predicted_bags"
_PER_PAGE = 25


async def build(visit: Visit) -> None:
    """Show what lies in the workspace."""
    run = visit.workspace.run(visit.ids["run"])
    cards.heading(
        f"Predict with {run.name}",
        "Data sets of the workspace, and files and folders that lie in it: tables, "
        "features, and pictures, which are cut as those of the training were.",
    )
    room = await visit.work(import_module, _ROOM)
    found = await visit.work(room.sources, visit.workspace)
    if not found:
        with cards.empty("No bags yet", "Put files into the folder of the workspace."):
            cards.to("Data", "/data")
        return
    page = page_of(found, visit.query.get("page", ""), _PER_PAGE)
    with cards.section("Bags"):
        rows = [[one.name, one.within, one.when] for one in page.shown]
        links = [f"/predict/{run.id}/{one.id}" for one in page.shown]
        cards.table(["name", "where", "changed"], rows, links, "Bags")
        cards.pages(page, visit)
