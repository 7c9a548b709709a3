"""The job that tries a few epochs of a training, to tell how long all will take."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mipl.page.fit_job import run_of


def work(arguments: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Measure; nothing is written but what came of it."""
    found = import_module("mipl.runs.time_trial").time_trial(run_of(arguments))
    return dict(found.as_dict())
