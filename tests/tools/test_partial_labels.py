"""The figures of docs/partial_labels.md are those of the rows measured."""

import json
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev

from tests.tools.committed import answers

from mipl.paper.published.accuracies import accuracies as published
from tools import partial_labels

PAGE = Path(__file__).parents[2] / "docs" / "partial_labels.md"
NAMES = {
    "LWS, sigmoid, beta 1": ("lws", {"beta": 1.0}),
    "LWS, sigmoid, beta 2": ("lws", {"beta": 2.0}),
    "LWS, cross-entropy, beta 2": ("lws", {"beta": 2.0, "form": "cross-entropy"}),
    "CAVL, `restrict=False` (as released)": ("cavl", {"restrict": False}),
    "PRODEN-MA, linear": ("proden-ma", {"backbone": "linear"}),
}


def tables():
    """Return the tables of the page by the second cell of their heads."""
    found, rows = {}, []
    for line in [*PAGE.read_text().splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip(" *") for cell in line.strip("|").split("|")])
        elif rows:
            found[rows[0][1]] = [rows[0], *rows[2:]]
            rows = []
    return found


@cache
def cells():
    """Return the accuracies measured, by study, data, method, arguments and epochs."""
    found = defaultdict(list)
    for study, plan in partial_labels.STUDIES.items():
        for one in answers(plan()):
            run, given = one.run, one.run.arguments
            epochs = given.get("training__epochs")
            own = {n: v for n, v in given.items() if not n.startswith("training__")}
            data = (run.data, run.options.get("images"), run.options.get("q"))
            key = (study, data, run.method, json.dumps(own), epochs)
            found[key].append(one.accuracy)
    return found


def text(number, sign=""):
    return f"{number:{sign}.3f}".replace("0.", ".", 1)


def told(values):
    return f"{text(fmean(values))}±{text(pstdev(values))}"


def pair(study, data, epochs, times):
    """Return what PRODEN and PRODEN-MA have reached, and the gain."""
    own = json.dumps({"backbone": "mlp"})
    both = [cells()[study, data, m, own, epochs] for m in ("proden", "proden-ma")]
    assert [len(values) for values in both] == [times, times]
    one, two = both
    return f"{told(one)} / {told(two)}, {text(fmean(two) - fmean(one), '+')}"


def test_real_sets():
    measured, (_, *body) = cells(), tables()["Lost"]
    assert len(body) == len({row[0] for row in body}) == 13
    for name, *figures in body:
        id, own = NAMES.get(name, (name.lower(), {}))
        del figures[1]  # Of other programs.
        for data, figure in zip(
            ("lost", "birdsong-pll", "italian"), figures, strict=True
        ):
            epochs = None if id in ("pl-aggd", "pl-svm", "m3pl") else 200
            spot = (data, None, None)
            values = measured["real", spot, id, json.dumps(own), epochs]
            assert len(values) == (0 if figure == "too many rows" else 10)
            assert figure == (told(values) if values else "too many rows")


def test_kuzushiji_mnist():
    paper = {(f.method, f.data): f for f in published("table6")}
    head, *body = tables()["10 epochs"]
    *epochs, last = head[1:]
    assert len(body) == 5 and last == "the paper"
    for q, *figures in body:
        one, two = (paper[m, f"kmnist-q0{q}"] for m in ("proden", "proden-ma"))
        printed = " / ".join(f"{text(f.mean)}±{text(f.std)}" for f in (one, two))
        assert figures.pop() == f"{printed}, {text(two.mean - one.mean, '+')}"
        for figure, column in zip(figures, epochs, strict=True):
            done = int(column.removesuffix(" epochs"))
            spot = ("kmnist", None, float(f"0{q}"))
            assert figure == pair("margins", spot, done, 5)


def test_fashion_mnist():
    head, *body = tables()["6,000 images, 24 epochs"]
    assert len(body) == 5
    for q, *figures in body:
        for figure, column in zip(figures, head[1:], strict=True):
            images, epochs = re.fullmatch(
                r"([\d,]+) images, (\d+) epochs", column
            ).groups()
            whole = int(images.replace(",", "")) * 5 // 4  # A fifth is for tests.
            if figure:
                spot = ("fmnist", whole, float(f"0{q}"))
                assert figure == pair("amount", spot, int(epochs), 2)
