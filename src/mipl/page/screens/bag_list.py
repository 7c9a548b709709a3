"""The bags of a data set: searched and filtered, a page at a time."""

from __future__ import annotations

from nicegui import ui

from mipl.page import cards
from mipl.page.bag_filter import (
    KINDS,
    OF_A_MODEL,
    BagFilter,
    bag_name_of,
    chosen_bags,
)
from mipl.page.fields import ChoiceField, TextField
from mipl.page.model_answers import probabilities
from mipl.page.paging import page_of
from mipl.page.visit import Visit
from mipl.page.workspace import Place

_PER_PAGE = 50
_MOST_CLASSES = 200


async def build(visit: Visit) -> None:
    """Show the filters and a page of bags."""
    place = visit.workspace.dataset(visit.ids["data"])
    data = await visit.work(visit.library.dataset, place)
    wanted = BagFilter.of(visit.query)
    cards.heading(f"Bags of {place.name}")
    await _filters(visit, place, [str(name) for name in data.classes.tolist()], wanted)
    if wanted.needs_model() and not wanted.run:
        cards.text("Choose a model to ask.", "note")
    p = None
    if wanted.run:
        run = visit.workspace.run(wanted.run)
        p = await visit.work(probabilities, visit.library, run, place)
    numbers = await visit.work(chosen_bags, data, wanted, p)
    page = page_of(numbers.tolist(), visit.query.get("page", ""), _PER_PAGE)
    if not len(numbers):
        with cards.empty("No such bag", "None of the bags is as the filters want it."):
            cards.to("Show all bags", visit.address())
        return
    rows, links = [], []
    truth, groups = data.labels, data.groups
    for bag in page.shown:
        sets = data.candidates.matrix[bag]
        row: list[object] = [bag_name_of(data, bag), int(data.bags.sizes[bag])]
        row.append(", ".join(str(name) for name in data.classes[sets].tolist()))
        row += [] if truth is None else [str(truth[bag])]
        row += [] if groups is None else [str(groups[bag])]
        row += [] if p is None else [_said(data.classes[p[bag].argmax()], p[bag].max())]
        rows.append(row)
        links.append(visit.address(f"/data/{place.id}/bag/{bag}", **_told(wanted)))
    header = ["bag", "instances", "candidates"]
    header += [] if truth is None else ["true label"]
    header += [] if groups is None else ["group"]
    header += [] if p is None else ["the model says"]
    with cards.section(f"{len(numbers):,} of {len(data):,} bags"):
        cards.table(header, rows, links, "Bags")
        cards.pages(page, visit)


def _told(wanted: BagFilter) -> dict[str, object]:
    return {**wanted.query(), "run": wanted.run}


def _said(name: object, probability: float) -> str:
    return f"{name} ({probability:.2f})"


async def _filters(
    visit: Visit, place: Place, classes: list[str], wanted: BagFilter
) -> None:
    runs = await visit.work(visit.workspace.runs)

    def again(**changed: object) -> None:
        visit.go(visit.again(page="", **changed))

    with cards.section(), ui.element("div").classes("grid"):
        find = TextField("Name", wanted.find)
        find.element.on("keydown.enter", lambda: again(find=find.text))
        ChoiceField("Show", KINDS, wanted.kind, lambda kind: again(kind=kind))
        named = {"": "any", **{name: name for name in classes[:_MOST_CLASSES]}}
        ChoiceField(
            "Among the candidates", named, wanted.label, lambda one: again(label=one)
        )
        if runs:
            known = {"": "none", **{one.id: one.name for one in runs}}
            ChoiceField("Model to ask", known, wanted.run, lambda id: again(run=id))
        elif wanted.kind in OF_A_MODEL:
            cards.text("No model has been trained yet.", "note")
