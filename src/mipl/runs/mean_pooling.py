"""MeanPooling: the simple rival that every method should beat."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from mipl.data.bag_reduction import Mean
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.methods.bases.base import BagClassifier, Floats


class MeanPooling(BagClassifier):
    """Logistic regression on the mean of each bag, every candidate taken as a label.

    A bag counts once for each of its candidates, with its starting label weights as
    weights. Nothing is disambiguated and no instance is told from another.

    Examples
    --------
    >>> from mipl import load_dataset
    >>> train, test = load_dataset("synthetic").split(0)
    >>> model = MeanPooling().fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.5)
    True
    """

    def _fit(self, bags: Bags, candidates: Candidates) -> None:
        bag, column = np.nonzero(candidates.matrix)
        self.linear_ = make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=1000)
        )
        self.linear_.fit(
            Mean().fit_transform(bags)[bag],
            column,
            logisticregression__sample_weight=candidates.initial_weights()[bag, column],
        )

    def _proba(self, bags: Bags) -> Floats:
        p = np.zeros((len(bags), len(self.classes_)))
        p[:, self.linear_.classes_] = self.linear_.predict_proba(Mean().transform(bags))
        return p

    def predict_instances(self, X: Any) -> Floats:
        """Return a class score per instance, (N, k): each as a bag of its own."""
        check_is_fitted(self)
        parts = [self._proba(Bags(b.instances)) for b in self._as_bags(X).pieces()]
        return np.concatenate(parts)
