"""Mean pooling: a logistic regression that sees no instance."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mipl import Bags, load_dataset, load_model
from mipl.methods.mipl.mean_pooling import MeanPooling


@pytest.mark.parametrize("k", [2, 4])
def test_probabilities_are_those_of_scikit_learn_on_means(k) -> None:
    rng = np.random.default_rng(k)
    bags = [rng.normal(size=(n, 3)) for n in rng.integers(1, 5, 20)]
    sets = rng.random((20, k)) < 0.4
    sets[np.arange(20), np.arange(20) % k] = True
    rows, labels, weights = [], [], []
    for bag, candidates in zip(bags, sets, strict=True):
        for c in np.flatnonzero(candidates):
            rows.append(bag.mean(axis=0))
            labels.append(c)
            weights.append(1 / candidates.sum())
    known = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    known.fit(rows, labels, logisticregression__sample_weight=weights)
    expected = known.predict_proba([bag.mean(axis=0) for bag in bags])
    found = MeanPooling().fit(bags, sets).predict_proba(bags)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_single_class_is_certain_and_survives_a_file(tmp_path) -> None:
    x = np.random.default_rng(0).normal(size=(6, 3, 2))
    y = np.zeros((6, 3), dtype=bool)
    y[:, 1] = True
    model = MeanPooling().fit(x, y)
    model.save(tmp_path / "model")
    for one in (model, load_model(tmp_path / "model")):
        assert one.predict_proba(x).tolist() == [[0.0, 1.0, 0.0]] * 6


def test_mean_pooling_takes_every_candidate_for_a_label() -> None:
    train, test = load_dataset("synthetic", r=0).split(0)
    model = MeanPooling().fit(train.bags, train.candidates)
    supervised = MeanPooling().fit(train.bags, train.labels)
    np.testing.assert_allclose(
        model.predict_proba(test.bags), supervised.predict_proba(test.bags)
    )
    each = model.predict_instances(test.bags)
    own = model.predict_proba(Bags(test.bags.instances))
    np.testing.assert_allclose(each, own)


def test_mean_pooling_of_a_class_that_is_nobodys_candidate() -> None:
    y = np.array([[True, False, False], [False, False, True]] * 5)
    x = np.random.default_rng(0).normal(size=(10, 3, 2))
    p = MeanPooling().fit(x, y).predict_proba(x)
    assert p.shape == (10, 3) and (p[:, 1] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
