"""What all screens look alike by: headings, figures, tables, empty and failed states.

Text is text: whatever is given here passes the gate, and nothing of it is markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nicegui import ui
from nicegui.element import Element

from mipl.page.workspace import shown
from mipl.plain_text import plain

if TYPE_CHECKING:
    from mipl.data.findings import Finding
    from mipl.page.paging import ListPage
    from mipl.page.visit import Visit


def heading(text: str, note: str = "") -> None:
    """Show the name of the screen, and a note below it."""
    ui.label(shown(text)).classes("h1").props("role=heading aria-level=1")
    if note:
        ui.label(plain(note)).classes("note")


@contextmanager
def section(title: str = "", note: str = "", kind: str = "") -> Iterator[Element]:
    """Give a card with a title, to be filled."""
    with ui.element("section").classes(f"card {kind}") as card:
        if title:
            ui.label(shown(title)).classes("h2").props("role=heading aria-level=2")
        if note:
            ui.label(plain(note)).classes("note")
        yield card


@contextmanager
def columns(least: int = 320) -> Iterator[Element]:
    """Give a row whose parts share the width, and stand below each other if narrow."""
    with ui.element("div").classes("columns").style(f"--least: {least}px") as row:
        yield row


@contextmanager
def bar() -> Iterator[Element]:
    """Give a line of buttons and fields."""
    with ui.element("div").classes("bar") as row:
        yield row


def text(words: str, kind: str = "") -> ui.label:
    """Show a paragraph; of several lines each stands by itself."""
    return ui.label(plain(words)).classes(f"text {kind}")


def figures(rows: Mapping[str, object], kind: str = "") -> None:
    """Show names and values side by side; ``wide`` ones in several columns."""
    with ui.element("dl").classes(f"figures {kind}"):
        for name, value in rows.items():
            with ui.element("div"):
                with ui.element("dt"):
                    ui.label(shown(name))
                with ui.element("dd"):
                    ui.label(shown(value))


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[object]],
    links: Sequence[str] = (),
    label: str = "",
) -> Element:
    """Show a table; the first cell of each row is its link, where there are any."""
    with ui.element("div").classes("scroll").props("tabindex=0") as around:
        grid = ui.element("table").classes("table")
        if label:
            grid.props["aria-label"] = label
    with grid:
        with ui.element("thead"), ui.element("tr"):
            for name in header:
                with ui.element("th").props("scope=col"):
                    ui.label(shown(name))
        with ui.element("tbody"):
            for number, row in enumerate(rows):
                with ui.element("tr"):
                    for place, cell in enumerate(row):
                        numeric = isinstance(cell, (int, float))
                        with ui.element("td").classes("number" if numeric else ""):
                            told = f"{cell:,}" if isinstance(cell, int) else shown(cell)
                            if place == 0 and links:
                                ui.link(told, links[number])
                            else:
                                ui.label(told)
    return around


def button(
    text: str, act: Callable[..., Any] | None = None, kind: str = "plain"
) -> Element:
    """Show a button: ``main`` for what one came for, ``plain``, or ``danger``."""
    one = ui.element("button").classes(f"button {kind}").props("type=button")
    if act is not None:
        one.on("click", act)
    with one:
        ui.label(shown(text))
    return one


def to(text: str, address: str, kind: str = "plain") -> ui.link:
    """Show a link that looks like a button."""
    return ui.link(shown(text), address).classes(f"button {kind}")


def busy(what: str = "Loading ...") -> Element:
    """Show that something is being done; delete it when it is."""
    with ui.element("div").classes("busy").props("role=status") as around:
        ui.element("div").classes("turning").props("aria-hidden=true")
        ui.label(shown(what))
    return around


def failed(sentence: str, remedy: str = "") -> Element:
    """Show what went wrong, in its sentence."""
    with ui.element("div").classes("failed").props("role=alert") as around:
        ui.label("That did not work").classes("h2")
        ui.label(begun(sentence))
        if remedy:
            ui.label(plain(remedy)).classes("note")
    return around


@contextmanager
def empty(title: str, note: str) -> Iterator[Element]:
    """Give the place for what leads on where there is nothing yet."""
    with ui.element("div").classes("empty") as around:
        ui.label(shown(title)).classes("h2").props("role=heading aria-level=2")
        ui.label(plain(note)).classes("note")
        yield around


def finding_card(one: Finding) -> None:
    """Show a finding with its examples and its remedy."""
    with ui.element("div").classes(f"finding {one.severity}"):
        ui.label(f"{one.severity} · {one.code}").classes("tag")
        ui.label(begun(one.sentence))
        if one.code != "unreadable" and one.examples:
            more = ", ..." if one.count > len(one.examples) else ""
            ui.label(f"e.g. {shown(', '.join(one.examples))}{more}").classes("note")
        ui.label(f"→ {shown(one.remedy)}").classes("remedy")


def chart(options: dict[str, Any], label: str, height: int = 260) -> ui.echart:
    """Show a chart of ``mipl.page.charts``; the label says what it shows."""
    one = ui.echart(options).classes("chart").style(f"height: {height}px")
    one.props["role"], one.props["aria-label"] = "img", shown(label)
    return one


def picture(address: str, label: str, kind: str = "") -> Element:
    """Show a picture of this server, loaded when it comes into sight."""
    one = ui.element("img").classes(f"picture {kind}")
    one.props["src"], one.props["alt"] = address, shown(label)
    one.props["loading"] = "lazy"
    return one


def begun(sentence: str) -> str:
    """Return a sentence with a large letter at its beginning."""
    told = plain(sentence)
    return told[:1].upper() + told[1:]


def pages(page: ListPage, visit: Visit) -> None:
    """Show which page this is, and the way to the others."""
    if page.pages < 2:
        return
    with ui.element("nav").classes("pages").props("aria-label=Pages"):
        if page.number > 1:
            to("Previous", visit.again(page=page.number - 1))
        last = page.first + len(page.shown)
        ui.label(f"{page.first + 1:,} to {last:,} of {page.total:,}")
        if page.number < page.pages:
            to("Next", visit.again(page=page.number + 1))
