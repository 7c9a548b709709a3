"""Predictions as a table, paged, and to be kept."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from nicegui import ui

from mipl.page import cards
from mipl.page.paging import page_of, whole
from mipl.page.visit import Visit
from mipl.page.workspace import NATIVE, Place, shown

if TYPE_CHECKING:
    from mipl.page.predicted_bags import Predicted
    from mipl.runs.explanation import Explanation

_ROOM = "mipl.page.predicted_bags"
_PER_PAGE = 50


async def build(visit: Visit) -> None:
    """Ask the model, and show what it says."""
    room = await visit.work(import_module, _ROOM)
    run = visit.workspace.run(visit.ids["run"])
    draft = visit.ids.get("draft")
    if draft is None:
        bags = await visit.work(room.source, visit.workspace, visit.ids["bags"])
    else:
        bags = await visit.work(room.given, visit.workspace, visit.site.uploads, draft)
    cards.heading(f"Predictions for {bags.name}", f"by {run.name}")
    name = f"predictions for {bags.id} at {bags.changed}"
    library = visit.library
    found: Predicted = await visit.work(
        library.kept, name, run, lambda: room.predicted(library, run, bags)
    )
    for sentence in found.doubts:
        cards.text(sentence, "note")
    with cards.bar():
        cards.button("Download the table", lambda: _download(visit, found, bags.name))
        cards.to("Other bags", f"/predict/{run.id}")
    if visit.query.get("bag"):
        await _explained(visit, run, bags, found)
    page = page_of(found.rows(), visit.query.get("page", ""), _PER_PAGE)
    with cards.section("Bags"):
        header = ["bag", "class", "probability"]
        width = len(header) + ("set" in found.columns)
        rows = [row[:width] for row in page.shown]
        header += ["prediction set"] * ("set" in found.columns)
        links: list[str] = []
        if draft is None and bags.path.name.endswith(NATIVE):
            start = f"/explain/{bags.id}/{run.id}"
            links = [f"{start}/{page.first + place}" for place in range(len(rows))]
        else:
            numbers = range(page.first, page.first + len(rows))
            links = [visit.again(bag=number) for number in numbers]
        cards.table(header, rows, links, "Predictions")
        cards.pages(page, visit)


async def _explained(visit: Visit, run: Place, bags: Place, found: Predicted) -> None:
    """Show why, for the bag of the address."""
    room = await visit.work(import_module, _ROOM)
    drawn = await visit.work(import_module, "mipl.page.explanation_charts")
    number = whole(visit.query["bag"], 0)
    with cards.section() as card:
        waiting = cards.busy("Asking the model ...")
    try:
        told: Explanation = await visit.work(
            room.explained_new, visit.library, run, bags, number
        )
    finally:
        waiting.delete()
    with card:
        name = found.columns["bag_id"][number]
        title = shown(f"Why {told.predicted} for {name}")
        cards.text(title, "h2").props("role=heading aria-level=2")
        order = told.p.argsort()[::-1]
        rows = [[told.classes[c], f"{told.p[c]:.1%}"] for c in order]
        cards.table(["class", "probability"], rows, label="Classes")
        drawn.attention_chart(visit, told)
        drawn.score_chart(visit, told)


async def _download(visit: Visit, found: Predicted, name: str) -> None:
    text = await visit.work(found.csv, visit.workspace.own / "exports")
    ui.download.content(text, f"{name}-predictions.csv", "text/csv")
