"""Checks that an interrupted fit goes on as if nothing had happened."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import SkipTest

from mipl.methods.wrappers.degraded import keeps_checkpoints
from mipl.testing.checks.problem import (
    fitted,
    fresh,
    identical,
    problem_for,
    require,
)

_MOST = 1000  # Pauses, one per epoch; a fit that gets nowhere would pause for ever.


def check_resume(estimator: Any) -> None:
    """A fit that is interrupted again and again ends with the bits of an unbroken one.

    What a method keeps between two steps must lie in its network, its label weights or
    in ``clock.seen``: only these are saved.
    """
    if not keeps_checkpoints(estimator):
        raise SkipTest(f"{type(estimator).__name__} keeps no checkpoints")
    if threading.current_thread() is not threading.main_thread():
        raise SkipTest("only the main thread gets signals")
    in_batches = getattr(estimator, "_in_batches", True)
    if in_batches and "training" in estimator.get_params(deep=False):
        # So that an epoch has several steps, and the pause comes in its middle.
        estimator = fresh(estimator).set_params(training__batch_size=4)
    problem = problem_for(estimator)
    whole = fitted(estimator, problem)
    with tempfile.TemporaryDirectory() as place, _ctrl_c():
        paused = _fit_with_pauses(estimator, Path(place) / "checkpoint")
    what = "a fit that was interrupted must go on to the same"
    p = whole.predict_proba(problem.bags)
    identical(paused.predict_proba(problem.bags), p, f"{what} predictions")
    if hasattr(whole, "label_weights_"):
        identical(paused.label_weights_, whole.label_weights_, f"{what} label weights")
    if hasattr(whole, "history_"):
        require(paused.history_ == whole.history_, f"{what} history")


def _fit_with_pauses(estimator: Any, path: Path) -> Any:
    """Fit, interrupted in the first step after each epoch."""
    problem = problem_for(estimator)
    for _ in range(_MOST):
        model = fresh(estimator).set_callbacks(_Impatient())
        try:
            return model.fit(problem.bags, problem.y, checkpoint=path)
        except KeyboardInterrupt:
            continue
    raise AssertionError("a fit that is interrupted must go on, not begin anew.")


class _Impatient:
    """A callback that sends Ctrl-C when an epoch has ended."""

    def setup(self, estimator: Any, context: Any) -> None:
        pass

    def teardown(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        pass

    def on_fit_task_end(
        self,
        estimator: Any,
        context: Any,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> bool:
        if metadata is not None:
            signal.raise_signal(signal.SIGINT)
        return False


@contextmanager
def _ctrl_c() -> Iterator[None]:
    """Let SIGINT mean ``KeyboardInterrupt``, also where the caller ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


CHECKS = (check_resume,)
