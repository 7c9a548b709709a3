"""BagClassifier: scikit-learn's contract, for bags with candidate labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.features import NAMES, Features
from mipl.data.label_sets import some
from mipl.data.long_frames import bags_of_frame, is_indexed_by_bag
from mipl.errors import Diverged, MiplError
from mipl.io.streams import is_stream, streamed
from mipl.methods.saving.persist import Persistent
from mipl.metrics.calibration import (
    bags_needed,
    candidate_conformal_threshold,
    conformal_sets,
    conformal_threshold,
    fit_candidate_temperature,
    fit_temperature,
    with_temperature,
)
from mipl.metrics.margins import label_margins
from mipl.parameters import Declared

if TYPE_CHECKING:
    from torch import nn

Floats = npt.NDArray[np.float64]


# What a fit tells of its bags, and predictions ask of theirs.
_OF_INPUT = {
    *("classes_", "n_features_in_", "feature_names_in_", "feature_source_"),
    "_fitted_on_sets",
}

# What fit of some methods takes, and others cannot do.
_OPTIONS = {
    "sample_weight": "weigh bags",
    "class_weight": "weigh classes",
    "validation": "look at validation bags, as it has no epochs of its own",
    "checkpoint": "keep checkpoints",
}


@dataclass(frozen=True, eq=False)
class Disambiguation:
    """What a model believes inside given candidate sets.

    Attributes
    ----------
    labels : (m,) class names
        The likeliest candidate of each bag.
    posterior : (m, k)
        Probabilities restricted to the candidates; rows sum to 1.
    margins : (m,)
        Best candidate minus best non-candidate probability.
    violated : (m,) bool
        Whether a non-candidate is likelier than every candidate.
    """

    labels: npt.NDArray[Any]
    posterior: Floats
    margins: Floats
    violated: npt.NDArray[np.bool_]


class BagClassifier(Declared, Persistent, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of all methods: checks what comes in, names what goes out.

    A leaf gives ``_fit(bags, candidates)`` and ``_proba(bags)``, and declares its
    arguments.
    """

    _absent: ClassVar[Mapping[str, str]] = {
        "warm_start": "it begins every fit anew; methods that train a network go on "
        "from what they have learnt"
    }

    def _fit(self, bags: Bags, candidates: Candidates) -> None:
        raise NotImplementedError

    def _proba(self, bags: Bags) -> Floats:
        raise NotImplementedError

    # -- scikit-learn's contract ----------------------------------------------------

    def fit(self, X: Any, y: Any, **refused: Any) -> Self:
        """Learn from bags and their candidate sets.

        What other methods take beside (sample weights, validation bags) is refused.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        """
        self._refuse(refused)
        return self._learn(X, y)

    def _refuse(self, given: Mapping[str, Any]) -> None:
        """Tell which of the things given to fit this method cannot do."""
        name = type(self).__name__
        for option, value in given.items():
            if option not in _OPTIONS:
                raise TypeError(
                    f"{name}.fit() got an unexpected keyword argument {option!r}"
                )
            if value is not None:
                raise MiplError(
                    f"{name} cannot {_OPTIONS[option]}; leave {option} out, or take a "
                    "method that trains a network."
                )

    def _learn(self, X: Any, y: Any, **how: Any) -> Self:
        before = self._learnt() if self._goes_on() else {}
        try:
            self._fit(*self._accept(X, y), **how)
        except Diverged:
            raise  # What was good is still there.
        except Exception:
            self._forget()
            self._take_over(before)
            raise
        finally:
            self._past = {}
        return self

    def _accept(self, X: Any, y: Any) -> tuple[Bags, Candidates]:
        """Forget the last fit, check the arguments and read what a fit is given.

        A warm start keeps it aside, and reads bags and candidates as a prediction does:
        in the features and classes that were learnt.
        """
        past = self._learnt() if self._goes_on() else {}
        self._forget()
        self._check_arguments()
        self._past = past
        self._take_over({name: past[name] for name in _OF_INPUT & past.keys()})
        if y is None and is_stream(X):
            X, y = streamed(X)
        bags = self._as_bags(X, fitting=not past)
        candidates = self._as_candidates(y, len(bags), past.get("classes_"))
        self.classes_ = candidates.classes
        self.temperature_ = 1.0
        self.conformal_ = None
        return bags, candidates

    def _forget(self) -> None:
        """Drop what an earlier fit, or the first part of a failed one, has left."""
        for name in self._learnt():
            delattr(self, name)

    def _learnt(self) -> dict[str, Any]:
        """Return what fits have left, by name."""
        everything = vars(self).items()
        return {n: one for n, one in everything if n.endswith("_") or n in _OF_INPUT}

    def _take_over(self, learnt: Mapping[str, Any]) -> None:
        """Have what another fit has left."""
        for name, one in learnt.items():
            setattr(self, name, one)

    def _goes_on(self) -> bool:
        """Tell whether the next fit is to go on from what was learnt."""
        return False

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class for each bag, (m, k)."""
        check_is_fitted(self)
        p = self._proba(self._as_bags(X))
        return p if self.temperature_ == 1.0 else with_temperature(p, self.temperature_)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of ``predict_proba``, -inf where one is zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the likeliest class of each bag; candidates are not used."""
        p = self.predict_proba(X)
        return self.classes_[p.argmax(axis=1)]  # type: ignore[no-any-return]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy against true labels."""
        check_is_fitted(self)
        is_matrix = getattr(y, "ndim", 1) == 2 and not isinstance(y, Candidates)
        if isinstance(y, (list, tuple)) or getattr(y, "ndim", 0) == 1:
            known = set(self.classes_.tolist())  # Of these, '|' divides none.
            y = [[n] if isinstance(n, str) and n in known else n for n in y]
        truth = Candidates(y, classes=self.classes_ if is_matrix else None)
        if (truth.sizes > 1).any():
            raise MiplError(
                "score needs one true label per bag; got candidate sets. Without "
                "true labels use covering_rate, approximated_accuracy or "
                "margin_violation_rate of mipl.selection."
            )
        labels = truth.classes[truth.matrix.argmax(axis=1)]
        if (labels.dtype.kind == "U") != (self.classes_.dtype.kind == "U"):
            labels = labels.astype(str)  # Text classes take numbers as their text.
            if not np.isin(labels, self.classes_).any():
                raise MiplError(
                    "score needs labels from among the classes "
                    f"{some(self.classes_)}; got {some(truth.classes)}."
                )
        return float(super().score(X, labels, sample_weight))

    def set_params(self, **params: Any) -> Self:
        """Set arguments; ``training__lr`` reaches into the training settings."""
        for name in params:
            if why := self._why_absent(name):
                raise MiplError(why)
        reaches = any(name.startswith("training__") for name in params)
        if reaches and params.get("training", getattr(self, "training", 0)) is None:
            params = {**params, "training": self._default_training()}
        super().set_params(**params)
        return self

    def _default_training(self) -> Any:
        raise MiplError(f"{type(self).__name__} has no training settings.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.target_tags.two_d_labels = True
        return tags

    # -- beyond scikit-learn ----------------------------------------------------------

    def disambiguate(self, X: Any, y: Any) -> Disambiguation:
        """Return the posterior inside candidate sets, margins and violations."""
        p = self.predict_proba(X)
        candidates = self._known_candidates(y, len(p))
        inside = np.where(candidates.matrix, p, 0.0)
        total = inside.sum(axis=1, keepdims=True)
        posterior = np.where(
            total > 0,
            inside / np.where(total > 0, total, 1),
            candidates.initial_weights(),
        )
        margins = label_margins(p, candidates.matrix)
        labels = self.classes_[posterior.argmax(axis=1)]
        return Disambiguation(labels, posterior, margins, margins < 0)

    def calibrate(self, X: Any, labels: Any = None, candidates: Any = None) -> Self:
        """Fit one temperature and the conformal scores on bags not trained on.

        Give true labels where they are known, candidate sets otherwise; with the latter
        a set must hold every candidate of most bags, and says little.
        """
        if (labels is None) == (candidates is None):
            raise MiplError("calibrate needs either labels= or candidates=; give one.")
        check_is_fitted(self)
        p = self._proba(self._as_bags(X))
        if labels is not None:
            known = self._known_candidates(labels, len(p))
            if (known.sizes > 1).any():
                raise MiplError(
                    "labels of calibrate must be one true label per bag; "
                    "give candidate sets as candidates=."
                )
            truth = known.matrix.argmax(axis=1)
            self.temperature_ = fit_temperature(p, truth)
            self.conformal_ = ("labels", p, truth)
        else:
            sets = self._known_candidates(candidates, len(p)).matrix
            self.temperature_ = fit_candidate_temperature(p, sets)
            self.conformal_ = ("candidates", p, sets)
        return self

    def predict_set(self, X: Any, alpha: float = 0.1) -> npt.NDArray[np.bool_]:
        """Return sets of classes that hold the true one with probability 1 - alpha.

        The sets come from the probabilities before the temperature, which was fitted on
        the same bags: so the promise is exact. Too few calibration bags for it are told
        by a warning: sets then hold all classes.
        """
        check_is_fitted(self)
        if self.conformal_ is None:
            raise MiplError("predict_set needs calibrate(bags, ...) first.")
        kind, scores, truth = self.conformal_
        if len(scores) < (needed := bags_needed(alpha)):
            warnings.warn(
                f"{len(scores)} calibration bags cannot promise {1 - alpha:.4g}: "
                f"{needed} are needed, and with fewer, sets hold all classes.",
                stacklevel=2,
            )
        threshold = (
            conformal_threshold(scores, truth, alpha)
            if kind == "labels"
            else candidate_conformal_threshold(scores, truth, alpha)
        )
        return conformal_sets(self._proba(self._as_bags(X)), threshold)

    # -- graphs ----------------------------------------------------------------------

    def _as_graph(self) -> nn.Module:
        """Return what ``export_onnx`` traces, before the temperature."""
        raise MiplError(
            f"{type(self).__name__} trains no network, and an ONNX file holds a "
            "network; export a model of a method that trains one, such as MIPLMA."
        )

    # -- input ------------------------------------------------------------------------

    def _as_bags(self, X: Any, fitting: bool = False) -> Bags:
        if is_indexed_by_bag(X):
            X = bags_of_frame(X)
        if isinstance(X, Bags) or _holds_bags(X):
            bags = Bags(X)
            if not fitting:
                self._check_features(bags.features)
            if fitting:
                self.n_features_in_ = bags.n_features
            elif bags.n_features != self.n_features_in_:
                raise MiplError(
                    f"X has {bags.n_features} features, but {type(self).__name__} "
                    f"is expecting {self.n_features_in_} features as input."
                )
        else:
            bags = Bags(X)
            try:  # The names of columns are scikit-learn's, which also counts them.
                validate_data(self, X, reset=fitting, skip_check_array=True)
            except ValueError as error:
                raise MiplError(str(error)) from None
            if not fitting and self._fitted_on_sets:
                warnings.warn(
                    "a 2-D array is read as bags of one instance; for one bag of n "
                    "instances give a list: [x].",
                    stacklevel=3,
                )
        if fitting:
            self._fitted_on_sets = bool((bags.sizes > 1).any())
            self._keep_features(bags.features)
        return bags

    def _keep_features(self, features: Features | None) -> None:
        """Remember what was learnt from, under scikit-learn's name where it has one."""
        self.feature_source_ = {}
        if features is not None:
            self.feature_source_ = features.facts()
            names = self.feature_source_.pop(NAMES, None)
            if names is not None:
                self.feature_names_in_ = np.array(names, dtype=object)

    def _check_features(self, given: Features | None) -> None:
        """Refuse other features than those learnt from, where both are known."""
        names = getattr(self, "feature_names_in_", None)
        learnt = Features(
            None if names is None else list(names), **self.feature_source_
        )
        difference = None if given is None else learnt.difference(given)
        if difference is not None:
            raise MiplError(difference)

    def _as_candidates(self, y: Any, n_bags: int, classes: Any = None) -> Candidates:
        if y is None:
            raise MiplError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None; give the candidate sets."
            )
        candidates = Candidates(y, classes=classes)
        if len(candidates) != n_bags:
            raise MiplError(
                f"there are {n_bags} bags and {len(candidates)} candidate sets "
                "(inconsistent numbers of samples); give one set per bag."
            )
        return candidates

    def _known_candidates(self, y: Any, n_bags: int) -> Candidates:
        """Read candidates of other bags, in the columns of this model's classes."""
        return self._as_candidates(y, n_bags, self.classes_)

    def _check_arguments(self) -> None:
        """Refuse arguments; a class adds the checks that look at several."""
        self.check_parameters()


def validation_pair(given: Any) -> tuple[Any, Any]:
    """Return bags and labels of validation bags, once they are known to be a pair."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise MiplError(
            "validation must be a pair, bags and their candidates or labels; got a "
            f"{type(given).__name__}."
        )
    return given[0], given[1]


def _holds_bags(X: Any) -> bool:
    """Tell a list of bags or a 3-D array from what scikit-learn takes, a 2-D array."""
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if isinstance(X, (list, tuple)) or kind == "O":
        return any(_depth(bag) > 1 for bag in X)
    return getattr(X, "ndim", 0) > 2


def _depth(item: Any) -> int:
    """Return the number of axes, also of nested lists that are no regular array."""
    if isinstance(item, (list, tuple)):
        return 1 + max(map(_depth, item), default=0)
    return int(getattr(item, "ndim", 0))
