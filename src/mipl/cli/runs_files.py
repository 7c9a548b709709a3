"""``mipl runs export``, ``import``, ``check`` and ``repair``: results as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mipl.cli.options import Json
from mipl.cli.output import FOUND_ERRORS, next_step, say, show_json, warn
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
    next_step("mipl", "runs", "ls", "--store", store)


def check(store: StoreFile = RESULTS, as_json: Json = False) -> None:
    """Read all of a store, with the seals of its results; exit code 1 if damaged."""
    from mipl.runs.store_repair import check

    found = check(store)
    if as_json:
        show_json({"store": str(store)} | vars(found))
    else:
        for fault in found.faults:
            warn(fault)
        say("whole", f"{found.whole} results, {found.unsealed} of them without a seal")
        if found.faults:
            next_step("mipl", "runs", "repair", "repaired.db", "--store", store)
    if found.faults:
        raise typer.Exit(FOUND_ERRORS)


def repair(
    out: Annotated[Path, typer.Argument(help="The new store.")],
    store: StoreFile = RESULTS,
    as_json: Json = False,
) -> None:
    """Copy what is whole in a damaged store to a new one; the old one stays."""
    from mipl.runs.store_repair import repair

    found = repair(store, out)
    if as_json:
        show_json({"store": str(out)} | vars(found))
        return
    for fault in found.faults:
        warn(fault)
    say("saved", f"{found.whole} results in {out}")
