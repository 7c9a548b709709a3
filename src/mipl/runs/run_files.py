"""The names of what a run leaves behind, for who looks at folders without torch."""

from __future__ import annotations

from pathlib import Path

MODEL, RUN, BAGS = "model", "run.toml", "bags.json"
HISTORY, EVALUATION = "history.json", "evaluation.json"


def checkpoint_path(folder: str | Path) -> Path:
    """Return where a run to this folder keeps its state.

    Examples
    --------
    >>> checkpoint_path("/runs/first").as_posix()
    '/runs/first.checkpoint'
    """
    path = Path(folder).absolute()
    return path.with_name(f"{path.name}.checkpoint")
