"""One bag as one or two models see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from mipl.errors import MiplError
from mipl.page import cards, charts
from mipl.page.explained_bag import (
    SCALES,
    class_rows,
    explained,
    name_of,
    similar_bags,
    training_bags,
)
from mipl.page.explanation_charts import attention_chart, score_chart
from mipl.page.label_weight_lines import label_weight_lines
from mipl.page.paging import whole
from mipl.page.pairs import others, pairs
from mipl.page.visit import Visit
from mipl.page.workspace import Place, is_id

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.runs.explanation import Explanation


async def build(visit: Visit) -> None:
    """Show what a model says of a bag, and why."""
    data = visit.workspace.dataset(visit.ids["data"])
    run = visit.workspace.run(visit.ids["run"])
    bag = whole(visit.ids["bag"], 0)
    loaded = await visit.work(visit.library.dataset, data)
    if bag >= len(loaded):
        raise MiplError(f"{data.name} has {len(loaded):,} bags; got {bag}.")
    cards.heading(f"Bag {await visit.work(name_of, loaded, bag)}", f"of {data.name}")
    _ways(visit, data, run, bag, len(loaded))
    models = [run]
    second = visit.query.get("with", "")
    if is_id(second):
        models.append(visit.workspace.run(second))
    with cards.columns(460):
        for one in models:
            await _seen(visit, data, one, bag, loaded)
    await _choices(visit, data, run, bag)
    await _similar(visit, data, run, bag, loaded)


def _ways(visit: Visit, data: Place, run: Place, bag: int, bags: int) -> None:
    """Show the ways to the bags beside, and to the picture."""
    start = f"/explain/{data.id}/{run.id}"
    with cards.bar():
        if bag > 0:
            cards.to("Previous bag", visit.address(f"{start}/{bag - 1}", **visit.query))
        if bag + 1 < bags:
            cards.to("Next bag", visit.address(f"{start}/{bag + 1}", **visit.query))
        cards.to("Review", f"/review/{data.id}/{run.id}")
    with cards.bar():
        ui.label("Attention as").classes("note")
        for name in SCALES:
            here = visit.query.get("scale", "raw") == name
            link = cards.to(name, visit.again(scale=name), "main" if here else "plain")
            if here:
                link.props("aria-current=true")


async def _seen(
    visit: Visit, data: Place, run: Place, bag: int, loaded: Dataset
) -> None:
    """Show a bag as one model sees it."""
    with cards.section(run.name) as card:
        waiting = cards.busy("Asking the model ...")
    opened = await visit.work(visit.library.model, run)
    told = await visit.work(explained, loaded, opened, bag)
    waiting.delete()
    with card:
        _figures(told)
        header = ["class", "probability", "candidate", "weight"]
        cards.table(header, class_rows(told), label="Classes")
        address = f"/explained/{data.id}/{run.id}/{bag}"
        cards.picture(address, "The bag as the model sees it", "explained")
        with cards.bar():
            link = cards.to("Download the picture", address)
            link.props["download"] = f"bag-{bag}.png"
        attention_chart(visit, told)
        score_chart(visit, told)
        cards.text("Label weights over the epochs", "note")
        try:
            lines = await visit.work(label_weight_lines, loaded, opened, bag)
        except MiplError as error:
            cards.text(cards.begun(str(error)), "note")
        else:
            made = charts.lines(lines, visit.dark, min=0, max=1)
            cards.chart(made, "Label weights over the epochs", 240)


def _figures(told: Explanation) -> None:
    rows = {
        "predicted": f"{told.predicted} ({told.p.max():.1%})",
        "likeliest candidate": f"{told.disambiguated} ({told.weights.max():.1%})",
        "margin of classes": f"{told.margin:+.3f}"
        + (", violated" if told.margin < 0 else ""),
    }
    inside = _instance_margin(told)
    if inside is not None:
        rows["margin of instances"] = f"{inside:+.3f}"
    if told.label is not None:
        rows["true class"] = str(told.label)
    cards.figures(rows)


def _instance_margin(told: Explanation) -> float | None:
    """Return how far the most attended instance is above the mean of the others."""
    if told.attention is None or told.bag.n_instances < 2:
        return None
    falling = np.sort(told.attention)[::-1]
    return float(falling[0] - falling[1:].mean())


async def _choices(visit: Visit, data: Place, run: Place, bag: int) -> None:
    found = others(await visit.work(pairs, visit.workspace), data.id, run.id)
    if not found:
        return
    with cards.section("Beside another model"):
        with cards.bar():
            for one in found[:12]:
                cards.to(one.run.name, visit.again(**{"with": one.run.id}))
            if visit.query.get("with"):
                cards.to("One model", visit.again(**{"with": None}))


async def _similar(
    visit: Visit, data: Place, run: Place, bag: int, loaded: Dataset
) -> None:
    with cards.section("Most similar training bags") as card:
        waiting = cards.busy("Comparing bags ...")
    opened = await visit.work(visit.library.model, run)
    among = await visit.work(training_bags, loaded, opened)
    found = await visit.work(similar_bags, loaded, opened, bag, among)
    waiting.delete()
    with card:
        rows = [[s.name, s.candidates, s.label, f"{s.distance:.2f}"] for s in found]
        links = [f"/explain/{data.id}/{run.id}/{s.number}" for s in found]
        header = ["bag", "candidates", "true class", "distance"]
        cards.table(header, rows, links, "Most similar training bags")
