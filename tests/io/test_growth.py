"""Reading tables takes time in proportion to them, not to the square."""

from time import process_time

import pytest
from benchmarks.table_growth import SIZES

from mipl import MiplError, read_dataset
from mipl.data import Candidates
from mipl.io.tables import candidate_columns


@pytest.mark.parametrize("what", SIZES)
def test_ten_times_as_much_takes_about_ten_times_as_long(tmp_path, what):
    make, sizes = SIZES[what]
    small, large = (1000, 10_000) if what == "classes" else sizes[-2:]
    if what == "rows":
        small, large = 10_000, 100_000
    taken = []
    for n in (small, small, large):
        path = tmp_path / f"{n}.csv"
        path.write_text("\n".join(make(n)))
        start = process_time()
        read_dataset(path)
        taken.append(process_time() - start)
    # Squares would take a hundred times as long; a tenth of a second is noise.
    assert taken[2] < 35 * max(min(taken[:2]), 0.01)


def test_more_candidates_than_can_be_held_are_told_before_memory_is_taken(monkeypatch):
    names = [f"c{i}" for i in range(20_000)]
    with pytest.raises(MiplError, match=r"20,000 classes make 2,000,000,000"):
        Candidates([{"c1"}] * 100_000, names)
    assert candidate_columns.empty_matrix(10, 10).sum() == 0
