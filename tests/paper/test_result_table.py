"""Tables of a store's results: entries, tests, wins and ranks recomputed by hand."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mipl.errors import MiplError
from mipl.paper.result_table import TableRequest, result_table
from mipl.paper.sheet import Score, Tally
from mipl.paper.store_cells import ResultChoice
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store

SPLITS = range(5)


def accuracy(method: str, data: str, split: int) -> float:
    """A made-up accuracy: methods differ by data set, splits alike for all."""
    gap = {"miplma": 0.08, "demipl": 0.0, "elimipl": 0.04, "mine": 0.079}[method]
    here = {"digits-mipl": 1.0, "synthetic": 0.1}[data]
    noise = {"demipl": 0.01, "elimipl": -0.02, "mine": 0.003}.get(method, 0)
    return 0.7 + gap * here + 0.02 * split + noise * (-1) ** split


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    methods = ("demipl", "miplma", "elimipl", "mine")
    for method, data, split in product(methods, ("digits-mipl", "synthetic"), SPLITS):
        given = {"published": True} if method == "elimipl" else {}
        figures = {"ece": 1 - accuracy(method, data, split)}
        run = Run(method, data, given, split=split)
        value = accuracy(method, data, split)
        store.record(Result(run, "finished", value, 10.0 + split, figures))
    return store


def entries(table):
    """The entries of a table by the text of their row and the head of their column."""
    sheet = table.sheets[0]
    return {
        (row[0], head): entry
        for row in sheet.rows
        for head, entry in zip(sheet.heads, row, strict=True)
    }


def test_means_spreads_and_the_best(store):
    table = result_table(store, TableRequest())
    found = entries(table)
    values = [accuracy("miplma", "digits-mipl", split) for split in SPLITS]
    one = found["MIPLMA", "Digits-MIPL"]
    assert one.cell.mean == pytest.approx(np.mean(values))
    assert one.cell.std == pytest.approx(np.std(values))
    assert one.best and not found["DEMIPL", "Digits-MIPL"].best
    assert one.verdict == "" and one.p_value is None  # Nothing was asked.
    assert not one.counted and "splits 0-4" in table.sheets[0].notes[0]
    assert ("mine", "Digits-MIPL") in found  # An id that is not registered here.


def holm_by_hand(p_values):
    """Multiply the i-th smallest by how many are left, and never fall below before."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    found, before = {}, 0.0
    for rank, i in enumerate(order):
        before = max(before, min(1.0, p_values[i] * (len(p_values) - rank)))
        found[i] = before
    return [found[i] for i in range(len(p_values))]


@pytest.mark.parametrize("corrected", [True, False])
def test_tests_are_paired_t_tests_corrected_by_holm(store, corrected):
    request = TableRequest(test="miplma", corrected=corrected)
    found = entries(result_table(store, request))
    places = [
        (method, data)
        for method in ("demipl", "elimipl", "mine")
        for data in ("digits-mipl", "synthetic")
    ]
    by_hand = [
        stats.ttest_rel(
            [accuracy("miplma", data, s) for s in SPLITS],
            [accuracy(method, data, s) for s in SPLITS],
        ).pvalue
        for method, data in places
    ]
    if corrected:
        by_hand = holm_by_hand(by_hand)
    titles = {"demipl": "DEMIPL", "elimipl": "ELIMIPL", "mine": "mine"}
    heads = {"digits-mipl": "Digits-MIPL", "synthetic": "synthetic"}
    for (method, data), p in zip(places, by_hand, strict=True):
        one = found[titles[method], heads[data]]
        assert one.p_value == pytest.approx(p)
        ours, theirs = accuracy("miplma", data, 0), accuracy(method, data, 0)
        if p >= 0.05:
            assert one.verdict == "tie"
        elif abs(ours - theirs) > 0.02:
            assert one.verdict == ("win" if ours > theirs else "loss")


