"""Where browsers send files: streamed into a draft, limited by the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import unquote

from fastapi import FastAPI, HTTPException, Request

from mipl.errors import MiplError
from mipl.page.site import Site
from mipl.page.workspace import is_id


def add_upload_routes(app: FastAPI, site: Site) -> None:
    """Add what takes the files of a draft, each as the body of a request."""

    @app.post("/upload/{draft}")
    async def upload(draft: str, request: Request) -> dict[str, str]:
        name = unquote(request.headers.get("x-file-name", ""))
        try:
            if not is_id(draft):
                raise MiplError("there is no such upload.")
            return {"name": await site.uploads.take(draft, name, _pieces(request))}
        except MiplError as error:
            raise HTTPException(400, str(error)) from None


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        yield piece
