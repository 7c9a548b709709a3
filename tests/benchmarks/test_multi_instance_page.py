"""The figures of docs/multi_instance.md are those of the rows measured."""

from collections import defaultdict
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from benchmarks.multi_instance import CLASSICAL, FILE, PUBLISHED
from benchmarks.record import load

from mipl.paper.published.accuracies import accuracies

PAGE = Path(__file__).parents[2] / "docs" / "multi_instance.md"
ALONE, LETTER = '{"alone": true}', '{"all_negative": "lowest_score"}'
IDS = {"ABMIL, gated": "abmil-gated"}
PROCESSES = ("vwsgp", "vgpmil", "lm-vgpmil")


def tables():
    """Return the tables of the page by the first cell of their heads, in order."""
    found, rows = [], []
    for line in [*PAGE.read_text().splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            found.append([rows[0], *rows[2:]])
            rows = []
    return found


def table(first, second):
    [found] = [t for t in tables() if t[0][:2] == [first, second]]
    return found


def measured(column="accuracy"):
    """Return the values of a column, by study, method, arguments and data."""
    found = defaultdict(list)
    for row in load(FILE):
        if row[column]:
            key = (row["study"], row["method"], row["arguments"], row["data"])
            found[key].append(float(row[column]))
    return found


def text(number, form=".3f"):
    return f"{number:{form}}".replace("0.", ".", 1)


def told(values, times):
    if not values:
        return "-"
    spread = f"±{text(pstdev(values))}" if len(values) > 1 else ""
    number = f" ({len(values)})" if len(values) != times else ""
    return f"{text(fmean(values))}{spread}{number}"


def id_of(name):
    return IDS.get(name, name.lower())


def test_classical_sets():
    head, *body = table("method", "musk1")
    assert tuple(head[1:]) == CLASSICAL and len(body) == 14
    for name, *cells in body:
        base, _, more = name.rpartition(", ")
        if more == "published":
            assert cells == [f.replace(" ", "±") for f in PUBLISHED[id_of(base)]]
            continue
        apart = more == "a learner per class"
        method = id_of(base if apart else name)
        given = ALONE if method in PROCESSES and not apart else "{}"
        keys = [("classical", method, given, data) for data in CLASSICAL]
        assert cells == [told(measured()[key], 20) for key in keys]


def test_areas_under_the_curve():
    _, *body = table("area under the curve", "musk1")
    for name, *cells in body:
        keys = [("classical", id_of(name), ALONE, data) for data in CLASSICAL]
        assert cells == [told(measured("auc")[key], 20) for key in keys]


def test_distances_from_the_published_figures():
    _, *body = table("published standard deviations away", "musk1")
    assert len(body) == len(PUBLISHED)
    for name, *cells in body:
        for data, cell, figure in zip(
            CLASSICAL, cells, PUBLISHED[id_of(name)], strict=True
        ):
            mean, std = map(float, figure.split())
            ours = fmean(measured()["classical", id_of(name), "{}", data])
            number, _, said = cell.partition(" ")
            assert float(number) == pytest.approx((ours - mean) / std, abs=0.051)
            assert (said == "**no**") == (abs(ours - mean) > std)


def test_the_epoch_that_is_best_on_test_bags():
    _, *body = table("Loss-Attention", "last epoch")
    assert [row[0] for row in body] == ["musk2", "fox"]
    for data, *cells in body:
        key = ("best-epoch", "loss-attention", "{}", data)
        ours = [told(measured(column)[key], 10) for column in ("accuracy", "best")]
        figure = PUBLISHED["loss-attention"][CLASSICAL.index(data)]
        assert cells == [*ours, figure.replace(" ", "±")]


def test_one_false_label():
    paper = {(f.method, f.data): f for f in accuracies("tableA1")}
    head, *body = table("method", "Birdsong-MIPL")
    sources = [title.partition(",")[0].lower() for title in head[1::2]]
    assert sources == ["birdsong-mipl", "sival-mipl", "mnist-mipl"] and len(body) == 10
    for name, *cells in body:
        base, _, more = name.rpartition(", ")
        literal = more == "rule 3 by the letter"
        method = id_of(base if literal else name)
        for data, cell, beside in zip(sources, cells[::2], cells[1::2], strict=True):
            own = method in (*PROCESSES, "mivae") or data != "mnist-mipl"
            given = LETTER if literal else "{}" if own else '{"published": true}'
            values = measured()["columns", method, given, data]
            assert cell == told(values, 1 if data == "mnist-mipl" else 10)
            known = paper[method, data]
            figure = f"{text(known.mean)}±{text(known.std)}"
            assert beside == ("" if literal else figure)


def test_how_often_every_learner_says_no():
    head, *body = table("every learner says no", "Birdsong-MIPL")
    sources = [title.partition(",")[0].lower() for title in head[1:]]
    for name, *cells in body:
        for data, cell in zip(sources, cells, strict=True):
            values = measured("all_negative")["columns", id_of(name), "{}", data]
            assert cell == told(values, 1 if data == "mnist-mipl" else 10)


def test_a_learner_per_class():
    _, *body = table("method", "data")
    rows = [row for row in load(FILE) if row["study"] == "one-vs-rest"]
    assert len(body) == len(rows)
    for (name, data, epochs, apart, whole, none), row in zip(body, rows, strict=True):
        assert (id_of(name), data.lower()) == (row["method"], row["data"])
        told_epochs = f'{{"training__epochs": {epochs}}}'
        usual = "50" if row["method"] == "loss-attention" else "100"
        assert row["arguments"] in (told_epochs, "{}" if epochs == usual else "")
        assert apart == text(float(row["accuracy"]))
        assert none == text(float(row["all_negative"]))
        same = [
            one["accuracy"]
            for one in load(FILE)
            if (one["study"], one["method"], one["data"], one["fold"])
            == ("columns", row["method"], row["data"], row["fold"])
        ]
        assert whole == (text(float(same[0])) if same else "-")


def test_true_labels():
    paper = {(f.method, f.data): f for f in accuracies("table5")}
    head, *body = table("method", "MNIST-MIPL")
    for name, *cells in body:
        for data, cell, beside in zip(head[1::2], cells[::2], cells[1::2], strict=True):
            spot = (id_of(name), data.lower())
            values = [
                float(row["accuracy"])
                for row in load(FILE)
                if (row["study"], row["method"], row["data"]) == ("true-labels", *spot)
            ]
            assert cell == told(values, 2)
            assert beside == f"{text(paper[spot].mean)}±{text(paper[spot].std)}"
