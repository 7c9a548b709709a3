import numpy as np
import pytest

from mipl.reports.demo_page import DEMO_COLUMNS, demo_rows
from mipl.reports.number_text import number, spread
from mipl.runs.demo import demo_runs


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.500"), (-0.0004, "0.000"), (1, "1.000"), (None, "-"), (0.9996, "1.000")],
)
def test_numbers(value, text) -> None:
    assert number(value) == text


def test_spread_is_the_sample_standard_deviation() -> None:
    values = [0.1, 0.4, 0.4]
    assert spread(values) == f"0.300 ± {np.std(values, ddof=1):.3f}"
    assert spread([0.25, None], 2) == "0.25"


def test_demo_rows_have_a_cell_per_column() -> None:
    runs = list(demo_runs([0, 1], ["mean"], workers=1))
    [row] = demo_rows(runs)
    assert len(row) == 1 + len(DEMO_COLUMNS) and row[0] == "mean pooling"
    cells = dict(zip(DEMO_COLUMNS, row[1:], strict=True))
    assert cells["accuracy"] == spread([r.evaluation.truth.accuracy for r in runs])
    assert cells["ECE"] == spread([r.evaluation.truth.ece for r in runs])
    assert cells["attention AUROC"] == cells["instance violations"] == "-"
    assert "±" in cells["seconds"]
