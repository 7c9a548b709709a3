"""The table of the demo; its page is in ``tests/cli/test_demo.py``."""

from mipl.reports.demo_page import DEMO_COLUMNS, demo_rows
from mipl.reports.number_text import spread
from mipl.runs.demo import demo_runs


def test_demo_rows_have_a_cell_per_column() -> None:
    runs = list(demo_runs([0, 1], ["mean"], workers=1))
    [row] = demo_rows(runs)
    assert len(row) == 1 + len(DEMO_COLUMNS) and row[0] == "mean pooling"
    cells = dict(zip(DEMO_COLUMNS, row[1:], strict=True))
    assert cells["accuracy"] == spread([r.evaluation.truth.accuracy for r in runs])
    assert cells["ECE"] == spread([r.evaluation.truth.ece for r in runs])
    assert cells["attention AUROC"] == cells["instance violations"] == "-"
    assert "±" in cells["seconds"]
