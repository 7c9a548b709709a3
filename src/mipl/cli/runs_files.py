"""``mipl runs export`` and ``import``: results as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mipl.cli.options import Json
from mipl.cli.output import say, show_json
from mipl.cli.plan_options import RESULTS, Counts, Data, Methods, State, StoreFile


def export(
    out: Annotated[
        Path, typer.Argument(help="A .csv table, or a .db store with the curves too.")
    ],
    method: Methods = None,
    data: Data = None,
    r: Counts = None,
    state: State = None,
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """Write results to a file that other programs, or mipl runs import, read."""
    from mipl.cli.runs_look import chosen
    from mipl.runs import results_csv as exchange
    from mipl.runs.store import Store

    kept = Store(store)
    results = chosen(kept, method, data, r, state)
    exchange.export(kept, results, out)
    if as_json:
        show_json({"file": str(out), "results": len(results)})
    else:
        say("saved", f"{len(results)} results in {out}")


def import_(
    file: Annotated[
        Path, typer.Argument(help="A .csv table of results, or the .db of a store.")
    ],
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """Take results from a file; what the store knows already stands."""
    from mipl.files import existing_file
    from mipl.runs.results_csv import import_file
    from mipl.runs.store import Store

    found = import_file(existing_file(file), Store(store, create=True))
    if as_json:
        show_json({"store": str(store)} | vars(found))
        return
    say("imported", f"{found.added} results, {found.known} were known")
    say("next", f"mipl runs ls --store {store}")
