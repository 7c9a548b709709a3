"""The estimate of time."""

import pytest

from mipl.runs.estimate import Costs, estimate
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store


def test_the_likest_runs_count(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    for split, (arguments, seconds) in enumerate(
        [({}, 10.0), ({}, 20.0), ({"lam": 2.0}, 90.0)]
    ):
        run = Run("miplma", "digits-mipl", arguments, split=split)
        store.record(Result(run, "finished", 0.5, seconds))
    same = Run("miplma", "digits-mipl", split=5)
    near = Run("miplma", "digits-mipl", {"lam": 3.0})
    assert estimate([same, same], store).seconds == 30.0
    assert estimate([near], store).seconds == 40.0
    assert estimate([Run("miplma", "sival-mipl")], store).unknown == 1
    assert estimate([], store).seconds == 0.0


def test_runs_that_did_not_finish_tell_nothing(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    run = Run("miplma", "digits-mipl")
    store.record(Result(run, "diverged", None, 0.1, message="nan."))
    assert estimate([run], store).unknown == 1


def filled(folder, *rows):
    store = Store(folder / "results.db", create=True)
    for method, data, arguments, seconds in rows:
        run = Run(method, data, arguments)
        assert store.record(Result(run, "finished", 0.5, seconds))
    return store


def test_time_grows_with_the_epochs(tmp_path):
    few = {"reduction": "mean", "training__epochs": 5}
    store = filled(tmp_path, ("proden", "sival-mipl", few, 2.0))
    whole = Run("proden", "sival-mipl", {"reduction": "mean"})  # 500 epochs.
    more = Run("proden", "sival-mipl", few | {"training__epochs": 50})
    assert Costs(store).of(whole).seconds == pytest.approx(200.0)
    assert Costs(store).of(more).seconds == pytest.approx(20.0)
    assert not Costs(store).of(whole).rough


def test_of_other_data_those_nearest_in_size_tell(tmp_path):
    """Numbers of an epoch, by the published table of data sets."""
    store = filled(
        tmp_path,
        ("miplgp", "birdsong-mipl", {}, 100.0),
        ("miplgp", "sival-mipl", {}, 300.0),
        ("pl-svm", "sival-mipl", {"reduction": "mean"}, 1000.0),
    )
    mnist, birdsong, sival = 20664 * 784, 48425 * 38, 1500 * 30
    cost = Costs(store).of(Run("miplgp", "mnist-mipl", {"training__lr": 0.2}))
    assert cost.seconds == pytest.approx(100.0 * (mnist / birdsong) ** 0.7)
    assert cost.rough
    # Of vectors there is one for each bag.
    on_means = Run("pl-svm", "birdsong-mipl", {"reduction": "mean"})
    told = Costs(store).of(on_means)
    assert told.seconds == pytest.approx(1000.0 * (1300 * 38 / sival) ** 0.7)
    runs = [on_means, Run("miplgp", "own.h5"), Run("vwsgp", "sival-mipl")]
    told = estimate(runs, store)
    assert (told.unknown, told.rough) == (2, 1)


def test_features_of_one_data_set_are_told_apart(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    for generator, seconds in (("row", 10.0), ("sift", 90.0)):
        run = Run("miplma", "crc-mipl", options={"generator": generator})
        store.record(Result(run, "finished", 0.5, seconds))
    asked = Run("miplma", "crc-mipl", {"lam": 3.0}, {"generator": "row"})
    assert Costs(store).of(asked).seconds == pytest.approx(10.0)


def test_other_splits_of_a_data_set_leave_it_as_large_as_it_is(tmp_path):
    store = filled(tmp_path, ("miplgp", "birdsong-mipl", {}, 100.0))
    whole = Costs(store).of(Run("miplgp", "sival-mipl"))
    options = {"within": 0, "folds": 3, "seed": 1}
    part = Costs(store).of(Run("miplgp", "sival-mipl", options=options))
    assert whole is not None and whole.rough and part == whole
