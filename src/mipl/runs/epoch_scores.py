"""EpochScores: the accuracy on test bags, epoch by epoch."""

from __future__ import annotations

from typing import Any

from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier


class EpochScores:
    """A callback that keeps the accuracy on test bags after every epoch.

    Some programs report the epoch that is best on the test bags. Nobody can choose it
    who has no test labels: it tells what such figures are worth, and no more.

    Attributes
    ----------
    accuracies : list of float
        One per epoch.
    """

    def __init__(self, model: BagClassifier, test: Dataset) -> None:
        self.model, self.test = model, test
        self.accuracies: list[float] = []
        if hasattr(model, "set_callbacks"):
            model.set_callbacks(self)

    @property
    def best(self) -> float:
        """The accuracy of the epoch that is best on the test bags."""
        if not self.accuracies:
            raise MiplError(
                "test_curve of a run is for methods that learn in epochs; "
                f"{type(self.model).__name__} does not: leave it out."
            )
        return max(self.accuracies)

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be prepared."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing is to be cleaned up."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing is known yet."""

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any
    ) -> None:
        """Look at the test bags."""
        if context.task_name == "epoch":
            found = fitted_estimator.score(self.test.bags, self.test.labels)
            self.accuracies.append(float(found))
