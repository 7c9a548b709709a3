"""One data set: its figures, findings and charts."""

from __future__ import annotations

from mipl.page import cards, charts
from mipl.page.data_charts import data_figures
from mipl.page.visit import Visit
from mipl.page.workspace import Place

_MOST_FINDINGS = 30


async def build(visit: Visit) -> None:
    """Show what is in a data set and what is wrong with it."""
    place = visit.workspace.dataset(visit.ids["data"])
    told = await visit.work(visit.library.description, place)
    cards.heading(place.name, place.within)
    with cards.bar():
        cards.to("Train on it", f"/train?data={place.id}", "main")
        cards.to("Look at its bags", f"/data/{place.id}/bags")
    with cards.columns(380):
        with cards.section("Figures"):
            cards.figures(told.columns() | told.details())
        with cards.section("Findings") as findings:
            waiting = cards.busy("Looking through all instances ...")
    await _charts(visit, place)
    found = await visit.work(visit.library.findings, place)
    waiting.delete()
    with findings:
        if not found:
            cards.text("Nothing found: no errors, no warnings.")
        for one in found[:_MOST_FINDINGS]:
            cards.finding_card(one)


async def _charts(visit: Visit, place: Place) -> None:
    data = await visit.work(visit.library.dataset, place)
    figures = await visit.work(data_figures, data)
    dark = visit.dark
    with cards.columns(420):
        with cards.section("Instances per bag"):
            made = charts.bars(*figures.sizes, dark, across="instances")
            cards.chart(made, "Bags by their number of instances")
        with cards.section("Candidates per bag"):
            made = charts.bars(*figures.candidate_sizes, dark, across="candidates")
            cards.chart(made, "Bags by the size of their candidate sets")
        with cards.section("Class balance", figures.balance_note):
            made = charts.bars(*figures.balance, dark)
            cards.chart(made, "Bags per class")
        with cards.section("Classes that come together", figures.together_note):
            names = figures.together_names
            made = charts.matrix(names, names, figures.together, dark)
            height = min(640, 120 + 22 * len(names))
            cards.chart(made, "Which classes are candidates together", height)
