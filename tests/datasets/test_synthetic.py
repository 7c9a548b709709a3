import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import norm

from mipl.datasets import load_dataset
from mipl.errors import MiplError


def test_knobs():
    data = load_dataset(
        "synthetic",
        r=2,
        n_bags=31,
        n_classes=4,
        n_features=6,
        positives=0.5,
        bag_size=(3, 7),
    )
    assert (len(data), data.bags.n_features, len(data.classes)) == (31, 6, 4)
    assert np.bincount(data.labels).tolist() == [8, 8, 8, 7]
    assert (data.bags.sizes.min(), data.bags.sizes.max()) == (3, 7)
    assert (data.candidates.sizes == 3).all()
    same = data.bags.instance_labels == data.labels[data.bags.bag_of_instance]
    assert set(data.bags.instance_labels[~same].tolist()) == {-1}
    count = np.add.reduceat(same.astype(int), data.bags.offsets[:-1])
    assert count.tolist() == [(n + 1) // 2 for n in data.bags.sizes.tolist()]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_every_bag_has_a_positive(share):
    data = load_dataset("synthetic", positives=share, bag_size=(1, 4))
    same = data.bags.instance_labels == data.labels[data.bags.bag_of_instance]
    count = np.add.reduceat(same.astype(int), data.bags.offsets[:-1])
    expected = data.bags.sizes if share else np.ones(200)
    assert count.tolist() == expected.tolist()


@pytest.mark.parametrize(("k", "d"), [(2, 2), (5, 10), (3, 30)])
def test_centres_are_equally_far_and_overlap_as_told(k, d):
    data = load_dataset("synthetic", n_classes=k, n_features=d, overlap=0.2)
    distances = pdist(np.array(data.facts["centres"]))
    assert len(distances) == (k + 1) * k // 2
    # Two unit normals at distance D share the area 2 Phi(-D / 2).
    np.testing.assert_allclose(2 * norm.cdf(-distances / 2), 0.2)


def test_instances_are_normal_around_the_told_centres():
    data = load_dataset("synthetic", n_bags=600, overlap=0.01, positives=0.4)
    centres = np.array(data.facts["centres"])
    for c in [*range(5), -1]:
        mine = data.bags.instances[data.bags.instance_labels == c]
        error = 5 / np.sqrt(len(mine))
        np.testing.assert_allclose(mine.mean(axis=0), centres[c], atol=error)
        np.testing.assert_allclose(mine.std(axis=0), 1, atol=error)


def test_full_overlap_leaves_nothing_to_learn():
    centres = load_dataset("synthetic", overlap=1).facts["centres"]
    np.testing.assert_allclose(centres, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_classes": 1}, "n_classes must be at least 2"),
        ({"n_classes": 11}, "at most n_bags and n_features"),
        ({"n_bags": 4}, "at most n_bags"),
        ({"n_features": 2.5}, "n_features must be a whole number; got 2.5"),
        ({"n_bags": True}, "whole number"),
        ({"overlap": 0}, "overlap must lie between 0 and 1"),
        ({"overlap": 1.5}, "overlap must lie"),
        ({"overlap": float("nan")}, "overlap must lie"),
        ({"positives": -0.1}, "positives must lie"),
        ({"positives": "a"}, "positives must be a number"),
        ({"bag_size": (0, 3)}, "bag_size must be"),
        ({"bag_size": (5, 3)}, "bag_size must be"),
        ({"bag_size": 5}, "bag_size must be"),
        ({"bag_size": ("a", "b")}, "bag_size must be"),
        ({"bag_sise": (5, 3)}, "did you mean 'bag_size'"),
        ({"r": 5}, "r must be 0 to 4"),
    ],
)
def test_wrong_knobs_are_told(options, message):
    with pytest.raises(MiplError, match=message):
        load_dataset("synthetic", **options)
