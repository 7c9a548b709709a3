"""``mipl runs compute``: a grid of runs of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mipl.cli.lists import names, numbers
from mipl.cli.options import Json, PublishedSettings
from mipl.cli.output import next_step, say, show_json
from mipl.cli.own_files import Own, run_own
from mipl.cli.plan_options import (
    RESULTS,
    Address,
    Backend,
    Counts,
    Data,
    DryRun,
    Epochs,
    Methods,
    RetryDiverged,
    RetryOutdated,
    Splits,
    StoreFile,
    Where,
    Workers,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mipl.runs.run import Run
    from mipl.runs.run_settings import RunSettings


def compute(
    context: typer.Context,
    method: Methods = None,
    data: Data = None,
    r: Counts = None,
    splits: Splits = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the training.")] = 0,
    published: PublishedSettings = False,
    epochs: Epochs = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="lam=0.5, reduction=mean; several values are a sweep: lam=0.1,1,5, "
            "training.lr=0.01..0.2:log4; options.seed=1 is of the data; repeatable.",
        ),
    ] = None,
    dry_run: DryRun = False,
    retry_diverged: RetryDiverged = False,
    retry_outdated: RetryOutdated = False,
    backend: Where = Backend.processes,
    address: Address = None,
    workers: Workers = 2,
    store: StoreFile = RESULTS,
    own: Own = None,
    as_json: Json = False,
) -> None:
    """Compute every method on every data set, r and split; what is known is kept.

    A data set is a name of the catalog or a file of your own. The same command again
    goes on with what was interrupted.
    """
    from mipl.cli import plan_work
    from mipl.runs.run_settings import RunSettings
    from mipl.runs.store import Store

    run_own(own)
    asked = RunSettings.of(settings or ()) | RunSettings.of_tables(
        {
            "published": published or None,
            "training": {} if epochs is None else {"epochs": epochs},
        }
    )
    plan = _plan(names(method) or (), names(data) or (), r, splits, seed, asked)
    if dry_run:
        told = plan_work.expected(plan, store, workers, retry_diverged)
        show_json(told) if as_json else plan_work.show_expected(told, workers)
        return
    cluster = plan_work.chosen_backend(backend, address)
    kept = Store(store, create=True)
    done = plan_work.work_off(
        context, plan, kept, workers, cluster, retry_diverged, retry_outdated
    )
    told = plan_work.as_told(done, store)
    if as_json:
        show_json(told)
    else:
        plan_work.show_done(told)
        say("saved", str(store))
        next_step("mipl", "runs", "ls", "--store", store)
    plan_work.finish(told)


def _plan(
    methods: Sequence[str],
    data: Sequence[str],
    r: Sequence[str] | None,
    splits: Sequence[str] | None,
    seed: int,
    told: RunSettings,
) -> list[Run]:
    from dataclasses import replace

    from mipl.errors import MiplError
    from mipl.methods.catalogue.registry import find
    from mipl.runs.run_settings import RunSettings
    from mipl.runs.sweeps import expanded

    if not methods or not data:
        raise MiplError("nothing is asked for; give --method and --data.")
    for id in methods:
        find(id)
    for name in ("method", "data", "r", "split", "seed"):
        if name in told.fields:
            option = "splits" if name == "split" else name
            raise MiplError(f"--set {name}=... is one run's; give --{option}.")
    plan = [
        (point | RunSettings({"method": id, "split": split, "seed": seed, **one})).run()
        for point in expanded(told)
        for one in _data(data, r)
        for split in numbers("--splits", splits or ["0-9"]) or ()
        for id in methods
    ]
    for run in dict.fromkeys(replace(run, split=0) for run in plan):
        run.build()  # Arguments that a method does not have are told at once.
    return plan


def _data(given: Sequence[str], r: Sequence[str] | None) -> list[dict[str, Any]]:
    """Return each name of the catalog with each r, and each file once, as it is."""
    from mipl.datasets import CATALOG
    from mipl.errors import MiplError
    from mipl.files import existing
    from mipl.runs.source import Source

    found: list[dict[str, Any]] = []
    for name in given:
        if name in CATALOG:
            counts = numbers("--r", r or ["1"]) or ()
            found += [{"data": name, "r": count} for count in counts]
            continue
        path = existing(Source(name).path())
        if r is not None:
            raise MiplError(
                f"--r goes with a name of the catalog; {path} is read as it is."
            )
        found.append({"data": str(path.absolute())})
    return found
