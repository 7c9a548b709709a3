"""Set measured accuracies beside MIPLMA's, split by split, and beside the papers'.

    python -m benchmarks.compare --method demipl elimipl cdl > table.md

Prints, for each data set and r, mean and std (ddof 0) of the splits measured with the
published settings; the paired t-test at .05 against MIPLMA's presets on the splits that
both have (win, tie or loss of the row's method); and the published figure, marked where
ours departs from it by more than two of the larger standard deviation. Reads
results/accuracies.csv and published_figures.csv.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.measure import FILE
from benchmarks.record import load
from mipl.metrics import t_test, verdict

PAPERS = Path(__file__).parent / "published_figures.csv"
DATA = ("sival-mipl", "birdsong-mipl")
PRESETS = (("miplma", "{}"), ("miplma-released", "{}"))


class Cell(NamedTuple):
    """Where a figure stands in the table."""

    method: str
    arguments: str
    data: str
    r: str


def measured() -> dict[Cell, dict[str, float]]:
    """Return the accuracies of published settings, and of our own MIPLMA, by split."""
    cells: dict[Cell, dict[str, float]] = defaultdict(dict)
    for row in load(FILE):
        arguments = json.loads(row["arguments"])
        published = arguments.pop("published", False)
        if row["seed"] == "0" and published != (row["method"] == "miplma"):
            text = json.dumps(arguments, sort_keys=True)
            cell = Cell(row["method"], text, row["data"], row["r"])
            cells[cell][row["split"]] = float(row["accuracy"])
    return cells


def told(found: list[float]) -> str:
    return f"{np.mean(found):.3f} ± {np.std(found):.3f} ({len(found)})"


def against(found: Mapping[str, float], preset: Mapping[str, float]) -> str:
    """Return win, tie or loss on the splits that both have, with the p-value."""
    shared = sorted(found.keys() & preset.keys())
    if len(shared) < 2 or found is preset:
        return ""
    pair = [found[s] for s in shared], [preset[s] for s in shared]
    return f"{verdict(*pair)}, p {t_test(*pair).p_value:.1g} ({len(shared)})"


def beside(found: list[float], paper: Mapping[str, str] | None) -> str:
    """Return the published figure, marked where ours departs from it."""
    if paper is None:
        return ""
    spread = max(float(paper["std"] or 0), float(np.std(found)))
    gap = float(np.mean(found)) - float(paper["accuracy"])
    mark = "" if abs(gap) <= 2 * spread else " **higher**" if gap > 0 else " **lower**"
    std = f" ± {paper['std']}" if paper["std"] else ""
    return f"{paper['accuracy']}{std}{mark}"


def line(cell: Cell, cells: Mapping[Cell, Mapping[str, float]]) -> list[str]:
    """Return what there is to say of a method on one data set."""
    found = cells[cell]
    settings = "" if cell.arguments == "{}" else f" {cell.arguments}"
    presets = [Cell(*preset, cell.data, cell.r) for preset in PRESETS]
    papers = {tuple(row[name] for name in Cell._fields): row for row in load(PAPERS)}
    return [
        cell.data,
        cell.r,
        cell.method + settings,
        told(list(found.values())),
        *(
            against(found, cells[preset]) if preset in cells else ""
            for preset in presets
        ),
        beside(list(found.values()), papers.get(cell)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--method", nargs="+", required=True)
    given = parser.parse_args()
    cells = measured()
    shown = [*PRESETS, *((name, None) for name in given.method)]
    columns = [
        "data",
        "r",
        "method",
        "accuracy (splits)",
        "vs ours",
        "vs released",
        "paper",
    ]
    for words in [columns, ["---"] * len(columns)]:
        print(f"| {' | '.join(words)} |")
    for data in DATA:
        for r in "123":
            for method, arguments in shown:
                for cell in sorted(cells):
                    if cell == (method, arguments or cell.arguments, data, r):
                        print(f"| {' | '.join(line(cell, cells))} |")


if __name__ == "__main__":
    main()
