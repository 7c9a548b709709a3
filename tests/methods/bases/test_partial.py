"""What every partial-label method shares: rows in, candidate sets, names out."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mipl import Bags, MiplError
from mipl.methods.bases.partial import PartialLabelClassifier

X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
SETS = [{"elm", "oak"}, {"oak"}, {"elm"}, {"oak", "yew"}]


class Centroids(PartialLabelClassifier):
    """The nearest mean of the rows, each counted by its label weights."""

    def _fit(self, bags, candidates):
        self.label_weights_ = candidates.initial_weights()
        weights = self.label_weights_ / self.label_weights_.sum(axis=0).clip(1e-9)
        self.means_ = weights.T @ bags.instances.astype(float)

    def _proba(self, bags):
        gaps = bags.instances.astype(float)[:, None] - self.means_
        near = np.exp(-np.sqrt(np.square(gaps).sum(axis=2)) / 4)
        return near / near.sum(axis=1, keepdims=True)


@parametrize_with_checks([Centroids()])
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def test_rows_and_bags_of_one_instance_are_one_input():
    model = Centroids().fit(X, SETS)
    p = model.predict_proba(X)
    np.testing.assert_array_equal(Centroids().fit(Bags(X), SETS).predict_proba(X), p)
    np.testing.assert_array_equal(model.predict_proba(X[:, None]), p)
    assert model.classes_.tolist() == ["elm", "oak", "yew"]


def test_several_instances_are_refused_and_the_way_out_is_told():
    bags = [X[:1], X[:3], X]
    sentence = (
        "Centroids takes one vector per row, and bag 1 has 3 instances; make vectors "
        "of bags by Degraded(Centroids(), reduction='mean')."
    )
    for call in (
        lambda: Centroids().fit(bags, SETS[:3]),
        lambda: Centroids().fit(X, SETS).predict(bags),
    ):
        with pytest.raises(MiplError) as refused:
            call()
        assert str(refused.value) == sentence


def test_disambiguated_labels_are_those_of_the_largest_weight():
    votes = np.array([[1.0, 3.0, 0.0], [0.0, 2.0, 0.0], [4.0, 0, 1], [0, 1, 2]])
    model = Centroids().fit(X, votes)
    assert model.disambiguated_.tolist() == [1, 1, 0, 2]
