"""Instances drawn per step: without replacement, anew each epoch, repeatable."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick
from tests.training.test_batches import OnDisk

from mipl import MIPLMA, Bags, Training
from mipl.data import Dataset
from mipl.io.native import hdf5
from mipl.training.batches import BatchSource, draw

CPU = torch.device("cpu")
SIZES = np.array([3, 40, 1, 12, 25])
# The number of its row stands in every instance.
ROWS = np.repeat(np.arange(SIZES.sum(), dtype=np.float32)[:, None], 2, axis=1)
BAGS = Bags(ROWS, np.cumsum([0, *SIZES]))
SETS = [{0, 1}, {1}, {0}, {1, 2}, {2}]


def dealt(bags=BAGS, per_bag=10, seed=0, epoch=1, batch_size=2, batch_instances=None):
    """Return the rows of each bag that an epoch takes."""
    source = BatchSource(bags, np.ones((5, 2), bool), CPU, torch.float32)
    drawn = source.drawing(per_bag, seed, epoch)
    order = np.array([3, 1, 0, 4, 2])
    found = {}
    for batch in drawn.deal(order, batch_size, batch_instances):
        rows = batch.x[:, 0].long().tolist()
        for bag, size in zip(
            batch.bags.tolist(), batch.segments.sizes.tolist(), strict=True
        ):
            found[bag] = rows[:size]
            rows = rows[size:]
        assert rows == []
    return found


@quick
@given(st.integers(1, 50), st.integers(0, 9), st.integers(1, 9))
def test_a_draw_has_no_instance_twice_and_small_bags_whole(most, seed, epoch):
    for bag, rows in dealt(per_bag=most, seed=seed, epoch=epoch).items():
        start, stop = BAGS.offsets[bag], BAGS.offsets[bag + 1]
        assert len(rows) == len(set(rows)) == min(most, stop - start)
        assert rows == sorted(rows)
        assert start <= rows[0] and rows[-1] < stop


def test_a_draw_is_a_function_of_seed_epoch_and_bag_alone():
    first = dealt()
    assert dealt() == first
    assert dealt(batch_size=1) == dealt(batch_size=None, batch_instances=15) == first
    assert dealt(bags=Bags(OnDisk(ROWS), BAGS.offsets)) == first
    assert dealt(epoch=2)[1] != first[1] != dealt(seed=1)[1]
    assert [row - 3 for row in first[1]] != [row - 56 for row in first[4]]


@quick
@given(st.floats(0.01, 0.99), st.integers(0, 9))
def test_a_share_is_a_share_of_each_bag_rounded_up(share, seed):
    for bag, rows in dealt(per_bag=share, seed=seed).items():
        start, stop = BAGS.offsets[bag], BAGS.offsets[bag + 1]
        assert len(rows) == len(set(rows)) == -int(-share * (stop - start) // 1)
        assert rows == sorted(rows)
        assert start <= rows[0] and rows[-1] < stop


@pytest.mark.parametrize("n_bags", [1, 3])  # One alone is drawn from otherwise.
def test_every_pair_of_instances_is_drawn_equally_often(n_bags):
    pairs = np.zeros((n_bags, 12, 12))
    sizes, chance = np.full(n_bags, 12), np.random.default_rng(0)
    for _ in range(3000):
        rows = draw(sizes, np.full(n_bags, 3), chance).reshape(n_bags, 3)
        for bag, (a, b, c) in enumerate(rows):
            pairs[bag][[a, a, b], [b, c, c]] += 1
    # 3000 draws with chance 3 / 66: the standard deviation is 11.4.
    found = pairs[:, *np.triu_indices(12, 1)]
    assert pairs.sum() == found.sum() and abs(found - 3000 / 22).max() < 5 * 11.4


def test_bags_of_one_size_are_drawn_from_independently():
    draws = draw(np.full(500, 4), np.full(500, 2), np.random.default_rng(1))
    again = np.ravel_multi_index(draws.reshape(500, 2).T, (4, 4))
    counts = np.bincount(again, minlength=16)
    # Six pairs, each with chance 1/6: the standard deviation is 8.3.
    assert (counts > 0).sum() == 6 and abs(counts[counts > 0] - 500 / 6).max() < 42


def test_batches_by_instances_count_what_is_drawn():
    source = BatchSource(BAGS, np.ones((5, 2), bool), CPU, torch.float32)
    drawn = source.drawing(10, 0, 1)
    sizes = [
        batch.segments.sizes.tolist() for batch in drawn.deal(np.arange(5), None, 21)
    ]
    assert sizes == [[3, 10, 1], [10, 10]]
    assert source.drawing(None, 0, 1) is source


def fitted(bags=BAGS, **training):
    settings = {"epochs": 3, "batch_size": 2, "instances_per_bag": 6} | training
    model = MIPLMA(width=8, random_state=0, training=Training(**settings))
    return model.fit(bags, SETS)


def weights(model):
    return b"".join(v.numpy().tobytes() for v in model.module_.state_dict().values())


def test_training_repeats_and_large_limits_change_nothing(tmp_path):
    drawn = weights(fitted())
    assert weights(fitted()) == drawn
    hdf5.write(Dataset(BAGS, SETS), tmp_path / "a.bags.h5")
    assert weights(fitted(hdf5.read(tmp_path / "a.bags.h5").bags)) == drawn
    whole = weights(fitted(instances_per_bag=None))
    assert weights(fitted(instances_per_bag=40)) == whole != drawn


def test_predictions_use_all_instances():
    model = fitted(instances_per_bag=1)
    assert model.attend(BAGS).shape == (BAGS.n_instances,)
    again = model.predict_proba(BAGS)
    model.set_params(training__instances_per_bag=None)
    np.testing.assert_array_equal(model.predict_proba(BAGS), again)


@pytest.mark.parametrize("value", [0, 0.0, 1.0, 2.5, "all", True])
def test_what_cannot_be_drawn_is_refused(value):
    with pytest.raises(ValueError, match="instances_per_bag of Training must be None"):
        fitted(instances_per_bag=value)
