"""The study of the order of questions: its chain of runs."""

import numpy as np
import pytest
from tools.review_order import OURS, RANDOM, Asking, Cell, next_bags
from tools.study import RESULTS

from mipl.errors import MiplError
from mipl.review import Rule
from mipl.runs.results_csv import import_file
from mipl.runs.store import Store
from tools import review_order

TINY = Cell("synthetic", {"n_bags": 60}, 1, (0, 3, 8), range(2))


@pytest.fixture
def store(tmp_path, monkeypatch):
    few = {"training__epochs": 2, "width": 4}
    monkeypatch.setattr(review_order, "BASE", few)
    return Store(tmp_path / "results.db", create=True)


def test_every_stage_answers_about_more_of_the_training_bags(store):
    for order in (None, Rule()):
        found = list(Asking(TINY, store, False).accuracies(order))
        assert [stage for stage, _ in found] == [0, 0, 3, 3, 8, 8]
    rows = store.results(data="synthetic", split=1)
    told = sorted((one.run.options.get("answered", []) for one in rows), key=len)
    assert [len(one) for one in told] == [0, 3, 3, 8, 8]
    data = review_order.run_of(TINY, 1, ()).load()
    assert all(set(one) <= set(data.fold(1).train.tolist()) for one in told)
    assert all(any(set(a) < set(b) for b in told[3:]) for a in told[1:3])
    # What is known is told without a fit, for either order.
    again = Asking(TINY, store, True)
    assert len(list(again.accuracies(None))) == 6
    by_rule = list(Asking(TINY, store, False).accuracies(Rule()))
    assert list(again.accuracies(Rule())) == by_rule
    assert len(store.results()) == 10


def test_what_is_not_known_is_told(store):
    with pytest.raises(MiplError, match="leave --known out"):
        list(Asking(TINY, store, True).accuracies(None))


def test_next_bags_are_the_first_that_were_not_answered():
    train = np.array([10, 11, 12, 13])
    assert next_bags([3, 1, 0, 2], train, [11], 2) == [11, 13, 10]


def test_the_studies_are_what_their_page_tells():
    cells, orders = review_order.STUDIES["compare"]
    assert {cell.data for cell in cells} == {
        "digits-mipl",
        "birdsong-mipl",
        "sival-mipl",
    }
    assert all(cell.r == 3 and len(cell.splits) == 5 for cell in cells)
    assert all(tuple(cell.stages) == (0, 25, 50, 100, 200) for cell in cells)
    assert orders == {RANDOM: None, OURS: Rule()}
    seeds = {cell.options["seed"] for cell in review_order.STUDIES["rules"][0]}
    assert seeds == {1}


@pytest.mark.parametrize("data", ["digits-mipl", "birdsong-mipl", "sival-mipl"])
def test_the_page_has_the_means_of_the_committed_runs(tmp_path, data):
    store = Store(tmp_path / "committed.db", create=True)
    import_file(RESULTS / "review_order.csv", store)
    [cell] = [one for one in review_order.COMPARED if one.data == data]
    page = (RESULTS.parent / "docs/review.md").read_text("utf-8")
    for name, order in ((RANDOM, None), (OURS, Rule())):
        found = {}
        for stage, accuracy in Asking(cell, store, True).accuracies(order):
            found.setdefault(stage, []).append(accuracy)
        assert all(len(values) == 5 for values in found.values())
        means = [
            f"{np.mean(values):.3f}".removeprefix("0") for values in found.values()
        ]
        assert f"| {data} | {name} | {' | '.join(means)} |" in page
