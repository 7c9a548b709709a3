"""The job that trains: what ``mipl fit`` does, to the same folders and bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mipl.page.answer_changes import answer_changes
from mipl.page.figure_log import FigureLog
from mipl.page.jobs import FIGURES
from mipl.runs.run import Run
from mipl.runs.run_files import RUN, checkpoint_path
from mipl.runs.run_settings import RunSettings

_MOST_BAGS = 500  # That the model is asked about while it learns.
_SAVES = 50  # How often, over a training, the state is saved.


def run_of(arguments: Mapping[str, Any]) -> Run:
    """Return the run that is wanted, as ``mipl fit --config`` would read it."""
    return RunSettings.of_tables(arguments["settings"]).run()


def work(arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Train, or go on where the state was saved; return where the run lies."""
    out = Path(arguments["out"])
    if not (out / RUN).exists():  # Who was killed behind the last step has it already.
        run = run_of(arguments)
        every = _saved_every(run)
        run.execute(
            out,
            [FigureLog(folder / FIGURES, _judge(run))],
            resume=checkpoint_path(out).exists(),
            checkpoint_every=every,
        )
    told: dict[str, Any] = {"run": out.as_posix()}
    if "before" in arguments:  # A person has answered bags of it.
        data = arguments["settings"]["data"]
        told |= answer_changes(arguments["before"], out, data)
    return told


def undo(arguments: Mapping[str, Any], root: Path) -> None:
    """Remove the state of a training that is given up."""
    checkpoint_path(root / arguments["out"]).unlink(missing_ok=True)


def _saved_every(run: Run) -> int | None:
    """Return after how many epochs the state is saved; None where there is none."""
    model = run.build()
    keeps = import_module("mipl.methods.wrappers.degraded").keeps_checkpoints
    if not keeps(model):
        return None
    inner: Any = getattr(model, "estimator", model)
    return max(1, int(inner._options().epochs) // _SAVES)


def _judge(run: Run) -> Callable[[Any], dict[str, float]]:
    """Return what asks a model about bags it does not learn from, where there are."""
    scorers = import_module("mipl.selection.scorers")
    parts = run.parts()
    part = parts.train if parts.test is None else parts.test
    if len(part) > _MOST_BAGS:
        part = part[np.linspace(0, len(part) - 1, _MOST_BAGS).astype(np.int64)]

    def figures(model: Any) -> dict[str, float]:
        found = {
            "covering_rate": scorers.covering_rate(model, part.bags, part.candidates),
            "approximated_accuracy": scorers.approximated_accuracy(
                model, part.bags, part.candidates
            ),
        }
        if part.labels is not None:
            found["accuracy"] = float(model.score(part.bags, part.labels))
        return found

    return figures
