"""Every MIPL set against the published table of record."""

import numpy as np
import pytest

# set: bags, instances, smallest, largest, mean, features, classes,
# and positives per bag in percent: least, largest, average.
TABLE = {
    "mnist-mipl": (500, 20664, 35, 48, 41.33, 784, 5, (7.0, 9.1, 8.0)),
    "fmnist-mipl": (500, 20810, 36, 48, 41.62, 784, 5, (7.0, 9.1, 8.0)),
    "birdsong-mipl": (1300, 48425, 25, 76, 37.25, 38, 13, (6.9, 10.0, 8.3)),
}
MOST_R = {"digits-mipl": 4, "birdsong-mipl": 10, "sival-mipl": 3}


def positives(data):
    """Number of instances of each bag that carry the bag's own label."""
    same = data.bags.instance_labels == data.labels[data.bags.bag_of_instance]
    return np.add.reduceat(same.astype(int), data.bags.offsets[:-1])


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", sorted(TABLE))
def test_rebuilt_sets_match_the_table(loaded, name, seed):
    data = loaded(name, seed=seed)
    m, n, smallest, largest, mean, d, k, percent = TABLE[name]
    sizes = data.bags.sizes
    assert (len(data), data.bags.n_features, len(data.classes)) == (m, d, k)
    assert data.bags.n_instances == n
    assert (sizes.min(), sizes.max()) == (smallest, largest)
    assert sizes.mean() == pytest.approx(mean, abs=0.006)
    assert np.unique(data.labels, return_counts=True)[1].tolist() == [m // k] * k
    share = 100 * positives(data) / sizes
    assert (share.min(), share.max()) == pytest.approx(percent[:2], abs=0.051)
    assert share.mean() == pytest.approx(percent[2], abs=0.051)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("mnist-mipl", lambda n: 3 if n <= 43 else 4),
        ("fmnist-mipl", lambda n: 3 if n <= 43 else 4),
        # n / 12 rounded, halves up: 2 up to 29, 3 up to 41, 4 up to 53 ...
        ("birdsong-mipl", lambda n: 2 + (n >= 30) + (n >= 42) + (n >= 54) + (n >= 66)),
        ("digits-mipl", lambda n: 2 if n <= 20 else 3),
    ],
)
def test_positives_follow_the_rule_exactly(loaded, name, rule):
    data = loaded(name)
    assert positives(data).tolist() == [rule(n) for n in data.bags.sizes.tolist()]


def test_digits(loaded):
    data = loaded("digits-mipl")
    assert len(data) == 250
    assert data.classes.tolist() == [0, 2, 4, 6, 8]
    assert data.labels.tolist() == [c for c in (0, 2, 4, 6, 8) for _ in range(50)]
    assert set(data.bags.sizes.tolist()) == set(range(18, 25))
    assert (data.bags.n_features, data.bags.instance_shape) == (64, (1, 8, 8))
    negative = data.bags.instance_labels != data.labels[data.bags.bag_of_instance]
    assert set(data.bags.instance_labels[negative].tolist()) == {1, 3, 5, 7, 9}
    rows = data.bags.instances[~negative]
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert (data.bags.instances.min(), data.bags.instances.max()) == (0, 1)


@pytest.mark.parametrize(
    ("name", "targets", "reserved"),
    [
        ("mnist-mipl", [0, 2, 4, 6, 8], [1, 3, 5, 7, 9]),
        (
            "fmnist-mipl",
            ["T-shirt", "Trouser", "Coat", "Sneaker", "Bag"],
            ["Pullover", "Dress", "Sandal", "Shirt", "Ankle boot"],
        ),
    ],
)
def test_image_bags(loaded, name, targets, reserved):
    data = loaded(name)
    bags = data.bags
    assert data.classes.tolist() == targets
    assert data.labels.tolist() == [c for c in targets for _ in range(100)]
    assert bags.instance_shape == (1, 28, 28)
    assert (bags.instances.min(), bags.instances.max()) == (0, 1)
    negative = bags.instance_labels != data.labels[bags.bag_of_instance]
    # All reserved classes, mixed: each about a fifth of the negatives.
    counts = {c: np.mean(bags.instance_labels[negative] == c) for c in reserved}
    assert sum(counts.values()) == pytest.approx(1)
    assert all(0.15 < share < 0.25 for share in counts.values())
    # Positives stand anywhere in a bag, not at its head.
    place = np.arange(bags.n_instances) - bags.offsets[bags.bag_of_instance]
    place = place / (bags.sizes[bags.bag_of_instance] - 1)
    assert place[~negative].mean() == pytest.approx(0.5, abs=0.05)


def test_mnist_uses_no_image_twice(loaded):
    rows = loaded("mnist-mipl").bags.instances
    # The training images themselves hold no two equal ones.
    assert len({row.tobytes() for row in rows}) == len(rows)


@pytest.mark.parametrize("name", ["mnist-mipl", "fmnist-mipl", "digits-mipl"])
def test_splits_give_seven_of_ten_bags_of_each_class(loaded, name):
    data = loaded(name)
    each = len(data) // 5
    for fold in range(10):
        train, test = data.split(fold)
        assert (
            np.unique(train.labels, return_counts=True)[1].tolist()
            == [each * 7 // 10] * 5
        )
        assert (
            np.unique(test.labels, return_counts=True)[1].tolist()
            == [each * 3 // 10] * 5
        )


def test_sival_is_what_the_source_holds_and_says_so(loaded):
    data = loaded("sival-mipl")
    assert (len(data), data.bags.n_instances, data.bags.n_features) == (1499, 47355, 30)
    assert np.unique(data.bags.sizes).tolist() == [4, 31, 32]
    assert data.bags.sizes[0] == 4 and data.labels[0] == "AjaxOrange"
    assert np.count_nonzero(data.bags.sizes == 4) == 1
    counts = np.unique(data.labels, return_counts=True)[1]
    assert sorted(counts.tolist()) == [59] + [60] * 24
    assert (
        "1499 bags and 47,355 instances instead of the published 1500"
        in (data.facts["gaps"])
    )
    assert "bag 0 has only 4 instances" in data.facts["gaps"]


@pytest.mark.parametrize(
    "name",
    ["digits-mipl", "synthetic", "mnist-mipl", "sival-mipl", "birdsong-mipl"],
)
def test_one_set_of_bags_carries_every_r(loaded, name):
    sets = {r: loaded(name, r=r) for r in (0, 1, 2, 3, MOST_R.get(name, 3))}
    first = sets[0]
    assert np.array_equal(first.candidates.matrix.argmax(axis=1), _columns(first))
    for r, data in sets.items():
        assert (data.candidates.sizes == r + 1).all()
        assert data.candidates.contains(data.labels).all()
        assert data.bags.digest() == first.bags.digest()
        assert np.array_equal(data.labels, first.labels)
        assert data.facts["candidates"] == {"kind": "fixed", "seed": 0, "r": r}


def _columns(data):
    return data.candidates.encode(data.labels)


@pytest.mark.parametrize("name", ["digits-mipl", "synthetic", "mnist-mipl"])
def test_the_seed_decides_all_bits(loaded, name):
    first, again, other = loaded(name, seed=3), loaded(name, seed=3), loaded(name)
    assert first.bags.digest() == again.bags.digest()
    assert np.array_equal(first.bags.instance_labels, again.bags.instance_labels)
    assert np.array_equal(first.candidates.matrix, again.candidates.matrix)
    assert first.bags.digest() != other.bags.digest()
    assert not np.array_equal(first.candidates.matrix, other.candidates.matrix)
