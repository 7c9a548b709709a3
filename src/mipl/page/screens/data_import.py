"""Import: files from this computer, or what lies in the workspace."""

from __future__ import annotations

from nicegui import ui

from mipl.page import cards
from mipl.page.drop_area import drop_area
from mipl.page.paging import page_of
from mipl.page.visit import Visit

_PER_PAGE = 20
_LAYOUTS = (
    "a table with a row per instance (CSV, Parquet) and a table of labels",
    "a folder with a feature file per bag (.npy, HDF5: CLAM, TRIDENT, STAMP, torchmil)",
    "pictures and a label table: each picture becomes a bag",
    "MATLAB (.mat), NumPy (.npz), or a data set of mipl (.bags.h5)",
    "votes of annotators, a row per vote or a column per annotator",
)


async def build(visit: Visit) -> None:
    """Show where to drop files, and what may be imported from the workspace."""
    cards.heading("Bring your data", "Nothing is written before you have seen it.")
    draft = await visit.work(visit.site.uploads.begin)
    with cards.columns(380):
        with cards.section("From this computer"):
            drop_area(
                draft,
                f"/import/draft/{draft}",
                "Drop a file, a folder, a ZIP of a folder, or pictures here",
            )
        with cards.section("From the workspace", visit.workspace.folder.name):
            found = await visit.work(visit.workspace.others)
            page = page_of(found, visit.query.get("page", ""), _PER_PAGE)
            if found:
                rows = [
                    [one.name, "folder" if one.path.is_dir() else "file", one.when]
                    for one in page.shown
                ]
                links = [f"/import/here/{one.id}" for one in page.shown]
                cards.table(["name", "kind", "changed"], rows, links)
            else:
                cards.text(
                    "There are no other files here. What you put into the folder of "
                    "the workspace can be chosen here.",
                    "note",
                )
            cards.pages(page, visit)
    with cards.section("What is read"):
        with ui.element("ul").classes("list"):
            for layout in _LAYOUTS:
                with ui.element("li"):
                    ui.label(layout)
