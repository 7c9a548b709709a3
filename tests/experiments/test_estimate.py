"""The estimate of time."""

from mipl.experiments.estimate import estimate
from mipl.experiments.plan import Run
from mipl.experiments.results import Result
from mipl.experiments.store import Store


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
