"""Runs side by side: their figures as a table, their curves, and tests between them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from mipl.errors import MiplError
from mipl.files import make_folder, read_bounded
from mipl.io.tables.label_columns import write_columns
from mipl.metrics.significance import t_test
from mipl.page.jobs import FINISHED, Job
from mipl.page.training_view import duration
from mipl.page.workspace import DATA, NATIVE, Place, Workspace, shown
from mipl.runs.run_files import EVALUATION, HISTORY, RUN
from mipl.runs.run_settings import read_tables

_LARGEST = 1 << 26
# Figures of a run, by their names in words, and where its evaluation has them.
FIGURES = {
    "accuracy": ("truth", "accuracy"),
    "balanced accuracy": ("truth", "balanced_accuracy"),
    "calibration error": ("truth", "ece"),
    "covering rate": ("candidates", "covering_rate"),
    "approximated accuracy": ("candidates", "approximated_accuracy"),
    "margin": ("candidates", "margin_mean"),
    "violated margins": ("candidates", "violation_rate"),
    "attention AUROC": ("instances", "attention_auroc"),
}
COST = "time"  # Of a training by the page, whatever it is told of the way.


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run and what it was judged by.

    Attributes
    ----------
    place : Place
    data, method : str
    split, seed : int or None
    arguments : mapping
        Those of the method, and of its training behind ``training__``.
    setting : str
        Method and arguments: what runs on several splits have in common.
    figures : mapping of str to float
        Of ``FIGURES``, those that are known.
    interval : pair of float or None
        That of the accuracy.
    confusion : k rows of k counts
        Empty where the truth is not known.
    classes : list of class names
    seconds : float or None
        That its training took here; None where it was not trained by the page.
    """

    place: Place
    data: str
    method: str
    split: int | None
    seed: int
    arguments: Mapping[str, Any]
    setting: str
    figures: Mapping[str, float]
    interval: tuple[float, float] | None
    confusion: list[list[int]]
    classes: list[Any]
    seconds: float | None = None

    def row(self) -> list[object]:
        """Return what a line of the table shows."""
        data = shown(data_name(self.data))
        told: list[object] = [self.place.name, shown(self.method), data]
        told.append("all bags" if self.split is None else f"{self.split}")
        for name in FIGURES:
            value = self.figures.get(name)
            text = "" if value is None else f"{value:.3f}"
            if name == "accuracy" and self.interval is not None:
                text += f" [{self.interval[0]:.3f}, {self.interval[1]:.3f}]"
            told.append(text)
        return [*told, "" if self.seconds is None else duration(self.seconds)]


HEADER = ["run", "method", "data", "split", *FIGURES, COST]


def data_name(data: str) -> str:
    """Return what the data set of a run is called here.

    Examples
    --------
    >>> data_name("data/trees.bags.h5"), data_name("digits-mipl")
    ('trees', 'digits-mipl')
    """
    return data.removeprefix(f"{DATA}/").removesuffix(NATIVE)


def compared(workspace: Workspace, jobs: Sequence[Job] = ()) -> list[ComparedRun]:
    """Return the runs of a workspace that can be read, the newest first.

    ``jobs`` are the trainings, which tell how long a run took.
    """
    took = {
        str(one.arguments.get("out")): one.seconds
        for one in jobs
        if one.state == FINISHED and one.seconds > 0
    }
    found = []
    for place in workspace.runs():
        try:
            found.append(_read(place, took.get(place.within)))
        except MiplError:  # A damaged run is told of where it is opened.
            continue
    return found


def chosen(
    runs: Sequence[ComparedRun], text: str = "", by: str = "", falling: bool = True
) -> list[ComparedRun]:
    """Return the runs that hold a text, sorted by a figure or a name.

    Those without the figure come last, whichever way it is sorted.
    """
    wanted = text.strip().casefold()
    found = [
        one
        for one in runs
        if wanted in f"{one.place.name} {one.method} {one.data}".casefold()
    ]
    if by in (*FIGURES, COST):
        values = {one.place.id: one.figures.get(by) for one in found}
        if by == COST:
            values = {one.place.id: one.seconds for one in found}
        known = [one for one in found if values[one.place.id] is not None]
        rest = [one for one in found if values[one.place.id] is None]
        known.sort(key=lambda one: values[one.place.id] or 0.0, reverse=falling)
        return [*known, *rest]
    if by in HEADER:
        place = HEADER.index(by)
        found.sort(key=lambda one: str(one.row()[place]), reverse=falling)
    return found


@dataclass(frozen=True)
class PairedTest:
    """Two settings on the splits that both were run on.

    Attributes
    ----------
    a, b : str
    splits : int
    mean_a, mean_b : float
        Accuracies.
    p_value : float
        Of the two-sided paired t-test.
    """

    a: str
    b: str
    splits: int
    mean_a: float
    mean_b: float
    p_value: float


