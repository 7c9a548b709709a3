"""Pictures of bags as a model sees them, by ids and a number."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response

from mipl.errors import MiplError
from mipl.page.site import Site
from mipl.page.workspace import is_id

_KEPT = {"cache-control": "private, max-age=300"}


def add_explanation_routes(app: FastAPI, site: Site) -> None:
    """Add what sends the picture of a bag, to be shown or to be kept."""

    @app.get("/explained/{data}/{run}/{bag}")
    def explained_bag(data: str, run: str, bag: int) -> Response:
        return _sent(site, data, run, bag, truth=True)

    @app.get("/asked/{data}/{run}/{bag}")
    def asked_bag(data: str, run: str, bag: int) -> Response:
        """Send it as a person is shown it who is asked: without the true class."""
        return _sent(site, data, run, bag, truth=False)


def _sent(site: Site, data: str, run: str, bag: int, truth: bool) -> Response:
    if not (is_id(data) and is_id(run)):
        raise HTTPException(404, "there is no such picture.")
    try:
        picture = _picture(site, data, run, bag, truth)
    except MiplError as error:
        raise HTTPException(404, str(error)) from None
    name = f'inline; filename="bag-{bag}.png"'
    headers = {**_KEPT, "content-disposition": name}
    return Response(picture, media_type="image/png", headers=headers)


def _picture(site: Site, data: str, run: str, bag: int, truth: bool) -> bytes:
    """Draw a bag, or take the picture that was drawn before."""
    drawn = import_module("mipl.page.explained_bag")  # Torch and SciPy, on first use.
    place, model = site.workspace.dataset(data), site.workspace.run(run)
    whole = site.library.dataset(place)
    if not 0 <= bag < len(whole):
        raise MiplError(f"there are {len(whole):,} bags; got {bag}.")

    def draw() -> bytes:
        told = drawn.explained(whole, site.library.model(model), bag)
        if not truth:
            told = replace(told, label=None)
        return bytes(drawn.bag_picture(told))

    what = f"picture of {bag} of {data} {place.changed} {truth}"
    return site.library.kept(what, model, draw)
