"""What is said of prediction sets that say little, and of bags that are too few."""

from dataclasses import replace

import numpy as np
import pytest

from mipl import MIPLMA, Run, Training, load_dataset, write_dataset
from mipl.metrics.calibration import bags_needed, conformal_threshold
from mipl.runs.prediction_sets import doubts_of_sets

DATA = load_dataset("synthetic", n_bags=200)
TRAIN, HELD = DATA.split(0)


@pytest.fixture
def model():
    made = MIPLMA(training=Training(epochs=20), random_state=0)
    return made.fit(TRAIN.bags, TRAIN.candidates)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.9])
def test_the_number_needed_is_the_first_with_a_threshold(alpha) -> None:
    needed = bags_needed(alpha)
    p = np.tile([0.9, 0.1], (needed, 1))
    assert conformal_threshold(p, [0] * needed, alpha) < 1
    if needed > 1:
        assert conformal_threshold(p[1:], [0] * (needed - 1), alpha) == 1


def test_too_few_bags_are_a_warning_in_python(model) -> None:
    few = HELD[:8]
    model.calibrate(few.bags, labels=few.labels)
    with pytest.warns(UserWarning, match="8 calibration bags .* 9 are needed"):
        sets = model.predict_set(HELD.bags, alpha=0.1)
    assert sets.all()
    assert "9 are needed" in doubts_of_sets(model, HELD.bags)[0]
    model.predict_set(HELD.bags, alpha=0.2)  # Enough for this: no warning, an error.


def test_sets_of_nearly_every_class_are_told_and_good_ones_are_not(model) -> None:
    model.calibrate(HELD.bags, candidates=HELD.candidates)
    size = model.predict_set(HELD.bags).sum(axis=1).mean()
    [told] = doubts_of_sets(model, HELD.bags)
    assert (
        f"hold {size:.2f} of 5 classes" in told and "true labels of at least 9" in told
    )
    model.calibrate(HELD.bags, labels=HELD.labels)
    assert doubts_of_sets(model, HELD.bags) == []


def test_a_model_that_is_not_calibrated_has_no_sets_to_doubt(model) -> None:
    assert doubts_of_sets(model, HELD.bags) == []


def test_true_labels_calibrate_where_they_are_there(tmp_path) -> None:
    few = {"training__epochs": 1}
    by = {}
    for name, data in (("known", DATA), ("unknown", replace(DATA, labels=None))):
        write_dataset(data, path := tmp_path / f"{name}.bags.h5")
        done = Run("miplma", str(path), few, calibrate=0.3).execute()
        by[name] = done.model.conformal_[0]
    assert by == {"known": "labels", "unknown": "candidates"}
