"""The frame of all screens: header, menu, light and dark; how a screen is filled."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from importlib import import_module

from fastapi import Request
from nicegui import ui
from nicegui.element import Element

from mipl.errors import MiplError
from mipl.page import cards
from mipl.page.screen_list import SCREENS, Screen
from mipl.page.site import Site
from mipl.page.visit import Visit
from mipl.page.workspace import is_id, shown

MODE = "mipl-mode"  # The cookie that remembers light or dark.
_LONGEST_NUMBER = 9
_YEAR = 365 * 24 * 3600
# Whoever sees it light sees it light again, in the next tab, too.
_REMEMBER = (
    f"document.cookie = '{MODE}=%s; Path=/; SameSite=Strict; Max-Age={_YEAR}'; "
    "location.reload()"
)
_HEAD = (
    '<link rel="stylesheet" href="/assets/page.css">'
    '<script defer src="/assets/upload.js"></script>'
)


def shown_by(screen: Screen, site: Site) -> Callable[[Request], Awaitable[None]]:
    """Return what answers requests of a screen."""
    unopened = site.unopened

    async def show(request: Request) -> None:
        ids = {name: str(value) for name, value in request.path_params.items()}
        mode = request.cookies.get(MODE, "")
        ui.dark_mode({"dark": True, "light": False}.get(mode))
        known = all(is_id(one) or _is_number(one) for one in ids.values())
        content = _frame(screen, site)
        if not await unopened.opened(ui.context.client):
            return
        dark = mode == "dark"
        if mode not in ("dark", "light"):
            asked = "matchMedia('(prefers-color-scheme: dark)').matches"
            dark = bool(await ui.run_javascript(asked, timeout=10))
        visit = Visit(site, screen, ids, dict(request.query_params), dark)
        with content:
            waiting = cards.busy()
            try:
                if not known:
                    raise MiplError("this address is of no kind that there is here.")
                await _filled(visit, waiting)
            except MiplError as error:
                cards.failed(str(error))
            except Exception:
                logging.getLogger("mipl.page").exception("screen %s", screen.name)
                cards.failed(_BUG)
            finally:
                if not waiting.is_deleted:
                    waiting.delete()

    return show


_BUG = (
    "this screen has failed by a mistake of the program; what happened stands in the "
    "terminal of mipl ui."
)


async def _filled(visit: Visit, waiting: Element) -> None:
    """Let the screen fill the page; what waits goes when the first thing is there."""
    build = (await visit.work(import_module, visit.screen.module)).build
    await build(visit)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER


def _frame(screen: Screen, site: Site) -> Element:
    """Draw what all screens have; return where the screen's own goes."""
    ui.add_head_html(_HEAD)
    ui.query("html").props("lang=en")
    ui.link("Skip to content", "#content").classes("skip")
    with ui.element("header").classes("top"):
        with ui.link(target="/").classes("brand"):
            ui.label("mipl")
        with ui.element("nav").classes("menu").props('aria-label="Screens"'):
            for one in SCREENS:
                if one.menu:
                    link = ui.link(one.title, one.path)
                    if one.title == screen.title:
                        link.props("aria-current=page")
        where = shown(site.workspace.folder.name or site.workspace.folder)
        ui.label(where).classes("where").props(f"title={'Workspace'!r}")
        with ui.row().classes("modes"):
            for mode in ("light", "dark"):
                button = ui.element("button").classes(f"mode mode-{mode}")
                button.props(f'type=button aria-label="Show {mode}"')
                button.on("click", _remembered(mode))
                with button:
                    ui.label("☀" if mode == "light" else "☾").props("aria-hidden=true")
    main = ui.element("main").props("id=content tabindex=-1").classes("content")
    return main


def _remembered(mode: str) -> Callable[[], None]:
    return lambda: _run(_REMEMBER % mode)


def _run(script: str) -> None:
    ui.run_javascript(script)
