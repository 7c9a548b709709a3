"""Predict: with which model."""

from __future__ import annotations

from mipl.page import cards
from mipl.page.visit import Visit


async def build(visit: Visit) -> None:
    """Show the models that can be asked."""
    cards.heading("Predict", "What a model says of bags that need no labels.")
    runs = await visit.work(visit.workspace.runs)
    if not runs:
        with cards.empty("No model yet", "Predictions need a model; train one first."):
            cards.to("Train one", "/train", "main")
        return
    with cards.section("Models"):
        rows = [[one.name, one.when] for one in runs]
        links = [f"/predict/{one.id}" for one in runs]
        cards.table(["model", "trained"], rows, links, "Models")
