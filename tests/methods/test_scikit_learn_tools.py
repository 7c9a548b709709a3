"""Every row of the table in docs/scikit_learn.md, tried."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.inspection import permutation_importance as of_tables
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mipl import ABMIL, Bags, Mean, MeanPooling, PerInstance, Training, load_dataset
from mipl.errors import MiplError
from mipl.selection import permutation_importance

TRAIN, TEST = load_dataset("synthetic", r=0).split(0)
PAGE = Path(__file__).parents[2] / "docs" / "scikit_learn.md"
NET = ABMIL(training=Training(epochs=2))


def score(model):
    return model.fit(TRAIN.bags, TRAIN.labels).score(TEST.bags, TEST.labels)


def voting():
    both = [("a", MeanPooling()), ("b", MeanPooling())]
    together = VotingClassifier(both, voting="soft")
    assert score(together) == score(MeanPooling())


def searches():
    steps = make_pipeline(PerInstance(), NET)
    grid = GridSearchCV(steps, {"abmil__training__lr": [0.1, 0.01]}, cv=2)
    grid.fit(list(TRAIN.bags), TRAIN.labels)
    assert set(grid.best_params_) == {"abmil__training__lr"}


def pipelines():
    model = make_pipeline(PerInstance(PCA(3)), MeanPooling())
    assert score(model) > 0.4 and model[-1].n_features_in_ == 3


def set_output():
    steps = make_pipeline(PerInstance(), Mean()).set_output(transform="pandas")
    frame = steps.fit_transform(TRAIN.bags)
    assert list(frame.columns[:2]) == ["mean_x0", "mean_x1"]
    assert len(frame) == len(TRAIN)
    vectors = NET.fit(TRAIN.bags, TRAIN.labels).set_output(transform="pandas")
    frame = vectors.transform(TEST.bags)
    assert isinstance(frame, pd.DataFrame) and frame.columns[0] == "abmil0"
    NET.set_output(transform="default")


WORKS = {
    "cross_val_score": lambda: (
        cross_val_score(
            MeanPooling(), TRAIN.bags, TRAIN.labels, cv=StratifiedKFold(3)
        ).min()
        > 0.3
    ),
    "learning_curve": lambda: (
        learning_curve(
            MeanPooling(), TRAIN.bags, TRAIN.labels, cv=2, train_sizes=[0.5, 1.0]
        )[2].mean()
        > 0.3
    ),
    "train_test_split": lambda: isinstance(
        train_test_split(TRAIN.bags, random_state=0)[0], Bags
    ),
    "GridSearchCV": searches,
    "Pipeline with PerInstance": pipelines,
    "CalibratedClassifierCV": lambda: (
        score(CalibratedClassifierCV(MeanPooling(), cv=3)) > 0.3
    ),
    "VotingClassifier": voting,
    "StackingClassifier": lambda: (
        score(StackingClassifier([("a", MeanPooling())], LogisticRegression())) > 0.3
    ),
    "OneVsRestClassifier": lambda: score(OneVsRestClassifier(MeanPooling())) > 0.3,
    "set_output": set_output,
    "mipl.selection.permutation_importance": lambda: (
        len(
            permutation_importance(
                MeanPooling().fit(TRAIN.bags, TRAIN.labels), TEST.bags, TEST.labels
            ).importances
        )
        == TEST.bags.n_features
    ),
}
FAILS = {
    "BaggingClassifier": lambda: score(BaggingClassifier(MeanPooling())),
    "AdaBoostClassifier": lambda: score(AdaBoostClassifier(MeanPooling())),
    "permutation_importance": lambda: of_tables(
        MeanPooling().fit(TRAIN.bags, TRAIN.labels), TEST.bags, TEST.labels
    ),
    "StandardScaler": lambda: score(make_pipeline(StandardScaler(), MeanPooling())),
}


def rows(answer):
    found = re.findall(r"^\| `([^`]+)` \| (works|fails) \|", PAGE.read_text(), re.M)
    return [name for name, told in found if told == answer]


def test_the_page_has_what_is_tried_here():
    assert rows("works") == list(WORKS) and rows("fails") == list(FAILS)


@pytest.mark.parametrize("tool", WORKS)
def test_it_works(tool):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert WORKS[tool]() in (True, None)


TOLD = {
    "BaggingClassifier": (ValueError, "Expected 2D array"),
    "AdaBoostClassifier": (ValueError, "Expected 2D array"),
    "permutation_importance": (ValueError, "Expected 2D array"),
    "StandardScaler": (
        MiplError,
        r"StandardScaler takes a table .* PerInstance\(StandardScaler\(\)\)",
    ),
}


@pytest.mark.parametrize("tool", FAILS)
def test_it_does_not_work(tool):
    kind, told = TOLD[tool]
    with pytest.raises(kind, match=told):
        FAILS[tool]()


def test_resampled_bags_are_weights():
    """What BaggingClassifier would do, by the counts of what it draws."""
    drawn = np.random.default_rng(0).integers(len(TRAIN), size=len(TRAIN))
    counts = np.bincount(drawn, minlength=len(TRAIN))
    by_weight = MeanPooling().fit(TRAIN.bags, TRAIN.labels, sample_weight=counts)
    by_rows = MeanPooling().fit(TRAIN.bags[drawn], TRAIN.labels[drawn])
    p = by_rows.predict_proba(TEST.bags)
    np.testing.assert_allclose(by_weight.predict_proba(TEST.bags), p, atol=1e-3)
