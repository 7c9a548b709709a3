"""Settings chosen on training candidates are the best of the grids measured."""

import csv
import json

import pytest
from tools.choose_released import FILE, GRIDS, KNOWN, grid

from mipl.methods.catalogue.registry import published
from mipl.methods.catalogue.rows.mipl_published import CHOSEN_ON, MIPLMA_CHOSEN

with FILE.open(newline="") as file:
    ROWS = list(csv.DictReader(file))
METHOD = "miplma-released"
CELLS = [cell for cell in MIPLMA_CHOSEN if CHOSEN_ON.get(cell) != " of r = 1"]


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_chosen_settings_are_the_best_of_a_whole_grid(cell):
    data, r = cell
    points = [
        row
        for row in ROWS
        if (row["method"], row["data"].split()[0]) == (METHOD, data)
        and r in (None, int(row["r"]))
    ]
    assert len(points) == len(grid(METHOD, data))
    best = max(points, key=lambda row: float(row["approximated_accuracy"]))
    found = json.loads(best["arguments"])
    told = KNOWN.get((METHOD, data), {})
    assert MIPLMA_CHOSEN[cell] == {n: v for n, v in found.items() if n not in told}
    assert set(found) == set(GRIDS[METHOD])


@pytest.mark.parametrize("data", ["birdsong-mipl", "sival-mipl"])
def test_promipl_on_vectors_has_the_best_point_of_its_grid(data):
    points = [row for row in ROWS if row["method"] == "promipl"]
    assert len(points) == len(grid("promipl", "birdsong-mipl"))
    best = max(points, key=lambda row: float(row["approximated_accuracy"]))
    chosen = published("promipl", data).chosen
    found = json.loads(best["arguments"])
    assert found == {name: chosen[name] for name in found}