def test_wins_are_counted_and_ranks_told(store):
    table = result_table(store, TableRequest(test="miplma"))
    found = entries(table)
    for method in ("DEMIPL", "ELIMIPL", "mine"):
        verdicts = [
            found[method, data].verdict for data in ("Digits-MIPL", "synthetic")
        ]
        tally = found[method, "win/tie/loss"]
        counts = tuple(verdicts.count(one) for one in ("win", "tie", "loss"))
        assert (tally.win, tally.tie, tally.loss) == counts
    assert found["MIPLMA", "win/tie/loss"] == ""
    assert table.sheets[0].rows[0][0] == "MIPLMA"  # It stands first.
    (picture,) = table.pictures
    assert set(picture.panels[0].names) == {"MIPLMA", "DEMIPL", "ELIMIPL", "mine"}
    assert any("critical difference" in note for note in table.sheets[0].notes)


def test_rows_and_columns_may_be_anything(store):
    request = TableRequest(("data",), ("method",), test="miplma")
    sheet = result_table(store, request).sheets[0]
    assert sheet.heads == ("data", "MIPLMA", "DEMIPL", "ELIMIPL", "mine")
    assert sheet.rows[-1][0] == "win/tie/loss"
    assert all(isinstance(one, Tally) for one in sheet.rows[-1][2:])
    crowded = TableRequest(("data",), ("r",))
    with pytest.raises(MiplError, match="one place of the table; add method to --rows"):
        result_table(store, crowded)


def test_an_argument_is_followed_with_its_default(store):
    for lam, split in product((0.1, 2.0), SPLITS):
        run = Run("miplma", "digits-mipl", {"lam": lam}, split=split)
        store.record(Result(run, "finished", 0.5 + lam / 10, 1.0))
    choice = ResultChoice(methods=("miplma",), data=("digits-mipl",))
    sheet = result_table(store, TableRequest(("lam",), ("data",), choice)).sheets[0]
    assert sorted(row[0] for row in sheet.rows) == ["0.1", "0.5", "2.0"]
    alone = ResultChoice(methods=('miplma {"lam": 2.0}',), data=("digits-mipl",))
    sheet = result_table(store, TableRequest(choice=alone)).sheets[0]
    assert sheet.rows[0][1].cell.mean == pytest.approx(0.7)
    assert "lam = 2.0" in " ".join(sheet.notes)


def test_other_figures_and_lower_ones(store):
    request = TableRequest(choice=ResultChoice(figure="ece"), test="miplma")
    found = entries(result_table(store, request))
    assert found["MIPLMA", "Digits-MIPL"].best
    assert found["DEMIPL", "Digits-MIPL"].verdict == "win"  # Of ours, which is lower.
    with pytest.raises(MiplError, match="unknown figure of these results 'ecce'; did"):
        result_table(store, TableRequest(choice=ResultChoice(figure="ecce")))


def test_gaps_and_titles(store):
    run = Run("cdl", "digits-mipl", split=0)
    store.record(Result(run, "finished", 0.9, 1.0))
    titles = {"cdl": "Rival", "synthetic": "Made-up"}
    table = result_table(store, TableRequest(choice=ResultChoice(titles=titles)))
    found = entries(table)
    assert isinstance(found["Rival", "Digits-MIPL"], Score)
    assert found["Rival", "Made-up"] == "–"
    assert found["Rival", "Digits-MIPL"].cell.missing == 4
    assert found["Rival", "Digits-MIPL"].counted


@pytest.mark.parametrize(
    ("choice", "test", "sentence"),
    [
        ({"methods": ("rc",)}, None, "holds no finished run of what is selected"),
        ({"methods": ("miplma", "rc")}, None, "no finished run of 'rc' among"),
        ({"methods": ("miplma {lam}",)}, None, "arguments are written as JSON"),
        ({"methods": ('miplma {"lam": 9}',)}, None, "was not run; name one of these"),
        ({"methods": ("demipl",)}, "miplma", "miplma of --test is not among"),
    ],
)
def test_what_is_wrong_is_one_sentence(store, choice, test, sentence):
    with pytest.raises(MiplError, match=sentence):
        result_table(store, TableRequest(choice=ResultChoice(**choice), test=test))
