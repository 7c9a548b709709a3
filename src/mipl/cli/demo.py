"""``mipl demo``: a first look that needs no files and no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mipl.cli.options import Json
from mipl.cli.output import say, show, show_json, table, title

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.runs.demo import DemoRun

PAGE = "index.html"


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of the page.")
    ] = Path("demo"),
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes, of one thread each.")
    ] = 2,
    as_json: Json = False,
) -> None:
    """Train three readings of MIPLMA and a rival on digits; write a page."""
    from time import perf_counter

    from mipl.data.describe import describe
    from mipl.datasets import load_dataset
    from mipl.files import make_folder
    from mipl.reports.demo_page import write_demo_page
    from mipl.reports.plots import drawing
    from mipl.runs.demo import DATA

    start = perf_counter()
    with drawing():
        pass  # What drawing lacks is told before minutes are spent.
    page = make_folder(out) / PAGE
    dataset = load_dataset(DATA)
    if not as_json:
        _show_data(dataset)
    runs = _runs(workers)
    seconds = perf_counter() - start
    write_demo_page(page, describe(dataset), runs, seconds)
    if as_json:
        show_json({"page": str(page), "seconds": seconds, "runs": _as_dicts(runs)})
    else:
        _show_runs(runs, seconds, page)


def _show_data(dataset: Dataset) -> None:
    from mipl.cli.data_views import show_description, show_findings
    from mipl.data.describe import describe
    from mipl.data.validate import validate

    show_description(describe(dataset))
    show("", title("validation"))
    show_findings(dataset.name, validate(dataset))


def _runs(workers: int) -> list[DemoRun]:
    from mipl.cli.progress import bar
    from mipl.runs.demo import FOLDS, IDS, demo_runs

    runs: list[DemoRun] = []
    with bar() as progress:
        task = progress.add_task("fits", total=len(IDS) * len(FOLDS), figures="")
        for run in demo_runs(FOLDS, IDS, workers):
            runs.append(run)
            told = f"{run.contestant}, split {run.fold}: {run.seconds:.1f} s"
            progress.update(task, advance=1, figures=told)
    return runs


def _show_runs(runs: list[DemoRun], seconds: float, page: Path) -> None:
    from mipl.reports.demo_page import DEMO_COLUMNS, demo_rows
    from mipl.runs.demo import CONTESTANTS

    header, *rows = zip(["", *DEMO_COLUMNS], *demo_rows(runs), strict=True)
    notes = [(one.title, one.note) for one in CONTESTANTS]
    folds = len({run.fold for run in runs})
    show(
        "",
        title("test bags", f"mean ± std over {folds} splits, {seconds:.0f} s in all"),
        table([name.removeprefix("MIPLMA, ") for name in header], rows),
        "",
        table(["", ""], notes),
        "",
    )
    say("written", str(page))
    say("next", "mipl fit digits-mipl --out run, or your own: mipl data import --help")


def _as_dicts(runs: list[DemoRun]) -> list[dict[str, object]]:
    return [
        {
            "method": run.contestant,
            "split": run.fold,
            "seconds": run.seconds,
            **run.evaluation.as_dict(),
        }
        for run in runs
    ]
