"""Progress in scikit-learn's callback form: one task per epoch, or per learner.

A learner's epochs are tasks inside its own, for callbacks that scikit-learn passes on:
those with a ``max_propagation_depth``, as its ``ProgressBar``.

The callback interface of scikit-learn is marked experimental, so this file is the only
one that knows it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from sklearn.callback import (
    AutoPropagatedCallback,
    CallbackSupportMixin,
    with_callbacks,
)

__all__ = [
    "CallbackSupportMixin",
    "EpochReports",
    "in_place_of",
    "passed_on",
    "with_callbacks",
    "within_callbacks",
]


class EpochReports:
    """Tells the estimator's callbacks of each epoch, and hears whether to stop.

    ``task`` is the name of what is counted where it is no epoch.
    """

    def __init__(
        self, estimator: Any, epochs: int, X: Any, y: Any, task: str = "epoch"
    ) -> None:
        self.given = {"estimator": estimator, "X": X, "y": y}
        self.task = task
        self.root = estimator._init_callback_context(max_subtasks=epochs)
        self.root.call_on_fit_task_begin(**self.given)

    def epoch(self, figures: Mapping[str, float], fitted: dict[str, Any]) -> bool:
        """Report one finished epoch; True asks the loop to stop.

        Callbacks get the epoch's figures as metadata, and an estimator with the fitted
        attributes as they are now.
        """
        return self.ended(self.part(), figures, fitted)

    def part(self) -> Any:
        """Return the task of a part to come, for ``passed_on`` and ``ended``."""
        return self.root.subcontext(task_name=self.task)

    def passes_on(self) -> bool:
        """Tell whether a callback wants to hear of what happens inside the parts."""
        callbacks = getattr(self.given["estimator"], "_skl_callbacks", ())
        return any(isinstance(one, AutoPropagatedCallback) for one in callbacks)

    def ended(
        self, task: Any, figures: Mapping[str, float], fitted: dict[str, Any]
    ) -> bool:
        """Report a part that has ended, as ``epoch`` does."""
        task.call_on_fit_task_begin(**self.given)
        return bool(
            task.call_on_fit_task_end(
                **self.given,
                metadata={"figures": dict(figures)},
                reconstruction_attributes=fitted,
            )
        )

    def inside(self, task: str, parts: str) -> EpochReports:
        """Begin a last task with parts of its own, nobody knows how many."""
        inner = copy.copy(self)
        inner.task = parts
        inner.root = self.root.subcontext(task_name=task, max_subtasks=None)
        inner.root.call_on_fit_task_begin(**self.given)
        return inner

    def finish(self) -> None:
        """Report the end of the whole fit, or of the task that ``inside`` began."""
        self.root.call_on_fit_task_end(**self.given)


@contextmanager
def passed_on(tasks: Sequence[Any], models: Sequence[Any]) -> Iterator[None]:
    """Let callbacks hear of what is done to each model, as a part of its task.

    Without tasks, none hears of it.
    """
    with ExitStack() as stack:
        for task, model in zip(tasks, models, strict=bool(tasks)):
            if isinstance(model, CallbackSupportMixin):
                stack.enter_context(task.propagate_callback_context(model))
        yield


@contextmanager
def in_place_of(whole: Any, part: Any) -> Iterator[None]:
    """Let callbacks hear of a part as they would of the whole, in a search, too."""
    place = vars(whole).get("_parent_callback_ctx")
    if place is None or not isinstance(part, CallbackSupportMixin):
        yield
        return
    part._parent_callback_ctx = place
    try:
        yield
    finally:
        del part._parent_callback_ctx
        # Those of the search are lent, as scikit-learn lends them to the whole.
        lent = getattr(part, "_skl_callbacks", ())
        own = [one for one in lent if not isinstance(one, AutoPropagatedCallback)]
        part.set_callbacks(*own)


def within_callbacks(estimators: Sequence[Any], work: Callable[[], None]) -> None:
    """Do some work during which the callbacks of all these estimators are in use."""
    if not estimators:
        return work()
    first, *others = estimators
    managed = with_callbacks(lambda _: within_callbacks(others, work))
    managed(first)
