"""SolvedClassifier: methods that solve one problem of all training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import PositiveInt
from sklearn.preprocessing import StandardScaler

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.methods.bases.base import Floats
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.one_thread import one_thread
from mipl.parameters import choice, seed
from mipl.seeds import as_seed


class SolvedClassifier(PartialLabelClassifier, kw_only=True):
    """Base of the partial-label methods without mini-batches.

    It scales the features, refuses more rows than a method has memory for, and keeps
    what was learnt. Linear algebra has one thread: solvers make other steps of sums
    that several threads round otherwise. A leaf gives
    ``_solve(x, candidates, seed)``, which returns the label weights, and
    ``_probabilities(x)``.
    """

    scaling: str = choice(
        "Whether features are standardised first.",
        ("standard", "none"),
        default="standard",
    )
    random_state: Any = seed("Of all that is drawn; None is 0.", default=None)

    _most_rows: ClassVar[tuple[int, str] | None] = None  # How many, and why.

    def _solve(self, x: Floats, candidates: Candidates, seed: int) -> Floats:
        raise NotImplementedError

    def _probabilities(self, x: Floats) -> Floats:
        raise NotImplementedError

    def _shapes(self) -> Mapping[str, tuple[int | None, ...]]:
        """Return the shapes of the learnt arrays, by ``n_features_in_`` and classes."""
        return {"coef": (len(self.classes_), self.n_features_in_ + 1)}

    def _fit(self, bags: Bags, candidates: Candidates) -> None:
        self._check_rows(len(bags))
        x = bags.rows(slice(None)).astype(np.float64)  # (m, d)
        self.shift_, self.scale_ = np.zeros(x.shape[1]), np.ones(x.shape[1])
        if self.scaling == "standard":
            scaler = StandardScaler().fit(x)
            self.shift_, self.scale_ = scaler.mean_, scaler.scale_
        self.history_: list[dict[str, float]] = []
        seed = as_seed(self.random_state)
        with one_thread():
            self.label_weights_ = self._solve(self._scaled(x), candidates, seed)
        self.n_iter_ = len(self.history_)

    def _check_rows(self, n_rows: int) -> None:
        if self._most_rows is not None and n_rows > self._most_rows[0]:
            most, why = self._most_rows
            raise MiplError(
                f"{type(self).__name__} is for at most {most} rows, because {why}; "
                f"got {n_rows}. Take a sample of them, or a method that learns in "
                "batches, such as PRODEN."
            )

    def _scaled(self, x: Floats) -> Floats:
        scaled: Floats = (x - self.shift_) / self.scale_
        return scaled

    def _proba(self, bags: Bags) -> Floats:
        pieces = (piece.instances.astype(np.float64) for piece in bags.pieces())
        with one_thread():
            found = [self._probabilities(self._scaled(x)) for x in pieces]
        return np.concatenate(found)

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        for name in ("label_weights", "shift", "scale", *self._shapes()):
            arrays[name] = getattr(self, f"{name}_")
        return arrays, {**facts, "history": self.history_, "n_iter": self.n_iter_}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        d, k = self.n_features_in_, len(self.classes_)
        self.history_ = stored.fact("history", list[dict[str, float]])
        self.n_iter_ = stored.fact("n_iter", PositiveInt)
        self.label_weights_ = stored.array("label_weights", (None, k), np.float64)
        for name, shape in {"shift": (d,), "scale": (d,), **self._shapes()}.items():
            setattr(self, f"{name}_", stored.array(name, shape, np.float64))


def with_constant(x: Floats) -> Floats:
    """Append a column of ones, whose weights are the biases.

    Examples
    --------
    >>> with_constant(np.array([[3.0]])).tolist()
    [[3.0, 1.0]]
    """
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)
