"""Review: with which model to look at which data set."""

from __future__ import annotations

from mipl.page import cards
from mipl.page.pairs import pairs
from mipl.page.screens.explain import choose
from mipl.page.visit import Visit


async def build(visit: Visit) -> None:
    """Show the runs whose bags a person can be asked about."""
    cards.heading(
        "Review",
        "A model asks about the bags where it contradicts the candidates or cannot "
        "decide; it is trained again with the answers.",
    )
    found = await visit.work(pairs, visit.workspace)
    choose(found, lambda one: f"/review/{one.data.id}/{one.run.id}", "review")
