"""Scaling: fitted on the bags it is given, and on no others."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from mipl import Bags, MiplError, PerInstance
from mipl.data.scaling import standardisation


@pytest.fixture
def bags():
    rng = np.random.default_rng(0)
    scale = np.array([1.0, 1e-3, 1e4])
    return Bags(
        [rng.normal(5, 2, (n, 3)) * scale for n in (4, 1, 7, 2)],
        bag_ids=list("abcd"),
        coords=np.arange(14.0)[:, None],
        instance_shape=(3, 1),
    )


def naive_z(train, test):
    """Each feature by itself, in plain Python, with the population's spread."""
    columns = []
    for j in range(train.n_features):
        seen = [float(row[j]) for row in train.instances]
        mean = sum(seen) / len(seen)
        spread = (sum((v - mean) ** 2 for v in seen) / len(seen)) ** 0.5
        columns.append([(float(row[j]) - mean) / spread for row in test.instances])
    return np.array(columns).T


def test_it_is_the_z_score_of_the_training_instances(bags):
    train, test = bags[:3], bags[3:]
    scaler = PerInstance().fit(train)
    for part in (train, test):
        scaled = scaler.transform(part)
        np.testing.assert_allclose(scaled.instances, naive_z(train, part), atol=1e-6)


def test_test_bags_do_not_influence_it(bags):
    train = bags[:3]
    alone = PerInstance().fit(train).transform(train)
    other = Bags([*bags[:3], np.full((9, 3), 1e6)])
    beside = PerInstance().fit(other[:3]).transform(other)
    np.testing.assert_array_equal(alone.instances, beside[:3].instances)


def test_all_but_the_numbers_stays(bags):
    scaled = PerInstance().fit_transform(bags)
    assert scaled.offsets.tolist() == bags.offsets.tolist()
    assert scaled.bag_ids.tolist() == list("abcd")
    assert scaled.coords.tolist() == bags.coords.tolist()
    assert scaled.instance_shape == (3, 1) and scaled.instances.dtype == np.float32


@pytest.mark.parametrize("value", [0.0, 7.0, -1e-30, 1e30, 0.1])
def test_constant_features_are_left_at_zero(value):
    rng = np.random.default_rng(0)
    bags = Bags([np.column_stack([rng.random(n), np.full(n, value)]) for n in (5, 8)])
    scaled = PerInstance().fit_transform(bags)
    assert np.isfinite(scaled.instances).all()
    assert np.abs(scaled.instances[:, 1]).max() <= 1e-6 * max(abs(value), 1)


def test_a_single_instance_is_defined():
    assert PerInstance().fit_transform([[[3.0, 4.0]]]).instances.tolist() == [[0, 0]]


def test_any_transformer_of_tables_will_do(bags):
    scaled = PerInstance(MinMaxScaler()).fit_transform(bags)
    assert scaled.instances.min() == 0 and scaled.instances.max() == pytest.approx(1)
    reduced = PerInstance(PCA(2, random_state=0)).fit_transform(bags)
    assert reduced.n_features == 2 and reduced.instance_shape is None
    chain = PerInstance(make_pipeline(StandardScaler(), PCA(1, random_state=0)))
    assert chain.fit_transform(bags).n_features == 1


def test_the_transformer_given_is_not_fitted_itself(bags):
    given = StandardScaler()
    PerInstance(given).fit(bags)
    assert not hasattr(given, "mean_")


def test_it_clones_and_refits_without_memory(bags):
    scaler = clone(PerInstance(MinMaxScaler()))
    assert isinstance(scaler.transformer, MinMaxScaler)
    twice = PerInstance().fit(bags[:1]).fit(bags[1:])
    once = PerInstance().fit(bags[1:])
    np.testing.assert_array_equal(
        twice.transform(bags).instances, once.transform(bags).instances
    )


class OnDisk:
    """The rows of an array behind the protocol."""

    def __init__(self, rows):
        self.rows = rows

    shape = property(lambda self: self.rows.shape)
    dtype = property(lambda self: self.rows.dtype)

    def __getitem__(self, rows):
        return self.rows[rows].copy()

    def select(self, starts, stops):
        taken = [self.rows[a:b] for a, b in zip(starts, stops, strict=True)]
        return OnDisk(np.concatenate(taken))


def test_what_cannot_be_done_is_said(bags):
    with pytest.raises(MiplError, match="not fitted yet"):
        PerInstance().transform(bags)
    with pytest.raises(MiplError, match=r"have 2 features, but .* fitted on 3"):
        PerInstance().fit(bags).transform(np.ones((2, 2)))
    away = Bags(OnDisk(np.asarray(bags.instances)), bags.offsets)
    with pytest.raises(MiplError, match="PCA cannot be fitted on bags on disk"):
        PerInstance(PCA(2)).fit(away)
    with pytest.raises(MiplError, match="the output must be dense"):
        PerInstance(OneHotEncoder()).fit_transform(bags)


def test_standardisation_tells_what_it_leaves(bags):
    rows = bags.instances.astype(float)
    shift, scale, left = standardisation(bags, "standard")
    np.testing.assert_allclose(shift, rows.mean(axis=0))
    np.testing.assert_allclose(scale, rows.std(axis=0))
    np.testing.assert_allclose(left, 1)
    for unscaled in ("none", "auto"):  # These bags hold images.
        shift, scale, left = standardisation(bags, unscaled)
        assert not shift.any() and (scale == 1).all()
        np.testing.assert_allclose(left, rows.var(axis=0))
