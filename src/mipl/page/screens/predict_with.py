"""Predict: which bags a model is asked about."""

from __future__ import annotations

from importlib import import_module

from mipl.page import cards
from mipl.page.drop_area import drop_area
from mipl.page.paging import page_of
from mipl.page.visit import Visit

_ROOM = "mipl.page.predicted_bags"
_PER_PAGE = 25


async def build(visit: Visit) -> None:
    """Show what lies in the workspace."""
    run = visit.workspace.run(visit.ids["run"])
    cards.heading(
        f"Predict with {run.name}",
        "Bags that need no labels: data sets, tables, features, and pictures, which "
        "are cut as those of the training were.",
    )
    draft = await visit.work(visit.site.uploads.begin)
    with cards.section("From this computer"):
        drop_area(
            draft,
            f"/predict/{run.id}/draft/{draft}",
            "Drop a file of bags, a folder, a ZIP of a folder, or pictures here",
        )
    room = await visit.work(import_module, _ROOM)
    found = await visit.work(room.sources, visit.workspace)
    if not found:
        return
    page = page_of(found, visit.query.get("page", ""), _PER_PAGE)
    with cards.section("From the workspace"):
        rows = [[one.name, one.within, one.when] for one in page.shown]
        links = [f"/predict/{run.id}/{one.id}" for one in page.shown]
        cards.table(["name", "where", "changed"], rows, links, "Bags")
        cards.pages(page, visit)
