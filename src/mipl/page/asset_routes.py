"""The files of our own that browsers load: a fixed table, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import FileResponse

ASSETS = {"page.css": "text/css", "upload.js": "text/javascript"}
_FOLDER = Path(__file__).parent / "assets"


def add_asset_routes(app: FastAPI) -> None:
    """Add an address for each file."""
    for name, kind in ASSETS.items():
        app.get(f"/assets/{name}", response_class=FileResponse)(_sending(name, kind))


def _sending(name: str, kind: str) -> Callable[[], FileResponse]:
    return lambda: FileResponse(_FOLDER / name, media_type=kind)
