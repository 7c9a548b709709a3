"""scikit-learn's splitters and searches take bags and lists of arrays as they are."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_validate,
    train_test_split,
)
from sklearn.pipeline import make_pipeline

from mipl import Bags, Candidates, Mean, PerInstance

M = 36
LABELS = np.arange(M) % 3
# Both false labels come with each class, so that the sets tell the classes apart.
SETS = [{i % 3, (i + 1 + i // 3 % 2) % 3} for i in range(M)]


class AverageLearner(ClassifierMixin, BaseEstimator):
    """Mean of the bag, logistic regression on every candidate in turn."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        candidates = Candidates(y, classes=[0, 1, 2])
        rows, columns = np.nonzero(candidates.matrix)
        self.classes_ = candidates.classes
        vectors = Mean().fit_transform(X)[rows]
        weights = candidates.initial_weights()[rows, columns]
        self.model_ = LogisticRegression(C=self.C).fit(vectors, columns, weights)
        return self

    def predict(self, X):
        return self.classes_[self.model_.predict(Mean().fit_transform(X))]

    def score(self, X, y):
        """The share of bags whose prediction is among the candidates."""
        return float(Candidates(y, classes=[0, 1, 2]).contains(self.predict(X)).mean())


def arrays():
    rng = np.random.default_rng(0)
    centres = 4 * np.eye(3)[LABELS]
    return [rng.normal(c, 1, (2 + i % 4, 3)) for i, c in enumerate(centres)]


@pytest.fixture(params=[Bags, list], ids=["Bags", "list of arrays"], name="X")
def bags(request):
    return request.param(arrays())


@pytest.fixture(params=["Candidates", "bool matrix", "list of sets", "weights"])
def y(request):
    candidates = Candidates(SETS)
    votes = Candidates(candidates.matrix + np.eye(3)[LABELS])
    ways = {
        "Candidates": candidates,
        "bool matrix": candidates.matrix,
        "list of sets": SETS,
        "weights": votes,
    }
    return ways[request.param]


def sizes(X):
    return [len(bag) for bag in X]


def taken(X, numbers):
    return X[numbers] if isinstance(X, Bags) else [X[i] for i in numbers]


SPLITTERS = {
    "KFold": (KFold(3, shuffle=True, random_state=0), {}),
    "GroupKFold": (GroupKFold(3), {"groups": np.arange(M) // 4}),
    "StratifiedKFold": (StratifiedKFold(3), {"y": LABELS}),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_splitters_divide_bags(name, X):
    splitter, arguments = SPLITTERS[name]
    tested = []
    for train, test in splitter.split(X, **arguments):
        assert sizes(taken(X, train)) == [2 + i % 4 for i in train]
        tested += test.tolist()
        if "groups" in arguments:
            assert not set(arguments["groups"][train]) & set(arguments["groups"][test])
        if "y" in arguments:
            assert np.bincount(LABELS[test]).tolist() == [4, 4, 4]
    assert sorted(tested) == list(range(M))


def test_train_test_split_keeps_bags_and_candidates_together(X, y):
    numbers = np.arange(M)
    X1, X2, y1, y2, n1, n2 = train_test_split(
        X, y, numbers, test_size=0.25, random_state=0
    )
    assert type(X1) is type(X) and type(y1) is type(y)
    assert sizes(X1) == [2 + i % 4 for i in n1] and sizes(X2) == [2 + i % 4 for i in n2]
    assert [set(s) for s in Candidates(y1, classes=[0, 1, 2])] == [SETS[i] for i in n1]
    assert [set(s) for s in Candidates(y2, classes=[0, 1, 2])] == [SETS[i] for i in n2]


def test_cross_validate_learns_from_candidates(X, y):
    scores = cross_validate(AverageLearner(), X, y, cv=3, error_score="raise")
    assert scores["test_score"].shape == (3,) and scores["test_score"].min() > 0.8
    groups = np.arange(M) // 4
    grouped = cross_validate(
        AverageLearner(), X, y, groups=groups, cv=GroupKFold(3), error_score="raise"
    )
    assert grouped["test_score"].min() > 0.8


def test_grid_search_refits_the_best(X, y):
    search = GridSearchCV(
        AverageLearner(), {"C": [1e-6, 1.0]}, cv=KFold(3), error_score="raise"
    ).fit(X, y)
    assert search.score(X, y) > 0.8
    assert search.cv_results_["mean_test_score"].shape == (2,)


def test_grid_search_in_other_processes_takes_bags():
    search = GridSearchCV(AverageLearner(), {"C": [0.1, 1.0]}, cv=3, n_jobs=2)
    search.fit(Bags(arrays()), Candidates(SETS))
    assert search.cv_results_["mean_test_score"].min() > 0.8


def test_true_labels_and_stratified_folds_work_alike(X):
    cv = StratifiedKFold(3)
    scores = cross_validate(AverageLearner(), X, LABELS, cv=cv, error_score="raise")
    assert scores["test_score"].min() > 0.8


def test_a_pipeline_of_scaling_and_reduction_takes_bags(X):
    model = make_pipeline(PerInstance(), Mean(), LogisticRegression())
    scores = cross_validate(model, X, LABELS, cv=3, error_score="raise")
    assert scores["test_score"].min() > 0.8
