"""Explain: which model, and which data set."""

from __future__ import annotations

from collections.abc import Callable

from mipl.page import cards
from mipl.page.pairs import Taught, pairs
from mipl.page.visit import Visit


async def build(visit: Visit) -> None:
    """Show the runs whose bags can be explained."""
    cards.heading("Explain", "Why a model says what it says about a bag.")
    found = await visit.work(pairs, visit.workspace)
    choose(found, lambda one: f"/explain/{one.data.id}/{one.run.id}/0", "explain")


def choose(found: list[Taught], lead: Callable[[Taught], str], what: str) -> None:
    """Show runs with their data, each leading to an address."""
    if not found:
        with cards.empty(
            "No model yet",
            f"To {what} needs a model that was trained on a data set of this "
            "workspace.",
        ):
            cards.to("Train one", "/train", "main")
        return
    with cards.section("Models"):
        rows = [
            [one.run.name, one.method, one.data.name, one.run.when] for one in found
        ]
        header = ["model", "method", "data", "trained"]
        cards.table(header, rows, [lead(one) for one in found], "Models")
