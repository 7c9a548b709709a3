"""``mipl runs ls``, ``show`` and ``compare``: what a store holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.lists import names, numbers
from mipl.cli.options import Json
from mipl.cli.output import pairs, say, show, show_json, table, title
from mipl.cli.plan_options import (
    RESULTS,
    Counts,
    Data,
    Methods,
    State,
    StoreFile,
)
from mipl.plain_text import plain

if TYPE_CHECKING:
    from mipl.runs.comparison import Comparison
    from mipl.runs.result import Result
    from mipl.runs.store import Store

_KEY = 10  # Digits of a key that are shown.


def chosen(
    store: Store,
    method: list[str] | None,
    data: list[str] | None,
    r: list[str] | None,
    state: list[str] | None,
) -> list[Result]:
    """Return the results that the options select; all where none is given."""
    from mipl.errors import unknown
    from mipl.runs.result import STATES

    state = names(state)
    for name in state or ():
        if name not in STATES:
            raise unknown("state", name, STATES)
    where = {"method": names(method), "data": names(data), "r": numbers("--r", r)}
    given = {name: value for name, value in where.items() if value}
    return store.results(state or STATES, **given)


def ls(
    method: Methods = None,
    data: Data = None,
    r: Counts = None,
    state: State = None,
    last: Annotated[
        int, typer.Option(min=1, metavar="N", help="Show only the last of them.")
    ] = 50,
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """List results, the latest below; --json lists all."""
    from mipl.runs.store import Store

    results = chosen(Store(store), method, data, r, state)
    if as_json:
        show_json([result.as_dict() for result in results])
        return
    rows = [_line(result) for result in results[-last:]]
    show(title(str(store), _counted(results)), wrap=False)
    if rows:
        heads = ["key", "method", "data", "r", "split", "accuracy", "s", "arguments"]
        show(table(heads, rows))
    if len(results) > last:
        say("before", f"{len(results) - last} more; --last {len(results)} shows all")


def _counted(results: list[Result]) -> str:
    from collections import Counter

    states = Counter(result.state for result in results)
    told = ", ".join(f"{count} {state}" for state, count in states.items())
    return told or "no results"


def _line(result: Result) -> tuple[object, ...]:
    run = result.run
    what = result.state if result.accuracy is None else f"{result.accuracy:.3f}"
    told = " ".join(
        f"{name.replace('__', '.')}={value}"
        for name, value in {**run.arguments, **run.options}.items()
    )
    seconds = f"{result.seconds:.1f}"
    return (
        result.key[:_KEY],
        run.method,
        run.data,
        run.r,
        run.split,
        what,
        seconds,
        result.message or told,
    )


def show_(
    key: Annotated[str, typer.Argument(help="Of mipl runs ls; its first digits do.")],
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """Show all that is known of one result; --json has curves and predictions."""
    from mipl.runs.store import Store

    kept = Store(store)
    result = kept.by_key(key)
    curves, said = kept.curves(result), kept.predictions(result)
    if as_json:
        told = result.as_dict() | {"curves": curves}
        show_json(told | {"predictions": None if said is None else said.as_dict()})
        return
    show(title(result.run.method, result.run.data), pairs(_facts(result)))
    if result.figures:
        figures = {name: f"{value:.3f}" for name, value in result.figures.items()}
        show("", title("test bags"), pairs(figures))
    if curves:
        ends = {
            name: f"{values[0]} -> {values[-1]}"
            for name, values in curves.items()
            if values
        }
        show("", title("first and last epoch"), pairs(ends))


def _facts(result: Result) -> dict[str, str]:
    run = result.run
    rows = {
        "r, split, seed": f"{run.r}, {run.split}, {run.seed}",
        "arguments": str(run.arguments),
        "options": str(run.options),
        "state": f"{result.state} {result.message}".rstrip(),
        "accuracy": "none" if result.accuracy is None else f"{result.accuracy:.4f}",
        "seconds": f"{result.seconds:.1f}",
        "ended": result.ended or "not known",
        "content": run.content or "not known",
        "versions": ", ".join(f"{n} {v}" for n, v in run.versions.items())
        or "not known",
        "key": result.key,
    }
    return {name: value for name, value in rows.items() if value != "{}"}


def compare(
    a: Annotated[
        str, typer.Argument(metavar="A", help="As miplma, or 'miplma {\"lam\": 2.0}'.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="What A is compared with.")],
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Take the results as two groups.")
    ] = False,
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """Compare two methods on the splits both were run on, by a t-test at .05."""
    from mipl.errors import MiplError
    from mipl.runs import comparison
    from mipl.runs.store import Store

    kept = Store(store)
    one, other = (comparison.find_setting(kept, text) for text in (a, b))
    found = comparison.compare(kept, one, other, paired=not unpaired)
    if not found:
        raise MiplError(f"{one.name} and {other.name} have no split in common.")
    if as_json:
        show_json(
            {
                "a": one.name,
                "b": other.name,
                "paired": not unpaired,
                "cells": [cell.as_dict() for cell in found],
            }
        )
        return
    test = "two-sided t-test at .05, " + ("unpaired" if unpaired else "paired")
    show(title(f"{one.name} against {other.name}", test), wrap=False)
    header = ["data", "r", "splits", "A", "B", "A - B", "p", ""]
    show(table(header, [_row(cell) for cell in found]))


def _row(cell: Comparison) -> tuple[Any, ...]:
    options = " ".join(f"{name}={value}" for name, value in cell.options.items())
    p = "" if cell.p_value is None else f"{cell.p_value:.2g}"
    return (
        plain(f"{cell.data} {options}".strip()),
        cell.r,
        cell.splits,
        f"{cell.a:.3f}",
        f"{cell.b:.3f}",
        f"{cell.a - cell.b:+.3f}",
        p,
        cell.verdict,
    )
