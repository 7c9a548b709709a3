"""A bag: its instances as pictures, on a map, in time or as a table; what is known."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.page import cards, charts
from mipl.page.bag_filter import BagFilter, bag_name_of, chosen_bags, neighbours
from mipl.page.instance_pictures import (
    ACROSS,
    PER_SHEET,
    TILE,
    are_pictures,
    sheets_of,
)
from mipl.page.model_answers import probabilities
from mipl.page.original import original_path
from mipl.page.paging import page_of
from mipl.page.visit import Visit
from mipl.page.workspace import Place, shown
from mipl.runs.instance_places import LETTERS, Places, places_of

_ROWS, _FEATURES = 50, 12
_MOST_MAPPED = 20_000
WAYS = {"pictures": "Pictures", "map": "Map", "time": "Time", "table": "Table"}


async def build(visit: Visit) -> None:
    """Show the bag of the address."""
    place = visit.workspace.dataset(visit.ids["data"])
    data = await visit.work(visit.library.dataset, place)
    bag = int(visit.ids["bag"])
    if bag >= len(data):
        raise MiplError(
            f"{place.name} has bags 0 to {len(data) - 1:,}; there is no {bag:,}."
        )
    wanted = BagFilter.of(visit.query)
    p = None
    if wanted.run:
        run = visit.workspace.run(wanted.run)
        p = await visit.work(probabilities, visit.library, run, place)
    numbers = await visit.work(chosen_bags, data, wanted, p)
    cards.heading(bag_name_of(data, bag), f"bag {bag:,} of {place.name}")
    _steps(visit, place, neighbours(numbers, bag), len(numbers))
    with cards.columns(320):
        with cards.section("Labels"):
            _labels(data, bag, None if p is None else p[bag])
        with cards.section("About"):
            _about(data, bag)
    await _instances(visit, place, data, bag)


def _steps(
    visit: Visit, place: Place, beside: tuple[int | None, int | None], total: int
) -> None:
    """Show the ways to other bags; the arrow keys take them, too."""
    kept = {n: v for n, v in visit.query.items() if n != "page"}
    links = [
        None if one is None else visit.address(f"/data/{place.id}/bag/{one}", **kept)
        for one in beside
    ]
    with cards.bar():
        for words, link in zip(("← Previous", "Next →"), links, strict=True):
            if link is not None:
                cards.to(words, link)
        back = {name: value for name, value in kept.items() if name != "show"}
        cards.to("All bags", visit.address(f"/data/{place.id}/bags", **back))
        cards.text(f"among {total:,}", "note")

    def pressed(event: Any) -> None:
        if event.action.keydown and not event.action.repeat:
            place_of = {"ArrowLeft": links[0], "ArrowRight": links[1]}
            link = place_of.get(event.key.name)
            if link is not None:
                visit.go(link)

    ui.keyboard(pressed)


def _labels(data: Dataset, bag: int, p: Any) -> None:
    sets = data.candidates.matrix[bag]
    names = [str(name) for name in data.classes[sets].tolist()]
    rows: dict[str, object] = {"candidates": ", ".join(names)}
    if data.labels is not None:
        rows["true label"] = str(data.labels[bag])
    cards.figures(rows)
    weights = data.candidates.weights
    if weights is not None:
        cards.text("Share of the votes", "note")
        _bars({n: float(w) for n, w in zip(names, weights[bag][sets], strict=True)})
    if p is not None:
        cards.text("What the model says", "note")
        best = p.argsort()[::-1][:8]
        inside = {int(i) for i in sets.nonzero()[0]}
        told = {
            f"{data.classes[i]}{'' if int(i) in inside else ' (no candidate)'}": p[i]
            for i in best
        }
        _bars({name: float(value) for name, value in told.items()})


def _bars(values: dict[str, float]) -> None:
    with ui.element("div").classes("bars"):
        for name, value in values.items():
            with ui.element("div"):
                ui.label(shown(name))
                meter = ui.element("meter").props("min=0 max=1")
                meter.props["value"] = f"{value:.4f}"
                meter.props["aria-label"] = shown(name)
                ui.label(f"{value:.2f}").classes("value")


def _about(data: Dataset, bag: int) -> None:
    rows: dict[str, object] = {"instances": f"{int(data.bags.sizes[bag]):,}"}
    if data.groups is not None:
        rows["group"] = str(data.groups[bag])
    if data.bags.uris is not None:
        rows["file"] = str(data.bags.uris[bag]).rpartition("/")[2]
    rows["features"] = f"{data.bags.n_features:,}"
    cards.figures(rows)


def ways_of(bag: Bags, facts: Any, original: bool) -> list[str]:
    """Return the ways in which the instances of a bag can be shown, best first."""
    found = ["pictures"] if original or are_pictures(bag.instance_shape) else []
    if bag.coords is not None:
        try:
            found.append("time" if places_of(bag, facts).in_time else "map")
        except MiplError:  # Of several slides, or of more columns than a map has.
            pass
    return [*found, "table"]


async def _instances(visit: Visit, place: Place, data: Dataset, bag: int) -> None:
    one = data.bags[bag : bag + 1]
    original = original_path(visit.workspace, data.bags, bag)
    ways = ways_of(one, data.facts, original is not None)
    show = visit.query.get("show", "")
    show = show if show in ways else ways[0]
    with cards.section("Instances"):
        with ui.element("nav").classes("ways").props('aria-label="Ways to show them"'):
            for way in ways:
                link = ui.link(WAYS[way], visit.again(show=way, page=""))
                if way == show:
                    link.props("aria-current=page")
        size = int(one.sizes[0])
        if show == "pictures":
            _pictures(place, bag, size, original is not None)
        elif show == "table":
            await _table(visit, one, size)
        else:
            places = await visit.work(places_of, one, data.facts)
            _drawn(visit, places, size)


def _pictures(place: Place, bag: int, size: int, original: bool) -> None:
    start = f"/picture/{place.id}/{bag}"
    if original:
        cards.picture(f"{start}/original", "The whole picture", "original")
    with ui.element("div").classes("sheets"):
        for number in range(sheets_of(size)):
            first = number * PER_SHEET
            last = min(first + PER_SHEET, size)
            label = f"Instances {first:,} to {last - 1:,}"
            one = cards.picture(f"{start}/sheet/{number}", label, "sheet")
            # The place is kept free, so that nothing jumps while they come.
            one.props["width"] = str(ACROSS * TILE)
            one.props["height"] = str(TILE * -(-(last - first) // ACROSS))
            one.props["title"] = label


def _drawn(visit: Visit, places: Places, size: int) -> None:
    if size > _MOST_MAPPED:
        cards.text(f"The first {_MOST_MAPPED:,} of {size:,} instances.", "note")
    boxes = places.boxes[:_MOST_MAPPED]
    if places.in_time:
        letters = places.unit == LETTERS
        across = "letters" if letters else "seconds"
        made = charts.spans(boxes.tolist(), visit.dark, across)
        where = "Instances in the text" if letters else "Instances in time"
        cards.chart(made, where, 420)
    else:
        made = charts.tiles(boxes.tolist(), visit.dark, places.unit)
        cards.chart(made, "Instances by their place", 560)


async def _table(visit: Visit, one: Bags, size: int) -> None:
    page = page_of(range(size), visit.query.get("page", ""), _ROWS)
    stop = page.first + len(page.shown)
    rows = await visit.work(one.rows, slice(page.first, stop))
    names = _feature_names(one)
    cells: list[list[object]] = [
        [i, *(f"{value:.4g}" for value in row[:_FEATURES])]
        for i, row in zip(page.shown, rows.tolist(), strict=True)
    ]
    if one.n_features > _FEATURES:
        told = f"The first {_FEATURES} of {one.n_features:,} features."
        cards.text(told, "note")
    cards.table(["instance", *names[:_FEATURES]], cells, label="Instances")
    cards.pages(page, visit)


def _feature_names(bags: Bags) -> list[str]:
    names = None if bags.features is None else bags.features.names
    return [f"{i}" for i in range(bags.n_features)] if names is None else list(names)
