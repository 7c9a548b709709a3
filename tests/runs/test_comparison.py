"""Comparing two settings on the splits they share."""

import pytest
from scipy import stats

from mipl.errors import MiplError
from mipl.runs.comparison import Setting, compare, find_setting
from mipl.runs.result import Result
from mipl.runs.run import Facts, Run
from mipl.runs.store import Store

OURS = [0.81, 0.84, 0.79, 0.80]
THEIRS = [0.78, 0.80, 0.77, 0.79]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db", create=True)


def fill(store, method, scores, arguments=None, data="digits-mipl", **more):
    for split, score in enumerate(scores):
        run = Run(method, data, arguments or {}, split=split, **more)
        store.record(Result(run, "finished", score, 1.0))


def both(store, **more):
    a, b = find_setting(store, "miplma"), find_setting(store, "demipl")
    return compare(store, a, b, **more)


@pytest.mark.parametrize("paired", [True, False])
def test_the_t_test_is_on_the_shared_splits(paired, store):
    fill(store, "miplma", OURS)
    fill(store, "demipl", [*THEIRS, 0.1, 0.1])  # Two more splits, which ours lacks.
    (cell,) = both(store, paired=paired)
    test = stats.ttest_rel if paired else stats.ttest_ind
    assert cell.p_value == pytest.approx(test(OURS, THEIRS).pvalue)
    assert cell.splits == 4 and cell.a == pytest.approx(0.81)
    assert cell.verdict == ("win" if paired else "tie")


def test_cells_are_told_apart(store):
    for r in (1, 2):
        fill(store, "miplma", OURS, r=r)
        fill(store, "demipl", THEIRS if r == 1 else OURS, r=r)
    fill(store, "miplma", OURS, data="sival-mipl")
    assert [(c.data, c.r, c.verdict) for c in both(store)] == [
        ("digits-mipl", 1, "win"),
        ("digits-mipl", 2, "tie"),
    ]


def test_runs_on_other_content_or_with_another_seed_are_no_pairs(store):
    fill(store, "miplma", OURS, content="new")
    fill(store, "demipl", THEIRS[:2], content="old")
    assert both(store) == []
    fill(store, "demipl", THEIRS, seed=1)
    assert both(store) == []
    fill(store, "demipl", THEIRS[:3], content="new")
    assert [cell.splits for cell in both(store)] == [3]


def test_one_split_gives_no_verdict(store):
    fill(store, "miplma", OURS[:1])
    fill(store, "demipl", THEIRS[:1])
    (cell,) = both(store)
    assert (cell.splits, cell.p_value, cell.verdict) == (1, None, "")


def test_a_setting_is_named_by_its_arguments(store):
    fill(store, "miplma", OURS, {"lam": 2.0})
    assert find_setting(store, "miplma").arguments == {"lam": 2.0}  # The only one.
    fill(store, "miplma", OURS, {"lam": 3.0})
    with pytest.raises(MiplError, match=r"'miplma' names no setting in .*lam"):
        find_setting(store, "miplma")
    fill(store, "miplma", OURS)
    assert find_setting(store, "miplma") == Setting("miplma", Facts())
    named = Setting("miplma", Facts({"lam": 3.0}))
    assert find_setting(store, named.name) == named


def test_what_names_nothing(store):
    fill(store, "miplma", OURS)
    with pytest.raises(MiplError, match="holds no finished run of 'demipl'"):
        find_setting(store, "demipl")
    with pytest.raises(MiplError, match="arguments are written as JSON"):
        find_setting(store, "miplma lam=2")
