"""``mipl methods``: what can be trained, with which arguments, and what to cite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.options import Json
from mipl.cli.output import pairs, show, show_json, table, title
from mipl.cli.own_files import Own, run_own
from mipl.plain_text import plain

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mipl.methods.catalogue.method_row import MethodRow, Published
    from mipl.parameters import Parameter


def methods(
    id: Annotated[
        str | None, typer.Argument(help="One method, with its arguments and defaults.")
    ] = None,
    cite: Annotated[
        str | None, typer.Option(metavar="ID", help="Print what to cite, as BibTeX.")
    ] = None,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """List the methods; name one to see its arguments and their defaults."""
    from mipl.errors import MiplError
    from mipl.methods.catalogue.registry import find, methods

    run_own(own)
    if id is not None and cite is not None:
        raise MiplError("an id and --cite ID exclude each other; give one.")
    if cite is not None:
        _cite(find(cite), as_json)
    elif as_json:
        rows = methods() if id is None else (find(id),)
        told = [_as_dict(row) for row in rows]
        show_json(told if id is None else told[0])
    elif id is None:
        listed = [(row.id, row.family, row.summary) for row in methods()]
        show(table(["id", "family", ""], listed))
        show("", title("next", "mipl methods ID shows its arguments and defaults"))
    else:
        _show(find(id))


def _cite(row: MethodRow, as_json: bool) -> None:
    from mipl.errors import MiplError

    if not row.reference.bibtex:
        raise MiplError(f"{row.id} is a method of one's own, with nothing to cite.")
    if as_json:
        show_json(
            {"id": row.id, "text": row.reference.text, "bibtex": row.reference.bibtex}
        )
    else:
        # Each line by itself: plain() would take the breaks for control characters.
        typer.echo("\n".join(plain(line) for line in row.reference.bibtex.splitlines()))


def _show(row: MethodRow) -> None:
    about = {"": row.summary, "reference": row.reference.text}
    told = {name: text for name, text in about.items() if text}
    show(title(row.id, row.title), pairs(told), "")
    arguments = [
        (name.replace("__", "."), _default(one), one.may_be(), one.about)
        for name, one in row.parameters().items()
    ]
    show(table(["argument", "default", "may be", ""], arguments))
    for _, alike in groupby(row.published, lambda one: replace(one, r=None)):
        show("", *_published(list(alike)))


def _published(alike: list[Published]) -> tuple[RenderableType, RenderableType]:
    """Return settings that differ in r alone, those of ours apart, with the sources."""
    one = alike[0]
    r = "" if one.r is None else f", r = {', '.join(str(row.r) for row in alike)}"
    told = {"authors": _values(one.settings), "source": one.source}
    if one.preset:
        told["authors"] = f"preset {one.preset}, {told['authors']}"
    if one.gaps:
        told |= {"ours": _values(one.chosen) or "none", "chosen as": one.choice}
    return title(f"published for {one.data}{r}"), pairs(told)


def _values(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{n.replace('__', '.')}={v}" for n, v in settings.items())


def _as_dict(row: MethodRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "family": row.family,
        "summary": row.summary,
        "reference": row.reference.text,
        "arguments": {} if row.fault else _arguments(row),
        "schema": {} if row.fault else row.schema(),
        "published": [asdict(one) for one in row.published],
        "fault": row.fault or None,
    }


def _arguments(row: MethodRow) -> dict[str, Any]:
    """Return arguments and defaults as plain values, without what holds others."""
    return {name: _default(one, None) for name, one in row.parameters().items()}


def _default(one: Parameter, none: str | None = "null") -> Any:
    value = none if one.default is None else one.told()
    return list(value) if isinstance(value, tuple) else value
