"""Settings chosen on training candidates are the best of the grids measured."""

import csv
import json

import pytest
from tools.choose_released import FILE, GRIDS, KNOWN, grid

from mipl.methods.catalogue.registry import find, published

with FILE.open(newline="") as file:
    ROWS = list(csv.DictReader(file))
METHOD = "miplma-released"
CHOSEN = {
    (one.data, one.r): one.chosen
    for one in find(METHOD).published
    if one.chosen and not one.choice.endswith("those of r = 1")
}


@pytest.mark.parametrize("cell", CHOSEN, ids=str)
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
    assert CHOSEN[cell] == {n: v for n, v in found.items() if n not in told}
    assert set(found) == set(GRIDS[METHOD])


@pytest.mark.parametrize("data", ["birdsong-mipl", "sival-mipl"])
def test_promipl_on_vectors_has_the_best_point_of_its_grid(data):
    points = [row for row in ROWS if row["method"] == "promipl"]
    assert len(points) == len(grid("promipl", "birdsong-mipl"))
    best = max(points, key=lambda row: float(row["approximated_accuracy"]))
    chosen = published("promipl", data).chosen
    found = json.loads(best["arguments"])
    assert found == {name: chosen[name] for name in found}
