"""Addresses of pictures: ids and numbers only, made anew of the data."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.page.instance_pictures import are_pictures, sheet, thumbnail
from mipl.page.original import crops, original, original_path
from mipl.page.site import Site
from mipl.page.workspace import is_id

# A picture of a data set stays as it is until the data set is changed.
_KEPT = {"cache-control": "private, max-age=300"}


def add_picture_routes(app: FastAPI, site: Site) -> None:
    """Add what sends pictures."""

    @app.get("/picture/{data}/thumbnail")
    def data_thumbnail(data: str) -> Response:
        return _made(site, data, lambda bags: thumbnail(bags, 0))

    @app.get("/picture/{data}/{bag}/thumbnail")
    def bag_thumbnail(data: str, bag: int) -> Response:
        return _made(site, data, lambda bags: thumbnail(bags, bag))

    @app.get("/picture/{data}/{bag}/sheet/{number}")
    def bag_sheet(data: str, bag: int, number: int) -> Response:
        def made(bags: Bags) -> bytes:
            path = original_path(site.workspace, bags, _there(bags, bag))
            if path is not None and not are_pictures(bags.instance_shape):
                return crops(path, bags, bag, number)
            return sheet(bags, bag, number)

        return _made(site, data, made)

    @app.get("/picture/{data}/{bag}/original")
    def bag_original(data: str, bag: int) -> Response:
        def made(bags: Bags) -> bytes:
            path = original_path(site.workspace, bags, _there(bags, bag))
            if path is None:
                raise MiplError("the picture of this bag is not in the workspace.")
            return original(path)

        return _made(site, data, made)


def _there(bags: Bags, bag: int) -> int:
    if not 0 <= bag < len(bags):
        raise MiplError("there is no such bag.")
    return bag


def _made(site: Site, data: str, make: Callable[[Bags], bytes]) -> Response:
    if not is_id(data):
        raise HTTPException(404, "there is no such picture.")
    try:
        bags = site.library.dataset(site.workspace.dataset(data)).bags
        return Response(make(bags), media_type="image/png", headers=_KEPT)
    except MiplError as error:
        raise HTTPException(404, str(error)) from None
