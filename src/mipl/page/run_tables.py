"""The runs of a workspace as the tables that ``mipl runs table`` makes."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from mipl.errors import MiplError
from mipl.files import make_folder
from mipl.page.compared_runs import FIGURES, ComparedRun, data_name, told_apart
from mipl.runs.result import FINISHED, Result
from mipl.runs.run import Run
from mipl.runs.store import Store

#: What a table may be written as, and how its file is called.
FORMATS = {"markdown": "runs.md", "latex": "runs.tex", "html": "runs.html"}
_MOST_ARGUMENTS = 4  # That tell settings of a method apart, as columns of heads.


def run_table(
    runs: Sequence[ComparedRun], format: str, folder: Path, by: str = ""
) -> bytes:
    """Return the table of runs, methods down and data sets across, in a format.

    ``by`` is the figure of ``FIGURES`` that its cells have: their mean and standard
    deviation over splits; accuracy where none is named.
    """
    figure = by if by in FIGURES else "accuracy"
    known = [one for one in runs if figure in one.figures]
    methods = dict.fromkeys(one.method for one in known)
    apart = dict.fromkeys(name for one in methods for name in told_apart(known, one))
    if not known:
        raise MiplError(
            f"none of these runs has the figure {figure!r}; sort by another."
        )
    # Matplotlib and Jinja come with it.
    table = import_module("mipl.reports.result_views").results_table
    with TemporaryDirectory(dir=make_folder(folder)) as place:
        store = Store(Path(place) / "results.db", create=True)
        store.record_all((one, None, None) for one in _results(known))
        made = table(
            store,
            rows=("method", *list(apart)[:_MOST_ARGUMENTS]),
            figure=FIGURES[figure][1],
            titles={one.data: data_name(one.data) for one in runs},
        )
        text: str = made.text(format)
    return text.encode()


def _results(runs: Sequence[ComparedRun]) -> list[Result]:
    found = []
    for one in runs:
        figures = {FIGURES[name][1]: value for name, value in one.figures.items()}
        run = Run(one.method, one.data, one.arguments, split=one.split, seed=one.seed)
        accuracy = figures.pop("accuracy", None)
        found.append(Result(run, FINISHED, accuracy, one.seconds or 0.0, figures))
    return found
