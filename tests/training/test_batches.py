"""Batches: every bag once, whole, within the limits asked for."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl import Bags
from mipl.testing.strategies import problems
from mipl.training.batches import BatchSource, cut

CPU = torch.device("cpu")
sizes = st.lists(st.integers(1, 9), min_size=1, max_size=12).map(np.array)
limit = st.none() | st.integers(1, 12)


@quick
@given(sizes, limit, limit)
def test_cuts_cover_all_bags_within_the_limits(sizes, bags, instances):
    runs = list(cut(sizes, bags, instances))
    assert [i for first, last in runs for i in range(first, last)] == list(
        range(len(sizes))
    )
    for first, last in runs:
        held = sizes[first:last].sum()
        assert last - first <= (bags or len(sizes))
        assert instances is None or held <= instances or last - first == 1


@quick
@given(sizes, limit, limit)
def test_no_batch_could_have_been_joined_with_the_next_bag(sizes, bags, instances):
    runs = list(cut(sizes, bags, instances))
    for first, last in runs[:-1]:
        full = bags is not None and last - first == bags
        over = instances is not None and sizes[first : last + 1].sum() > instances
        assert full or over


class OnDisk:
    """Rows that are read only when they are asked for."""

    def __init__(self, rows):
        self.rows = rows
        self.shape, self.dtype = rows.shape, rows.dtype

    def __getitem__(self, part):
        return self.rows[part].copy()

    def select(self, starts, stops):
        runs = [self.rows[a:b] for a, b in zip(starts, stops, strict=True)]
        return OnDisk(np.concatenate(runs))


@quick
@given(problems(), st.integers(0, 9), limit, limit, st.booleans())
def test_a_batch_holds_the_rows_and_sets_of_its_bags(problem, seed, b, n, on_disk):
    bags, y = problem
    if on_disk:
        bags = Bags(OnDisk(bags.instances), bags.offsets)
    source = BatchSource(bags, y.matrix, CPU, torch.float64)
    order = np.random.default_rng(seed).permutation(len(bags))
    seen = []
    for batch in source.deal(order, b, n):
        numbers = batch.bags.tolist()
        seen += numbers
        rows = np.concatenate([bags.bag(i) for i in numbers])
        np.testing.assert_array_equal(batch.x.numpy(), rows.astype(float))
        assert batch.segments.sizes.tolist() == bags.sizes[numbers].tolist()
        np.testing.assert_array_equal(batch.candidates.numpy(), y.matrix[numbers])
    assert seen == order.tolist()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_batches_come_in_the_type_asked_for(dtype):
    source = BatchSource(Bags([[[1.0]]]), np.ones((1, 2), dtype=bool), CPU, dtype)
    (batch,) = source.deal(np.array([0]), None, None)
    assert batch.x.dtype == dtype
