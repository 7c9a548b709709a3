"""Sizes that no memory holds are told; how time grows is `benchmarks.table_growth`."""

import pytest

from mipl import MiplError
from mipl.data import Candidates
from mipl.io.tables import candidate_columns


def test_more_candidates_than_can_be_held_are_told_before_memory_is_taken(monkeypatch):
    names = [f"c{i}" for i in range(20_000)]
    with pytest.raises(MiplError, match=r"20,000 classes make 2,000,000,000"):
        Candidates([{"c1"}] * 100_000, names)
    assert candidate_columns.empty_matrix(10, 10).sum() == 0
