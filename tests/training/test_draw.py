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
from mipl.training.batches import BatchSource, Draw

CPU = torch.device("cpu")
SIZES = np.array([3, 40, 1, 12, 25])
# The number of its row stands in every instance.
ROWS = np.repeat(np.arange(SIZES.sum(), dtype=np.float32)[:, None], 2, axis=1)
BAGS = Bags(ROWS, np.cumsum([0, *SIZES]))
SETS = [{0, 1}, {1}, {0}, {1, 2}, {2}]


def dealt(bags=BAGS, most=10, seed=0, epoch=1, batch_size=2, batch_instances=None):
    """Return the rows of each bag that an epoch takes."""
    source = BatchSource(bags, np.ones((5, 2), bool), CPU, torch.float32)
    drawn = source.drawing(most, seed, epoch)
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
    for bag, rows in dealt(most=most, seed=seed, epoch=epoch).items():
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


def test_every_instance_is_drawn_equally_often():
    times = np.zeros(12)
    for epoch in range(3000):
        times[Draw(3, 0, epoch).instances(7, 12)] += 1
    # 3000 draws with chance 1/4: the standard deviation is 24.
    assert abs(times - 750).max() < 5 * 24


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


@pytest.mark.parametrize("value", [0, 2.5, "all"])
def test_what_cannot_be_drawn_is_refused(value):
    with pytest.raises(ValueError, match="instances_per_bag of Training must be None"):
        fitted(instances_per_bag=value)
