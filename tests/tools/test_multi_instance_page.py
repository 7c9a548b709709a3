"""The figures of docs/multi_instance.md are those of the rows measured."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from tests.tools.committed import answers
from tools.multi_instance import ALONE, BY_THE_LETTER, CLASSICAL, PUBLISHED

from mipl.paper.published.accuracies import accuracies
from tools import multi_instance

PAGE = Path(__file__).parents[2] / "docs" / "multi_instance.md"
KINDS = {"as it is": {}, "alone": ALONE, "by the letter": BY_THE_LETTER}
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


def measured(study, value=lambda one: one.accuracy):
    """Return a value of every run of a study, by method, kind and data."""
    found = defaultdict(list)
    for one in answers(study()):
        [kind] = [
            kind
            for kind, told in KINDS.items()
            if told == {n: one.run.arguments[n] for n in own(one.run.arguments)}
        ]
        if value(one) is not None:
            found[one.run.method, kind, one.run.data].append(value(one))
    return found


def own(arguments):
    """Return the names of the arguments that tell the kinds apart."""
    return {"one_vs_rest", "all_negative"} & set(arguments)


def figure(name):
    return lambda one: one.figures.get(name)


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
        kind = "alone" if method in PROCESSES and not apart else "as it is"
        found = measured(multi_instance.classical)
        keys = [(method, kind, data) for data in CLASSICAL]
        assert cells == [told(found[key], 20) for key in keys]


def test_areas_under_the_curve():
    _, *body = table("area under the curve", "musk1")
    for name, *cells in body:
        found = measured(multi_instance.classical, figure("macro_auroc"))
        keys = [(id_of(name), "alone", data) for data in CLASSICAL]
        assert cells == [told(found[key], 20) for key in keys]


def test_distances_from_the_published_figures():
    _, *body = table("published standard deviations away", "musk1")
    assert len(body) == len(PUBLISHED)
    for name, *cells in body:
        for data, cell, told_there in zip(
            CLASSICAL, cells, PUBLISHED[id_of(name)], strict=True
        ):
            mean, std = map(float, told_there.split())
            found = measured(multi_instance.classical)
            ours = fmean(found[id_of(name), "as it is", data])
            number, _, said = cell.partition(" ")
            assert float(number) == pytest.approx((ours - mean) / std, abs=0.051)
            assert (said == "**no**") == (abs(ours - mean) > std)


def test_the_epoch_that_is_best_on_test_bags():
    _, *body = table("Loss-Attention", "last epoch")
    assert [row[0] for row in body] == ["musk2", "fox"]
    for data, *cells in body:
        key = ("loss-attention", "as it is", data)
        last = measured(multi_instance.best_epoch)[key]
        best = figure("best_epoch_accuracy")
        ours = [last, measured(multi_instance.best_epoch, best)[key]]
        there = PUBLISHED["loss-attention"][CLASSICAL.index(data)]
        assert cells == [*(told(one, 10) for one in ours), there.replace(" ", "±")]


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
            kind = "by the letter" if literal else "as it is"
            values = measured(multi_instance.columns)[method, kind, data]
            assert cell == told(values, 1 if data == "mnist-mipl" else 10)
            known = paper[method, data]
            printed = f"{text(known.mean)}±{text(known.std)}"
            assert beside == ("" if literal else printed)


def test_how_often_every_learner_says_no():
    head, *body = table("every learner says no", "Birdsong-MIPL")
    sources = [title.partition(",")[0].lower() for title in head[1:]]
    for name, *cells in body:
        for data, cell in zip(sources, cells, strict=True):
            found = measured(multi_instance.columns, figure("all_negative_rate"))
            values = found[id_of(name), "as it is", data]
            assert cell == told(values, 1 if data == "mnist-mipl" else 10)


def test_a_learner_per_class():
    _, *body = table("method", "data")
    rows = answers(multi_instance.one_vs_rest())
    assert len(body) == len(rows)
    for (name, data, epochs, apart, whole, none), one in zip(body, rows, strict=True):
        run = one.run
        assert (id_of(name), data.lower()) == (run.method, run.data)
        assert epochs == ("50" if run.method == "loss-attention" else "100")
        assert apart == text(one.accuracy)
        assert none == text(one.figures["all_negative_rate"])
        given = {n: v for n, v in run.arguments.items() if n != "one_vs_rest"}
        [same] = answers([replace(run, arguments=given)])
        assert same.run.split == 0 and whole == text(same.accuracy)


def test_true_labels():
    paper = {(f.method, f.data): f for f in accuracies("table5")}
    head, *body = table("method", "MNIST-MIPL")
    for name, *cells in body:
        for data, cell, beside in zip(head[1::2], cells[::2], cells[1::2], strict=True):
            spot = (id_of(name), data.lower())
            values = [
                one.accuracy
                for one in answers(multi_instance.true_labels())
                if (one.run.method, one.run.data) == spot
            ]
            assert cell == told(values, 2)
            assert beside == f"{text(paper[spot].mean)}±{text(paper[spot].std)}"
