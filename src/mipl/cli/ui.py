"""``mipl ui``: the page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def ui(
    folder: Annotated[
        Path, typer.Argument(help="The workspace; made where it is absent.")
    ] = Path(),
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="8080, or the next that is free; 0 for any."
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(help="Where to listen; by default for this machine only."),
    ] = "127.0.0.1",
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Only print the link; open no browser.")
    ] = False,
) -> None:
    """Show a folder as a page: data, training, models, review.

    The link that is printed opens the page once, in one browser; Ctrl-C ends the
    server. What is being trained goes on, and is shown again at the next start.
    """
    from mipl.cli.output import say, warn
    from mipl.errors import MissingExtra

    try:
        from mipl.page.serving import listening, serve
    except ModuleNotFoundError as error:
        if error.name not in ("fastapi", "nicegui", "starlette", "uvicorn"):
            raise
        raise MissingExtra.of("mipl ui", "nicegui", "ui") from None
    from mipl.page.guard import LOOPBACK
    from mipl.page.site import Site
    from mipl.page.workspace import Workspace

    site = Site(Workspace(folder))
    listener = listening(host, port)
    os.chdir(site.workspace.folder)  # Runs name their data from there.
    if host not in LOOPBACK:
        warn(
            f"{host} can be reached from other machines, and what is sent is not "
            "encrypted; put a proxy with TLS before it."
        )

    def ready(link: str) -> None:
        say("workspace", str(site.workspace.folder))
        say("open", link)
        if not no_open:
            from mipl.page.opening import open_browser

            open_browser(link)

    serve(site, host, listener, lambda link: say("open", link), ready)
