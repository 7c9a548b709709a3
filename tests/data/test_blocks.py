"""Blocks: every instance once, in order, with its bag, however bags are cut."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl import Bags
from mipl.data.blocks import blocks

sizes = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@quick
@given(sizes, st.integers(1, 12))
def test_blocks_cover_all_instances_in_order_and_know_their_bags(sizes, most):
    offsets = np.cumsum([0, *sizes])
    bags = Bags(np.arange(2.0 * offsets[-1]).reshape(-1, 2), offsets)
    found = list(blocks(bags, most))
    np.testing.assert_array_equal(
        np.concatenate([block.rows for block in found]), bags.instances
    )
    assert all(len(block.rows) == most for block in found[:-1])
    assert 0 < len(found[-1].rows) <= most
    parts = [part for block in found for part in block.parts()]
    assert all(len(rows) for _, rows in parts)
    owners = [bag for bag, rows in parts for _ in rows]
    assert owners == bags.bag_of_instance.tolist()


def test_a_block_holds_about_four_million_numbers_by_default():
    bags = Bags(np.zeros((9000, 512)), [0, 1, 9000])
    assert [len(block.rows) for block in blocks(bags)] == [8192, 808]
    wide = Bags(np.zeros((2, (1 << 22) + 1)), [0, 2])
    assert [len(block.rows) for block in blocks(wide)] == [1, 1]
