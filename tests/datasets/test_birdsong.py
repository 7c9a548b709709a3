import numpy as np
import pytest

from mipl.errors import MiplError


def rows_of(part):
    return {row.tobytes() for row in part.bags.instances}


def test_bags_hold_one_species_and_what_is_none(loaded):
    data = loaded("birdsong-mipl")
    for i in (0, 99, 100, 1299):
        found = set(data.bags[i].instance_labels.tolist())
        assert found == {str(data.labels[i]), "none"}
        bag = data.bags.bag(i)
        assert len(np.unique(bag, axis=0)) == len(bag)
    assert data.labels.tolist() == [c for c in data.classes for _ in range(100)]


def test_instances_recur_and_the_share_is_told(loaded):
    data = loaded("birdsong-mipl")
    shares = data.facts["test_instances_seen_in_training"]
    assert len(shares) == 10
    for fold in (0, 7):
        train, test = data.split(fold)
        seen = rows_of(train)
        naive = np.mean([row.tobytes() in seen for row in test.bags.instances])
        assert shares[fold] == pytest.approx(naive, abs=1e-4)
        assert naive > 0.9


def test_disjoint_folds_share_no_instance(loaded):
    plain = loaded("birdsong-mipl", r=2)
    for fold in (0, 9):
        data = loaded("birdsong-mipl", r=2, disjoint=True, fold=fold)
        assert list(data.splits) == ["default"] and len(data.folds()) == 1
        train, test = data.split(0)
        assert not rows_of(train) & rows_of(test)
        assert data.facts["disjoint_fold"] == fold
        assert data.facts["test_instances_seen_in_training"] == [0.0]
        # The same bags by label, size and place as in the plain set's fold.
        split = plain.folds()[fold]
        assert np.array_equal(data.folds()[0].train, split.train)
        assert np.array_equal(data.bags.sizes, plain.bags.sizes)
        assert np.unique(test.labels, return_counts=True)[1].tolist() == [30] * 13
        assert (data.candidates.sizes == 3).all()


def test_disjoint_folds_divide_the_instances_anew(loaded):
    first, second = (
        loaded("birdsong-mipl", disjoint=True, fold=fold) for fold in (0, 1)
    )
    assert first.bags.digest() != second.bags.digest()
    again = loaded("birdsong-mipl", disjoint=True, fold=0)
    assert first.bags.digest() == again.bags.digest()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fold": 0}, "disjoint=True only"),
        ({"disjoint": True}, "needs a fold from 0 to 9; got None"),
        ({"disjoint": True, "fold": 10}, "fold must be 0 to 9; got 10"),
        ({"disjoint": True, "fold": -1}, "fold must be 0 to 9; got -1"),
        ({"disjoint": True, "fold": "a"}, "got 'a'"),
        ({"disjoint": True, "fold": True}, "got True"),
        ({"disjoint": "no"}, "disjoint must be True or False; got 'no'"),
        ({"r": 13}, "r must be 0 to 12"),
    ],
)
def test_wrong_options_are_told(loaded, options, message):
    loaded("birdsong-mipl")
    with pytest.raises(MiplError, match=message):
        loaded("birdsong-mipl", **options)
