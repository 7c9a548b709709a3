"""The runs of a workspace as the tables that ``mipl runs table`` makes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mipl.errors import MiplError
from mipl.files import make_folder
from mipl.page.compared_runs import FIGURES, ComparedRun, data_name
from mipl.runs.result import FINISHED, Result
from mipl.runs.run import Run
from mipl.runs.store import Store

#: What a table may be written as, and how its file is called.
FORMATS = {"markdown": "runs.md", "latex": "runs.tex", "html": "runs.html"}
_MOST_ARGUMENTS = 4  # That tell settings of a method apart, as columns of heads.
_UNTOLD = ("training__record_bags",)  # What is written down changes no run.


def run_table(
    runs: Sequence[ComparedRun], format: str, folder: Path, by: str = ""
) -> bytes:
    """Return the table of runs, methods down and data sets across, in a format.

    ``by`` is the figure of ``FIGURES`` that its cells have: their mean and standard
    deviation over splits; accuracy where none is named.
    """
    figure = by if by in FIGURES else "accuracy"
    results = _results([one for one in runs if figure in one.figures])
    if not results:
        raise MiplError(
            f"none of these runs has the figure {figure!r}; sort by another."
        )
    # Matplotlib and Jinja come with it.
    table = import_module("mipl.reports.result_views").results_table
    with TemporaryDirectory(dir=make_folder(folder)) as place:
        store = Store(Path(place) / "results.db", create=True)
        store.record_all((one, None, None) for one in results)
        made = table(
            store,
            rows=("method", *_told_apart(results)),
            figure=FIGURES[figure][1],
            titles={one.data: data_name(one.data) for one in runs},
        )
        text: str = made.text(format)
    return text.encode()


def _results(runs: Sequence[ComparedRun]) -> list[Result]:
    found = []
    for one in runs:
        figures = {FIGURES[name][1]: value for name, value in one.figures.items()}
        run = Run(
            one.method, one.data, _plain(one.arguments), split=one.split, seed=one.seed
        )
        accuracy = figures.pop("accuracy", None)
        found.append(Result(run, FINISHED, accuracy, one.seconds or 0.0, figures))
    return found


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in _UNTOLD}


def _told_apart(results: Sequence[Result]) -> list[str]:
    """Return the arguments by which runs of a method differ, a few of them."""
    values: dict[str, set[str]] = defaultdict(set)
    for one in results:
        for name, value in one.run.arguments.items():
            values[f"{one.run.method} {name}"].add(repr(value))
    found = (key.partition(" ")[2] for key, seen in values.items() if len(seen) > 1)
    return list(dict.fromkeys(found))[:_MOST_ARGUMENTS]
