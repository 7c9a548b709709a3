"""The figures of a training as they come, a line of JSON each, and who writes them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_LOOKS = 20  # How often, over a training, the model is asked about bags.


def append(path: Path, values: Mapping[str, Any]) -> None:
    """Add a line; numbers that are not finite are left out."""
    kept = {
        name: value
        for name, value in values.items()
        if not isinstance(value, float) or math.isfinite(value)
    }
    line = json.dumps(kept, allow_nan=False) + "\n"
    with path.open("ab") as handle:
        handle.write(line.encode())


class FigureLog:
    """A callback that writes down each epoch, and now and then what the model says.

    Where an estimator has learners, their epochs count as parts of theirs.

    Parameters
    ----------
    path : Path
    judge : callable, optional
        Given the model as it is now, returns figures of it.
    """

    max_propagation_depth = 1

    def __init__(
        self, path: Path, judge: Callable[[Any], Mapping[str, float]] | None = None
    ) -> None:
        self.path, self.judge = path, judge
        self.total: int | None = None
        self.shares: dict[int, float] = {}
        self.last = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy in another process writes nothing."""
        return _Silent, ()

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be prepared."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing is to be cleaned up."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Learn from the root task how many parts there are."""
        if context.parent is None:
            self.total = context.max_subtasks

    def on_fit_task_end(
        self,
        estimator: Any,
        context: Any,
        *,
        metadata: Mapping[str, Any] | None = None,
        fitted_estimator: Any = None,
    ) -> bool:
        """Write the figures of the epoch or learner that ended; never asks to stop."""
        if context.parent is None:
            return False
        figures = dict((metadata or {}).get("figures", {}))
        whole, share = context, 1.0
        if context.parent.parent is not None:  # An epoch of a learner, say.
            whole, n = context.parent, context.task_id + 1
            share = n / whole.max_subtasks if whole.max_subtasks else 0.0
        self.shares[whole.task_id] = share
        # A resumed run begins later.
        done = max(sum(self.shares.values()), float(figures.get("epoch", 0.0)))
        own = {name: v for name, v in figures.items() if isinstance(v, (int, float))}
        told = {"kind": "epoch", "done": done, "total": self.total}
        append(self.path, {**told, "task": context.task_name, **own})
        if whole is context and fitted_estimator is not None and self._due(done):
            self._look(fitted_estimator, done)
        return False

    def _due(self, done: float) -> bool:
        """Tell whether the model is to be asked: first, last, and between."""
        step = max(1.0, (self.total or _LOOKS) / _LOOKS)
        if done <= 1 or done >= (self.total or 0) or done - self.last >= step:
            self.last = done
            return self.judge is not None
        return False

    def _look(self, model: Any, done: float) -> None:
        assert self.judge is not None
        append(self.path, {"kind": "look", "done": done, **self.judge(model)})


class _Silent:
    """What a copy of the log is in another process."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be prepared."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing is to be cleaned up."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing is told."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Nothing is told."""
