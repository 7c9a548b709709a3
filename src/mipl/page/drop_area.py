"""The place where files of this computer are dropped or chosen."""

from __future__ import annotations

from nicegui import ui

from mipl.page import cards


def drop_area(draft: str, following: str, words: str) -> None:
    """Show it; what is dropped goes to a draft, and then the address is opened."""
    with ui.element("div").classes("drop") as area:
        area.props["data-upload"] = f"/upload/{draft}"
        area.props["data-next"] = following
        ui.label(words).classes("text")
        with cards.bar():
            cards.button("Choose files", kind="main").props("data-opens=files")
            cards.button("Choose a folder").props("data-opens=folder")
            cards.button("Stop").props("data-stop")
        for kind, more in (("files", "multiple"), ("folder", "webkitdirectory")):
            one = ui.element("input").props(f"type=file data-kind={kind} {more}")
            one.props(f'aria-label="Choose {kind}" tabindex=-1').classes("unseen")
        ui.label("").classes("note told").props("data-told role=status")
