"""Degraded: a partial-label method on bags that are reduced to one vector each."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, ClassVar, Self

import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter
from torch import nn

from mipl.data.bag_reduction import MaxMin, Mean
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier, Floats, validation_pair
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored
from mipl.nn.traced_parts import CalibratedPart, VectorsPart
from mipl.parameters import anything, choice, learnt
from mipl.training.progress import in_place_of

_REDUCTIONS = {"mean": Mean, "maxmin": MaxMin}


def keeps_checkpoints(estimator: Any) -> bool:
    """Tell whether a method, or the one inside ``Degraded``, learns by epochs.

    Examples
    --------
    >>> from mipl import PLSVM, PRODEN
    >>> keeps_checkpoints(Degraded(PRODEN())), keeps_checkpoints(Degraded(PLSVM()))
    (True, False)
    """
    inner = estimator.estimator if isinstance(estimator, Degraded) else estimator
    return "checkpoint" in signature(inner.fit).parameters


class Degraded(BagClassifier):
    """A bag method made of a partial-label method.

    Each bag becomes one vector, which carries the bag's candidate set. What the method
    does to vectors (scaling, for one) it does to these.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> from mipl.methods.pll.proden import PRODEN
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = Degraded(PRODEN()).fit(train.bags, train.candidates)
    >>> model.predict_proba(test.bags).shape == (len(test), len(train.classes))
    True
    """

    estimator: Any = anything(
        "It is cloned; the fitted one is ``estimator_``.", "PartialLabelClassifier"
    )
    reduction: str = choice(
        "The mean of the instances, or their largest and smallest value per feature.",
        tuple(_REDUCTIONS),
        default="mean",
    )

    estimator_: PartialLabelClassifier = learnt()

    _absent: ClassVar[Mapping[str, str]] = {
        "warm_start": "it is an argument of the method inside, estimator__warm_start"
    }

    @property
    def label_weights_(self) -> Floats:
        """Those of the estimator, (m, k), where it has any."""
        return self.estimator_.label_weights_

    @property
    def history_(self) -> list[dict[str, float]]:
        """The estimator's, where it has one."""
        history: list[dict[str, float]] = self.estimator_.history_
        return history

    def fit(
        self,
        X: Any,
        y: Any,
        checkpoint: Any = None,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        validation: Any = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        checkpoint : Checkpoint or path, optional
            Where the estimator keeps the state of its training, and goes on from, if it
            learns by epochs.
        sample_weight, class_weight, validation : optional
            As of the estimator, which refuses what it cannot do.
        """
        self._refuse(refused)
        given = {
            "sample_weight": sample_weight,
            "class_weight": class_weight,
            "validation": validation,
        }
        asked = {name: value for name, value in given.items() if value is not None}
        return self._learn(X, y, checkpoint=checkpoint, asked=asked)

    @available_if(lambda self: hasattr(self.estimator, "set_callbacks"))  # type: ignore[untyped-decorator]
    def set_callbacks(self, *callbacks: Any) -> Self:
        """Have callbacks told of the estimator's epochs."""
        self.estimator.set_callbacks(*callbacks)
        return self

    @property
    def _skl_callbacks(self) -> list[Any]:
        """The estimator's: what scikit-learn lends to one it lends to the other."""
        callbacks: list[Any] = self.estimator._skl_callbacks
        return callbacks

    @_skl_callbacks.setter
    def _skl_callbacks(self, callbacks: list[Any]) -> None:
        self.estimator.set_callbacks(*callbacks)

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        checkpoint: Any = None,
        asked: Mapping[str, Any] | None = None,
    ) -> None:
        kept: dict[str, Any] = {} if checkpoint is None else {"checkpoint": checkpoint}
        if kept and not keeps_checkpoints(self.estimator):
            name = type(self.estimator).__name__
            raise MiplError(f"{name} keeps no checkpoints; leave checkpoint out.")
        inner, *given = self._inside(bags, candidates)
        kept |= asked or {}
        if "validation" in kept and has_fit_parameter(inner, "validation"):
            there, sets = validation_pair(kept["validation"])
            kept["validation"] = self._vectors(self._as_bags(there)), sets
        # After Ctrl-C it stays with its last finished epoch.
        with in_place_of(self, inner):
            inner.fit(*given, **kept)

    def _inside(
        self, bags: Bags, candidates: Candidates
    ) -> tuple[PartialLabelClassifier, npt.NDArray[Any], Candidates]:
        """Return the estimator that is to be fitted, and what it is given."""
        self.estimator_ = clone(self.estimator)
        if "estimator_" in self._past:
            self.estimator_._take_over(self._past["estimator_"]._learnt())
        return self.estimator_, self._vectors(bags), candidates

    def _goes_on(self) -> bool:
        there = vars(self).get("estimator_")
        warm = getattr(self.estimator, "warm_start", False)
        return bool(warm) and there is not None

    def _proba(self, bags: Bags) -> Floats:
        return self.estimator_.predict_proba(self._vectors(bags))

    def _vectors(self, bags: Bags) -> npt.NDArray[Any]:
        vectors: npt.NDArray[Any] = _REDUCTIONS[self.reduction]().transform(bags)
        return vectors

    def _check_arguments(self) -> None:
        super()._check_arguments()
        if not isinstance(self.estimator, PartialLabelClassifier):
            raise MiplError(
                "estimator of Degraded must be a partial-label method, such as "
                f"PRODEN(); got {self.estimator!r}."
            )

    # -- graphs ----------------------------------------------------------------------

    def _as_graph(self) -> nn.Module:
        inner = self.estimator_._as_graph()
        calibrated = CalibratedPart(inner, float(self.estimator_.temperature_))
        return VectorsPart(calibrated, self.reduction)

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        inner, told = self.estimator_._state()
        named = {f"estimator.{name}": value for name, value in inner.items()}
        return arrays | named, {**facts, "estimator": told}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        inner = stored.part("estimator")
        self.estimator_ = clone(self.estimator)
        self.estimator_._check_arguments()
        self.estimator_._restore(inner)
        inner.check_empty()
