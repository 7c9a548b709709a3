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
def test_promipl_on_vectors_has_the_best_rate_of_its_grid(data):
    points = [
        (json.loads(row["arguments"]), float(row["approximated_accuracy"]))
        for row in ROWS
        if (row["method"], row["data"], row["r"]) == ("promipl", data, "1")
    ]
    points = [(found, score) for found, score in points if "tau" not in found]
    assert [found for found, _ in points] == grid("promipl", data)
    best, _ = max(points, key=lambda point: point[1])
    for r in (1, 2, 3):
        chosen = published("promipl", data, r).chosen
        assert best == {name: chosen[name] for name in best}