def paired_tests(runs: Sequence[ComparedRun]) -> list[PairedTest]:
    """Test settings on one data set against each other, where two splits are common."""
    cells: dict[tuple[str, str], dict[tuple[int, int], float]] = defaultdict(dict)
    for one in runs:
        if one.split is not None and "accuracy" in one.figures:
            cell = cells[one.data, one.setting]
            cell[one.split, one.seed] = one.figures["accuracy"]
    names, found, words = sorted(cells), [], _setting_words(runs)
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            common = sorted(cells[first].keys() & cells[second].keys())
            if first[0] != second[0] or len(common) < 2:
                continue
            a, b = ([cells[one][at] for at in common] for one in (first, second))
            test = t_test(a, b)
            told = (words[first[1]], words[second[1]], len(common), fmean(a), fmean(b))
            found.append(PairedTest(*told, float(test.p_value)))
    return found


def told_apart(runs: Sequence[ComparedRun], method: str) -> list[str]:
    """Return the arguments by which runs of a method differ."""
    values: dict[str, set[str]] = defaultdict(set)
    own = [one.arguments for one in runs if one.method == method]
    for name in dict.fromkeys(name for arguments in own for name in arguments):
        values[name] = {repr(arguments.get(name)) for arguments in own}
    return [name for name, seen in values.items() if len(seen) > 1]


def _setting_words(runs: Sequence[ComparedRun]) -> dict[str, str]:
    """Return what each setting is called: the method, and what sets it apart."""
    apart = {one.method: told_apart(runs, one.method) for one in runs}
    found = {}
    for one in runs:
        more = ", ".join(
            f"{name.removeprefix('training__')}={one.arguments.get(name)}"
            for name in apart[one.method]
        )
        found[one.setting] = shown(f"{one.method} {more}".strip())
    return found


Lines = dict[str, list[tuple[float, float]]]


@dataclass
class Curves:
    """Curves of several runs over each other, by figure and run."""

    lines: dict[str, Lines] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[ComparedRun]) -> Curves:
        """Read the histories of runs."""
        made = cls()
        for one in runs:
            for epoch in _json(one.place.path / HISTORY, list) or []:
                at = float(epoch.get("epoch", 0))
                for name, value in epoch.items():
                    if name != "epoch" and isinstance(value, (int, float)):
                        line = made.lines.setdefault(name, {})
                        line.setdefault(one.place.name, []).append((at, float(value)))
        return made


def csv(runs: Sequence[ComparedRun], folder: Path) -> bytes:
    """Return the table of runs as a CSV file, with figures as they are."""
    columns = {
        "run": np.array([one.place.name for one in runs], dtype=str),
        "method": np.array([one.method for one in runs], dtype=str),
        "data": np.array([one.data for one in runs], dtype=str),
        "split": np.array(
            ["" if one.split is None else str(one.split) for one in runs], dtype=str
        ),
    }
    for name in FIGURES:
        cells = [repr(one.figures[name]) if name in one.figures else "" for one in runs]
        columns[name] = np.array(cells, dtype=str)
    took = ["" if one.seconds is None else repr(one.seconds) for one in runs]
    columns["seconds"] = np.array(took, dtype=str)
    path = make_folder(folder) / "runs.csv"
    write_columns(path, columns)
    text = path.read_bytes()
    path.unlink()
    return text


def _read(place: Place, seconds: float | None) -> ComparedRun:
    told = read_tables(place.path / RUN)
    judged = _json(place.path / EVALUATION, dict) or {}
    figures = {
        name: float(value)
        for name, (part, own) in FIGURES.items()
        if isinstance(value := (judged.get(part) or {}).get(own), (int, float))
    }
    truth = judged.get("truth") or {}
    interval = truth.get("interval")
    steps = dict(told.get("training") or {})
    steps.pop("record_bags", None)  # What is written down changes no run.
    arguments = {"arguments": told.get("arguments"), "training": steps}
    own = dict(told.get("arguments") or {})
    own |= {f"training__{name}": value for name, value in steps.items()}
    method, split = str(told.get("method", "miplma")), told.get("split")
    return ComparedRun(
        place,
        str(told.get("data", "")),
        method,
        split if isinstance(split, int) else None,
        int(told.get("seed", 0)),
        own,
        f"{method} {json.dumps(arguments, sort_keys=True, default=str)}",
        figures,
        (float(interval[0]), float(interval[1])) if interval else None,
        truth.get("confusion") or [],
        judged.get("classes") or [],
        seconds,
    )


def _json(path: Path, kind: type) -> Any:
    """Return what a file of a run holds; None where there is no such thing."""
    try:
        found = json.loads(read_bounded(path, _LARGEST))
    except (MiplError, ValueError):
        return None
    return found if isinstance(found, kind) else None
