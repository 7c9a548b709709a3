"""Sets with labels of their own, against the figures published for them."""

import json

import numpy as np
import pytest

from mipl.data.candidate_generators import generate_candidates
from mipl.datasets.mnist import RECIPES, read_images
from mipl.datasets.request import Request
from mipl.errors import MiplError

# name: bags, instances, features, bags per class (None: not published)
CLASSICAL = {
    "musk1": (92, 476, 166, [45, 47]),
    "musk2": (102, 6598, 166, [63, 39]),
    "elephant": (200, 1391, 230, [100, 100]),
    "fox": (200, 1320, 230, [100, 100]),
    "tiger": (200, 1220, 230, [100, 100]),
    "ucsb": (58, 2002, 708, [32, 26]),
    "corel20": (2000, 7947, 9, [100] * 20),
}
# name: bags, features, classes, classes in use, mean set size
PARTIAL = {
    "lost": (1122, 108, 16, 14, 2.23),
    "birdsong-pll": (4998, 38, 13, 13, 2.18),
    "italian": (21878, 519, 90, 77, 1.60),
}


@pytest.mark.parametrize("name", sorted(CLASSICAL))
def test_classical_sets(loaded, name):
    data = loaded(name)
    m, n, d, each = CLASSICAL[name]
    assert (len(data), data.bags.n_instances, data.bags.n_features) == (m, n, d)
    assert np.unique(data.labels, return_counts=True)[1].tolist() == each
    for r in (0, 1):
        candidates = loaded(name, r=r).candidates
        assert (candidates.sizes == 1).all() and candidates.contains(data.labels).all()
    assert data.facts["candidates"] == {"kind": "true labels"}


@pytest.mark.parametrize("name", sorted(PARTIAL))
def test_partial_label_sets(loaded, name):
    data = loaded(name)
    m, d, k, used, mean = PARTIAL[name]
    assert (len(data), data.bags.n_features, len(data.classes)) == (m, d, k)
    assert (data.bags.sizes == 1).all()
    assert len(np.unique(data.labels)) == used
    assert data.candidates.sizes.mean() == pytest.approx(mean, abs=0.006)
    assert data.candidates.contains(data.labels).all()
    true = loaded(name, r=0)
    assert (true.candidates.sizes == 1).all()
    assert true.candidates.contains(data.labels).all()
    assert len(true.classes) == k
    assert true.facts["candidates"] == {"kind": "true labels"}


@pytest.mark.parametrize("name", ["lost", "musk1", "corel20"])
def test_false_labels_cannot_be_chosen(loaded, name):
    loaded(name)
    with pytest.raises(MiplError, match=f"{name} has labels of its own, so r=2"):
        loaded(name, r=2)


def test_birdsong_pll_has_a_third_of_sets_of_one(loaded):
    assert np.mean(loaded("birdsong-pll").candidates.sizes == 1) == pytest.approx(
        0.33, abs=0.01
    )


def test_kmnist(loaded):
    data = loaded("kmnist")
    assert (len(data), data.bags.n_features, len(data.classes)) == (10_000, 784, 10)
    assert (data.bags.sizes == 1).all() and data.bags.instance_shape == (1, 28, 28)
    assert (data.bags.instances.min(), data.bags.instances.max()) == (0, 1)
    assert np.unique(data.labels, return_counts=True)[1].tolist() == [1000] * 10
    assert (data.candidates.sizes == 2).all()
    assert (loaded("kmnist", r=3).candidates.sizes == 4).all()


def test_kmnist_generators(loaded):
    flipped = loaded("kmnist", generator="flip", q=0.3)
    # 1 + (k-1) q + (1-q)^(k-1) for ten classes.
    assert flipped.candidates.sizes.mean() == pytest.approx(3.74, abs=0.07)
    assert flipped.facts["candidates"] == {"kind": "flip", "seed": 0, "q": 0.3}
    again = loaded("kmnist", generator="flip", q=0.3)
    assert np.array_equal(flipped.candidates.matrix, again.candidates.matrix)
    uniform = loaded("kmnist", generator="uniform")
    assert uniform.candidates.sizes.max() == 9
    Q = np.eye(10, k=1).tolist()
    chained = loaded("kmnist", generator="matrix", Q=Q)
    assert chained.candidates.sizes.sum() == 19_000
    assert json.loads(json.dumps(dict(chained.facts)))["candidates"]["Q"] == Q
    assert (loaded("kmnist", r=0, generator="flip", q=0.3).candidates.sizes == 1).all()


def test_fmnist_is_the_training_images_in_their_order(loaded):
    some = loaded("fmnist", images=500, generator="flip", q=0.5, seed=1)
    assert (len(some), some.bags.n_features, len(some.classes)) == (500, 784, 10)
    assert (some.bags.sizes == 1).all() and some.bags.instances.max() == 1
    images, classes = read_images(RECIPES["fmnist-mipl"], Request("fmnist"))
    assert len(images) == len(loaded("fmnist")) == 60_000
    names = RECIPES["fmnist-mipl"].class_names
    assert some.labels.tolist() == [names[c] for c in classes[:500]]
    raw = images[:500].reshape(500, -1) / np.float32(255)
    assert np.array_equal(some.bags.instances, raw)
    # Names of classes have no part in the draw of the sets.
    sets, _ = generate_candidates(classes[:500], range(10), "flip", 1, q=0.5)
    assert np.array_equal(some.candidates.encode(some.labels), classes[:500])
    assert np.array_equal(some.candidates.matrix, sets.matrix)
    for wrong in (0, 60_001, 2.5, True):
        with pytest.raises(MiplError, match="images of fmnist must be a whole number"):
            loaded("fmnist", images=wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generator": "filp"}, "did you mean 'flip'"),
        ({"generator": "flip"}, "takes q"),
        ({"generator": "flip", "q": 2}, "probability"),
        ({"generator": "flip", "q": 0.1, "r": 2}, "r goes with generator='fixed'"),
        ({"q": 0.1}, "q and Q with another one"),
        ({"r": 10}, "r must be 0 to 9"),
    ],
)
def test_wrong_kmnist_options_are_told(loaded, options, message):
    loaded("kmnist")
    with pytest.raises(MiplError, match=message):
        loaded("kmnist", **options)
