"""Every check passes a sound method, and fails the one that breaks its promise."""

import inspect
import warnings
from unittest import SkipTest

import pytest
from sklearn.exceptions import SkipTestWarning
from tests.testing import (
    broken_beyond,
    broken_fitting,
    broken_inputs,
    broken_predictions,
    broken_resuming,
)
from tests.testing.sound import Plain, Sound

from mipl import MIPLMA, VWSGP, Training
from mipl.methods.bases.base import BagClassifier
from mipl.methods.catalogue import registry
from mipl.methods.catalogue.method_row import MethodRow, Reference
from mipl.testing import CHECKS, check_bag_classifier
from mipl.testing.checks.problem import problem_for

MODULES = (
    broken_inputs,
    broken_fitting,
    broken_predictions,
    broken_beyond,
    broken_resuming,
)
BROKEN = {
    kind.__doc__.split()[0]: kind
    for module in MODULES
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, BagClassifier) and kind.__doc__.startswith("check_")
}


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """Make the methods of these tests known, so that their files can be loaded."""
    for kind in (Sound, *BROKEN.values()):
        path = f"{kind.__module__}:{kind.__name__}"
        row = MethodRow(kind.__name__, "", "mipl", "", path, Reference("", ""))
        monkeypatch.setitem(registry._own_rows(), kind.__name__, row)


def failures(estimator):
    """Return the names of the checks that this estimator fails."""
    failed = set()
    for _, check in check_bag_classifier(estimator, generate_only=True):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(estimator)
        except SkipTest:
            continue
        except AssertionError:
            failed.add(check.__name__)
    return failed


def test_a_sound_method_passes():
    with pytest.warns(SkipTestWarning) as seen:
        assert check_bag_classifier(Sound()) is None
    told = [str(warning.message) for warning in seen]
    assert told == ["check_resume: Sound keeps no checkpoints"]


def test_a_sound_network_passes_without_a_skip():
    training = Training(epochs=6, lr=0.3, batch_size=32)
    model = MIPLMA(width=8, dropout=0.0, training=training)
    assert check_bag_classifier(model) is None


def test_there_is_a_broken_method_for_every_check():
    assert {check.__name__ for check in CHECKS} == set(BROKEN)
    assert len(BROKEN) >= 25


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_the_broken_method_fails_its_check_and_no_other(name, capsys):
    kind = BROKEN[name]
    assert failures(kind()) == {name} | getattr(kind, "ALSO", frozenset())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_a_failure_is_raised_with_a_sentence():
    with pytest.raises(AssertionError, match="must sum to 1"):
        check_bag_classifier(broken_predictions.Improper())


def test_what_a_method_does_not_have_is_skipped_with_a_reason():
    with pytest.warns(SkipTestWarning) as seen:
        check_bag_classifier(Plain())
    told = sorted(str(warning.message).split(":")[0] for warning in seen)
    assert told == [
        "check_attention",
        "check_attention_follows_instances",
        "check_history",
        "check_instance_scores",
        "check_instance_scores_follow_instances",
        "check_label_weights",
        "check_other_seed_differs",
        "check_resume",
        "check_save_load",
        "check_transform",
    ]


def test_generate_only_runs_nothing():
    pairs = list(check_bag_classifier(None, generate_only=True))
    assert [check for _, check in pairs] == list(CHECKS)
    assert all(check.__doc__ for check in CHECKS)


def test_methods_of_two_classes_get_problems_of_two():
    two, three = problem_for(VWSGP()), problem_for(MIPLMA())
    assert two.classes.tolist() == ["elm", "oak"]
    assert three.classes.tolist() == ["elm", "oak", "yew"]
    assert set(two.candidates.sum(axis=1)) == {1, 2}, "all sets full teach nothing"
