"""The reasons of all bags at once, and the order in which bags are asked about."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from mipl.data.bag_reduction import Mean
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import MiplError, unknown
from mipl.methods.bases.base import BagClassifier
from mipl.review import reasons

Floats = npt.NDArray[np.float64]

UNRESOLVED, DISAGREEMENT = "unresolved", "disagreement"
WIDTH, CONTRADICTION = "several classes", "contradiction"
REASONS = (UNRESOLVED, DISAGREEMENT, WIDTH, CONTRADICTION)


@dataclass(frozen=True, eq=False)
class Signals:
    """What a model and the data tell of each bag that a person may be asked about.

    Attributes
    ----------
    classes : (k,) names
    p, posterior : (m, k)
        Probabilities, and those restricted to the candidates.
    candidates : (m, k) bool
    values : mapping of str to (m,)
        From 0 to 1 for each of ``REASONS`` that is known: prediction sets need a
        calibrated model.
    sets : (m, k) bool or None
        Prediction sets.
    whose : (m,)
        The near-duplicate whose set contradicts most, -1 where there is none.
    """

    classes: Array
    p: Floats
    posterior: Floats
    candidates: npt.NDArray[np.bool_]
    values: Mapping[str, Floats]
    sets: npt.NDArray[np.bool_] | None
    whose: npt.NDArray[np.int64]

    @classmethod
    def of(cls, model: BagClassifier, data: Dataset, alpha: float = 0.1) -> Self:
        """Ask a fitted model about all bags of a data set.

        Parameters
        ----------
        model : fitted method
        data : Dataset
            Its classes must be among the model's.
        alpha : float
            Of the prediction sets, where the model is calibrated.

        Examples
        --------
        >>> from mipl import MIPLMA, Training, load_dataset
        >>> data = load_dataset("synthetic", n_bags=60)
        >>> model = MIPLMA(training=Training(epochs=5), random_state=0)
        >>> found = Signals.of(model.fit(data.bags, data.candidates), data)
        >>> sorted(found.values), found.values["unresolved"].shape
        (['contradiction', 'disagreement', 'unresolved'], (60,))
        """
        given = Candidates(data.candidates, classes=model.classes_)
        told = model.disambiguate(data.bags, given)
        p = model.predict_proba(data.bags)
        near = reasons.twins(Mean().transform(data.bags))
        apart, whose = reasons.contradiction(given.matrix, near)
        values = {
            UNRESOLVED: reasons.unresolved(told.posterior, given.matrix),
            DISAGREEMENT: reasons.disagreement(p, given.matrix, given.weights),
            CONTRADICTION: apart,
        }
        sets = None
        if model.conformal_ is not None:
            with warnings.catch_warnings():  # Told where the model is calibrated.
                warnings.simplefilter("ignore")
                sets = model.predict_set(data.bags, alpha)
            values[WIDTH] = reasons.width(sets)
        return cls(model.classes_, p, told.posterior, given.matrix, values, sets, whose)

    def __len__(self) -> int:
        return len(self.p)


@dataclass(frozen=True)
class Rule:
    """How the reasons of a bag make its place in the queue.

    The score of a bag is the mean of its reasons, weighted; a reason that is not known
    counts 0. With ``spread`` the queue takes the bags of the classes that the model
    finds likeliest among the candidates in turn, so that its beginning is not all of
    one class.

    Attributes
    ----------
    weights : mapping of str to float
        Of ``REASONS``; at least one must be above 0.
    spread : bool

    Examples
    --------
    >>> Rule({"unresolved": 1.0}).weights
    {'unresolved': 1.0}
    """

    weights: Mapping[str, float] = field(
        default_factory=lambda: {
            DISAGREEMENT: 1.0,
            UNRESOLVED: 0.1,
            WIDTH: 0.5,
            CONTRADICTION: 0.5,
        }
    )
    spread: bool = True

    def __post_init__(self) -> None:
        for name, weight in self.weights.items():
            if name not in REASONS:
                raise unknown("reason", name, REASONS)
            if not 0 <= weight < np.inf:
                raise MiplError(
                    f"the weight of {name} must be a finite number >= 0; got {weight}."
                )
        if not any(self.weights.values()):
            raise MiplError("a rule needs a reason whose weight is above 0; give one.")

    def scores(self, signals: Signals) -> Floats:
        """Return the score of each bag, 0 to 1, (m,)."""
        total = sum(
            weight * signals.values[name]
            for name, weight in self.weights.items()
            if name in signals.values
        )
        found: Floats = np.zeros(len(signals)) + total / sum(self.weights.values())
        return found

    def order(self, signals: Signals) -> npt.NDArray[np.int64]:
        """Return the numbers of all bags, the most doubtful first."""
        scores = self.scores(signals)
        falling = np.argsort(-scores, kind="stable")
        if not self.spread:
            return falling
        likeliest = signals.posterior.argmax(axis=1)[falling]
        turn = np.empty(len(falling), dtype=np.int64)  # The how-manieth of its class.
        for c in np.unique(likeliest):
            mine = np.flatnonzero(likeliest == c)
            turn[mine] = np.arange(len(mine))
        return falling[np.argsort(turn, kind="stable")]
