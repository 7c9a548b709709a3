"""The figures of docs/differences.md are those of the committed rows."""

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from tests.tools.committed import committed

from mipl.runs.run import Run
from tools import causes

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
PUBLISHED = {"published": True}
MEASURED = {  # Whose ten splits the first table tells of.
    ("MIPLMA, released", "Birdsong-MIPL, r = 2"): ("miplma-released", 2),
    ("MIPLMA, released", "Birdsong-MIPL, r = 3"): ("miplma-released", 3),
    ("MIPLMA, released", "SIVAL-MIPL, r = 3"): ("miplma-released", 3),
    ("DEMIPL", "SIVAL-MIPL, r = 1"): ("demipl", 1),
}


def tables():
    """Return the tables of the page by the first cell of their heads."""
    found, rows = {}, []
    for line in [*PAGE.read_text().splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found[rows[0][0]] = [rows[0], *rows[2:]]
            rows = []
    return found


def text(number):
    return f"{number:.3f}".replace("0.", ".", 1)


def runs(name, first):
    """Return the run of a line of a study's table, without its split."""
    if name == "DEMIPL, r = 1":
        run = Run("demipl", "sival-mipl", causes.DEMIPL)
        changes, whole = causes.DEMIPL_CHANGES, ", 200 epochs"
    else:
        r = int(name[-1])
        given = {**causes.RELEASED, "training__lr": causes.RATES[r]}
        run = Run("miplma-released", "birdsong-mipl", given, r=r)
        changes, whole = causes.RELEASED_CHANGES, ", five runs together"
    if first.endswith(whole):
        return replace(run, arguments=PUBLISHED)
    if seed := re.fullmatch(r"seed (\d)", first):
        return replace(run, seed=int(seed[1]))
    if first in causes.FORMS:
        file = causes.SCALED / f"sival-mipl-r1-{causes.FORMS[first]}.bags.h5"
        given = {**run.arguments, "scaling": "none"}
        return replace(run, data=file.as_posix(), arguments=given)
    return replace(run, arguments={**run.arguments, **changes[first]})


@pytest.mark.parametrize("name", ["r = 2", "DEMIPL, r = 1"])
def test_changes_one_by_one(name):
    head, *body = tables()[name]
    assert len(body) >= 10
    for first, *cells, mean in body:
        accuracies = []
        for split, cell in zip(head[1:-1], cells, strict=True):
            run = replace(runs(name, first), split=int(split.removeprefix("split ")))
            accuracies.append(committed()[run].accuracy)
            assert cell == text(accuracies[-1]), (first, split)
        assert mean == text(fmean(accuracies)), first


def test_all_splits_of_what_differs():
    method, seen = "", set()
    for first, data, ours, *_ in tables()["method"][1:]:
        method = first or method
        if (method, data) in MEASURED:
            id, r = MEASURED[method, data]
            name = data.split(",")[0].lower()
            values = [
                one.accuracy
                for run, one in committed().items()
                if (run.method, run.data, run.r) == (id, name, r)
                and run.arguments == PUBLISHED
            ]
            assert ours == f"{text(fmean(values))} ± {text(pstdev(values))} (10)"
            assert len(values) == 10
            seen.add((method, data))
    assert seen == set(MEASURED)
