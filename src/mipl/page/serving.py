"""The server: NiceGUI's application with our screens, behind the guard."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI
from nicegui import core, ui

from mipl.errors import MiplError
from mipl.page.asset_routes import add_asset_routes
from mipl.page.explanation_routes import add_explanation_routes
from mipl.page.frame import shown_by
from mipl.page.guard import Guard
from mipl.page.picture_routes import add_picture_routes
from mipl.page.screen_list import SCREENS
from mipl.page.site import Site
from mipl.page.upload_routes import add_upload_routes

_TRIED = 20  # Ports, where none was asked for.
_LONGEST_MESSAGE = 1 << 20  # Bytes of one message of a browser.


def application(site: Site) -> FastAPI:
    """Return the application with all screens; there is one in a process."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_picture_routes(app, site)
    add_explanation_routes(app, site)
    add_upload_routes(app, site)
    add_asset_routes(app)
    for screen in SCREENS:
        path = screen.path.replace(":int", "")
        ui.page(path, title=f"{screen.title} · mipl")(shown_by(screen, site))
    ui.run_with(
        app,
        title="mipl",
        dark=None,
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        reconnect_timeout=10.0,
        cache_control_directives="private, max-age=86400",
    )
    # Quasar shows a bar without a name over each picture that loads.
    core.app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    core.sio.eio.max_http_buffer_size = _LONGEST_MESSAGE
    return app


def listening(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens; without a port, on the first free from 8080 on."""
    found = _addresses(host)
    wanted = range(8080, 8080 + _TRIED) if port is None else [port]
    for number in wanted:
        one = socket.socket(found, socket.SOCK_STREAM)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host, number))
        except PermissionError:
            one.close()
            raise MiplError(
                f"port {number} is not for everybody; give a --port above 1023."
            ) from None
        except OSError:
            one.close()
            continue
        one.listen(128)
        one.set_inheritable(False)
        return one
    told = f"port {port} is" if port is not None else f"ports 8080 to {wanted[-1]} are"
    raise MiplError(
        f"{told} in use, or {host} is no address of this machine; give another --port, "
        "0 for any, or another --host."
    )


def _addresses(host: str) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][0]
    except OSError:
        raise MiplError(
            f"--host {host} is no address of this machine; give one, or leave it out."
        ) from None


def serve(
    site: Site,
    host: str,
    listener: socket.socket,
    tell: Callable[[str], None],
    ready: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C; ``ready`` gets the link once the server answers.

    ``tell`` gets every later link.
    """
    port = listener.getsockname()[1]
    site.jobs.look_after()
    guard = Guard(application(site), host, port, tell=tell)
    config = uvicorn.Config(
        guard,
        host=host,
        port=port,
        ws="wsproto",
        ws_max_size=_LONGEST_MESSAGE,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config, lambda: ready(guard.link()))
    server.run(sockets=[listener])


class _Server(uvicorn.Server):
    """Tells when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
