"""Home: what lies in the workspace, and where to begin on an empty one."""

from __future__ import annotations

from mipl.page import cards
from mipl.page.embedded import add_digits
from mipl.page.visit import Visit


async def build(visit: Visit) -> None:
    """Show the first steps, or the last data sets and runs."""
    data = await visit.work(visit.workspace.datasets)
    runs = await visit.work(visit.workspace.runs)
    if not data:
        _first_steps(visit)
        return
    cards.heading("Home")
    with cards.columns():
        with cards.section("Data sets"):
            rows = [[one.name, one.when] for one in data[:8]]
            cards.table(["name", "changed"], rows, [f"/data/{one.id}" for one in data])
            with cards.bar():
                cards.to("All data sets", "/data")
        with cards.section("Runs"):
            if runs:
                cards.table(
                    ["name", "finished"], [[one.name, one.when] for one in runs[:8]]
                )
            else:
                cards.text("No model has been trained in this workspace yet.", "note")


def _first_steps(visit: Visit) -> None:
    cards.heading(
        "Begin",
        "Bags of instances, each with some candidate labels of which one is true.",
    )
    with cards.columns(360):
        with cards.empty(
            "Try it with digits",
            "250 bags of pictures of handwritten digits come with mipl: five classes, "
            "two candidates each. Nothing is downloaded.",
        ):
            cards.button("Use the digits", lambda: _digits(visit), "main")
        with cards.empty(
            "Your own data",
            "A table, a folder of features or pictures, MATLAB or NumPy files. You see "
            "what was recognised before anything is written.",
        ):
            cards.to("Bring your data", "/import", "main")


async def _digits(visit: Visit) -> None:
    place = await visit.work(add_digits, visit.workspace)
    visit.go(f"/data/{place.id}")
