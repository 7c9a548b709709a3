"""Whose label weights went wrong, and the paragraph that tells of it."""

import csv
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from mipl import Bags, Dataset, load_dataset
from tools import wrong_weights


def test_shares_and_takers_are_counted_class_by_class():
    w = np.array([[0.6, 0.4, 0], [0.1, 0.2, 0.7], [0, 0.4, 0.6], [0.2, 0.8, 0]])
    told = list(wrong_weights.wrong(w, ["a", "a", "b", "b"], ["a", "b", "c"]))
    assert told == [("a", 0.5, "c"), ("b", 0.5, "c")]  # No bag of c: nothing is said.
    right = np.eye(2)
    assert list(wrong_weights.wrong(right, ["a", "b"], ["a", "b"])) == [
        ("a", 0.0, ""),
        ("b", 0.0, ""),
    ]


def test_components_are_those_of_the_training_instances_alone():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 6)) * np.array([9.0, 4, 1, 0.1, 0.1, 0.1])
    sets = [{"a"}, {"b"}] * 10
    train = Dataset(Bags(x, np.arange(0, 41, 2)), sets, labels=["a", "b"] * 10)
    test = train[:4]
    first, second = wrong_weights.components(train, test, 2)
    found, same = np.asarray(first.bags.instances), np.asarray(second.bags.instances)
    assert np.allclose(found[: len(same)], same)
    # Uncorrelated, centred, with the largest variances of the data.
    values = np.linalg.eigvalsh(np.cov(x.T, ddof=0))[::-1]
    assert np.allclose(np.cov(found.T, ddof=0), np.diag(values[:2]), atol=1e-3)
    assert np.allclose(found.mean(axis=0), 0, atol=1e-5)


def test_every_class_is_told_of_after_every_epoch():
    train, test = load_dataset("digits-mipl", r=2).split(0)
    parts = wrong_weights.components(train, test, 8)
    found = list(wrong_weights.rows(*parts, seeds=2))
    assert len(found) == 2 * len(wrong_weights.EPOCHS) * 5
    assert {row["seed"] for row in found} == {0, 1}
    last = [row["wrong"] for row in found if row["epoch"] == 100]
    assert fmean(last) < 0.2


def test_the_page_tells_the_committed_shares():
    with wrong_weights.FILE.open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    page = (Path(__file__).parents[2] / "docs" / "miplma_results.md").read_text()
    head, *table = page.split("| epoch | ")[1].split("\n\n")[0].splitlines()
    classes = [name.strip() for name in head.strip(" |").split("|")]
    body = [line.strip("| ").split(" | ") for line in table[1:] if line[:1] == "|"]
    assert len(body) == 6 and len(classes) == 5
    for epoch, *cells in body:
        for name, cell in zip(classes, cells, strict=True):
            found = [r for r in rows if (r["epoch"], r["class"]) == (epoch, name)]
            assert len(found) == 10
            mean = fmean(float(row["wrong"]) for row in found)
            assert float(cell) == pytest.approx(mean, abs=0.0051)
    ends = {row["seed"]: float(row["accuracy"]) for row in rows}.values()
    worst, best, mean = (text(f(ends)) for f in (min, max, fmean))
    told = " ".join(page.split("There all ten")[1].split())
    assert told.startswith(f"seeds end between {worst} and {best}, {mean} on average")


def text(number):
    return f"{number:.3f}".lstrip("0")
