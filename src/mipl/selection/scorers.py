"""Scorers for scikit-learn's searches; in all of them more is better.

They are called as ``scorer(estimator, X, y)`` with candidate sets as ``y``, and so fit
``GridSearchCV(..., scoring=covering_rate)`` and ``cross_validate``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.metrics import accuracy_score, make_scorer

from mipl.data.candidates import Candidates
from mipl.data.frozen import Array
from mipl.errors import MiplError
from mipl.metrics import ambiguity, margins


def covering_rate(estimator: Any, X: Any, y: Any) -> float:
    """Return the share of bags whose prediction lies in the candidate set.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier(strategy="prior").fit([[0]] * 3, [0, 0, 1])
    >>> covering_rate(model, [[0]] * 2, [{0, 1}, {1}])
    0.5
    """
    return ambiguity.covering_rate(*_beliefs(estimator, X, y))


def approximated_accuracy(estimator: Any, X: Any, y: Any) -> float:
    """Return the accuracy expected under the model's belief inside the sets.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier(strategy="prior").fit([[0]] * 4, [0, 0, 0, 1])
    >>> approximated_accuracy(model, [[0]] * 2, [{0, 1}, {1}])
    0.375
    """
    return ambiguity.approximated_accuracy(*_beliefs(estimator, X, y))


def margin_violation_rate(estimator: Any, X: Any, y: Any) -> float:
    """Return minus the share of bags in which a non-candidate beats all candidates.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier(strategy="prior").fit([[0]] * 3, [0, 0, 1])
    >>> margin_violation_rate(model, [[0]] * 2, [{0, 1}, {1}])
    -0.5
    """
    return -margins.margin_violation_rate(*_beliefs(estimator, X, y))


def _truth_accuracy(y: Any, predicted: Any, *, truth: Any = None) -> float:
    if truth is None:
        raise MiplError(
            "truth_accuracy needs the true labels as metadata: enable scikit-learn's "
            "metadata routing and give truth=... beside the candidates."
        )
    return float(accuracy_score(truth, predicted))


with config_context(enable_metadata_routing=True):
    #: Accuracy against hidden true labels, which reach the scorer only. With
    #: ``sklearn.set_config(enable_metadata_routing=True)`` they are given as metadata:
    #: ``GridSearchCV(..., scoring=truth_accuracy).fit(bags, sets, truth=labels)``.
    truth_accuracy = make_scorer(_truth_accuracy).set_score_request(truth=True)


def _beliefs(estimator: Any, X: Any, y: Any) -> tuple[Array, Array]:
    """Return probabilities and candidate sets, in the same columns.

    A class that occurs in no training set of a fold has probability zero.
    """
    p = np.asarray(estimator.predict_proba(X), dtype=np.float64)  # (m, k)
    classes = np.asarray(estimator.classes_)
    if isinstance(y, np.ndarray) and y.ndim == 2:  # It has columns, but no names.
        return p, Candidates(y, classes=classes).matrix
    given = Candidates(y)
    new = [name for name in given.classes.tolist() if name not in classes.tolist()]
    columns = np.concatenate([classes, np.array(new, dtype=given.classes.dtype)])
    unseen = np.zeros((len(p), len(new)))
    return np.hstack([p, unseen]), Candidates(given, classes=columns).matrix
