"""Mean pooling: the simple rival that every method should beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from mipl.data.bag_reduction import Mean
from mipl.data.bag_weights import bag_weights
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.errors import BadFile
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.methods.saving.persist import State
from mipl.methods.saving.stored import Stored


class MeanPooling(BagClassifier):
    """Logistic regression on the mean of each bag, every candidate taken as a label.

    A bag counts once for each of its candidates, with its starting label weights as
    weights. Nothing is disambiguated and no instance is told from another::

        min  ||W||^2 / 2 - sum_i sum_c w_ic log softmax(W mean(X_i) + b)_c

    over the features as they are standardised. A class that is nobody's candidate has
    probability zero.

    Attributes
    ----------
    coef_ : (s, d)
    intercept_ : (s,)
    seen_ : (s,)
        Columns of the classes that are somebody's candidates.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> train, test = load_dataset("synthetic").split(0)
    >>> model = MeanPooling().fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.5)
    True

    References
    ----------
    Amores: Multiple instance classification: review, taxonomy and comparative study.
    Artificial Intelligence, 2013 (there Simple-MI).
    """

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_weight: Any = None,
        **refused: Any,
    ) -> Self:
        """Learn from bags and their candidate sets.

        Parameters
        ----------
        X : Bags or what builds them
            A list of (n_i, d) arrays, a 3-D array, or a 2-D array (bags of one).
        y : Candidates or what builds them
            A (m, k) matrix, a list of sets of class names, or 1-D labels (sets of one).
        sample_weight : (m,) numbers, optional
            How much each bag counts, as if it were there so often.
        class_weight : mapping of class to number, or "balanced", optional
            A bag counts as its candidates' classes do, on average.
        """
        self._refuse(refused)
        return self._learn(X, y, weighing=(sample_weight, class_weight))

    def _fit(
        self,
        bags: Bags,
        candidates: Candidates,
        weighing: tuple[Any, Any] = (None, None),
    ) -> None:
        each = bag_weights(*weighing, candidates)
        if each is not None:
            here = np.flatnonzero(each)
            bags, candidates, each = bags[here], candidates[here], each[here]
            each = None if np.ptp(each) == 0 else each
        bag, column = np.nonzero(candidates.matrix)  # One row per candidate.
        means = Mean().fit_transform(bags)[bag]
        weights = candidates.initial_weights()[bag, column]
        scaler = StandardScaler()
        if each is None:
            scaler.fit(means)
        else:
            scaler.fit(means, sample_weight=each[bag])
            weights = weights * each[bag]
        self.shift_, self.scale_ = scaler.mean_, scaler.scale_
        self.seen_ = np.unique(column)
        self.coef_ = np.zeros((len(self.seen_), means.shape[1]))
        self.intercept_ = np.zeros(len(self.seen_))
        if len(self.seen_) == 1:  # There is nothing to tell apart.
            return
        linear = LogisticRegression(max_iter=1000)
        linear.fit(self._scaled(means), column, sample_weight=weights)
        # Of two classes only the second one has scores; those of the first stay zero.
        self.coef_[-len(linear.coef_) :] = linear.coef_
        self.intercept_[-len(linear.coef_) :] = linear.intercept_

    def _proba(self, bags: Bags) -> Floats:
        scores = self._scaled(Mean().transform(bags)) @ self.coef_.T + self.intercept_
        p = np.zeros((len(bags), len(self.classes_)))
        p[:, self.seen_] = softmax(scores, axis=1)
        return p

    def _scaled(self, means: Any) -> Floats:
        scaled: Floats = (means - self.shift_) / self.scale_
        return scaled

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        parts = [self._proba(Bags(b.instances)) for b in self._as_bags(X).pieces()]
        return np.concatenate(parts)

    # -- files -----------------------------------------------------------------------

    def _state(self) -> State:
        arrays, facts = super()._state()
        names = ("shift", "scale", "seen", "coef", "intercept")
        return arrays | {name: getattr(self, f"{name}_") for name in names}, facts

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        d, k = self.n_features_in_, len(self.classes_)
        self.shift_ = stored.array("shift", (d,), np.float64)
        self.scale_ = stored.array("scale", (d,), np.float64)
        self.seen_ = stored.array("seen", (None,), np.int64)
        s = len(self.seen_)
        if s == 0 or not set(self.seen_.tolist()) <= set(range(k)):
            raise BadFile("its classes that were seen are damaged.")
        self.coef_ = stored.array("coef", (s, d), np.float64)
        self.intercept_ = stored.array("intercept", (s,), np.float64)
