"""What a few epochs on a few bags foretell of a run."""

import pytest

from mipl import Run
from mipl.runs import time_trial as room
from mipl.runs.time_trial import TimeTrial, epochs_of, time_trial


def test_seconds_grow_with_the_epochs() -> None:
    assert TimeTrial(0.25, 3.0).seconds(40) == 13.0


def test_epochs_are_those_of_the_method_inside() -> None:
    told = {"training__epochs": 7}
    assert epochs_of(Run("miplma", "digits-mipl", told).build()) == 7
    reduced = {**told, "reduction": "mean"}
    assert epochs_of(Run("proden", "digits-mipl", reduced).build()) == 7
    reduced = {"reduction": "mean"}
    assert epochs_of(Run("pl-svm", "digits-mipl", reduced).build()) is None


class Clock:
    """Time that goes on only where a method is fitted."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(room, "perf_counter", made)
    return made


def test_an_epoch_of_all_bags_takes_its_share_of_those_tried(clock, monkeypatch):
    """A fit that takes 1 s, and 1 ms per instance and epoch, is foretold."""
    run = Run("miplma", "synthetic", {"training__epochs": 80}, options={"n_bags": 800})
    train = run.parts().train
    assert len(train) > 2 * room._BAGS

    def fit(self, bags, candidates) -> None:
        epochs = epochs_of(self)
        clock.now += 1.0 + 0.001 * epochs * bags.n_instances

    monkeypatch.setattr(type(run.build()), "fit", fit)
    found = time_trial(run)
    assert found.each == pytest.approx(0.001 * train.bags.n_instances)
    assert found.around == pytest.approx(1.0)


def test_bags_that_are_recorded_need_not_be_tried() -> None:
    told = {"training__record_bags": [0, 170], "training__epochs": 3}
    run = Run("miplma", "digits-mipl", told)
    assert time_trial(run).each > 0
