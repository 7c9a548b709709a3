"""Which runs go with which data sets of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mipl.errors import MiplError
from mipl.page.workspace import Place, Workspace
from mipl.runs.run_files import RUN
from mipl.runs.run_settings import read_tables


@dataclass(frozen=True)
class Taught:
    """A run, the data set that it learnt from, and its method."""

    data: Place
    run: Place
    method: str


def pairs(workspace: Workspace) -> list[Taught]:
    """Return the runs whose data set lies in the workspace, the newest first.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     pairs(Workspace(folder))
    []
    """
    data = {one.within: one for one in workspace.datasets()}
    found = []
    for run in workspace.runs():
        try:
            told = read_tables(run.path / RUN)
        except MiplError:  # Its own screen tells what is wrong with it.
            continue
        own = data.get(_within(str(told.get("data", "")), workspace))
        if own is not None:
            found.append(Taught(own, run, str(told.get("method", "miplma"))))
    return found


def others(found: Sequence[Taught], data: str, run: str) -> list[Taught]:
    """Return the other runs on a data set, by ids."""
    return [one for one in found if one.data.id == data and one.run.id != run]


def _within(path: str, workspace: Workspace) -> str:
    """Return a path of a run as it stands in the workspace."""
    return path.removeprefix(f"{workspace.folder.as_posix()}/").removeprefix("./")
