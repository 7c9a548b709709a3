"""Accuracy and its kin against loops, scikit-learn and known intervals."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl.errors import MiplError
from mipl.metrics import (
    accuracy,
    balanced_accuracy,
    bootstrap_interval,
    confusion_matrix,
    macro_auroc,
)
from mipl.metrics.roc import auroc

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1)


@quick
@given(PAIRS)
def test_accuracy_and_balanced_accuracy_equal_loops(pairs):
    labels, predictions = zip(*pairs, strict=True)
    assert accuracy(labels, predictions) == pytest.approx(
        sum(a == b for a, b in pairs) / len(pairs)
    )
    found = [
        sum(b == c for a, b in pairs if a == c) / sum(a == c for a in labels)
        for c in set(labels)
    ]
    assert balanced_accuracy(labels, predictions) == pytest.approx(np.mean(found))


@quick
@given(PAIRS)
def test_confusion_matrix_counts_every_pair(pairs):
    labels, predictions = zip(*pairs, strict=True)
    matrix = confusion_matrix(labels, predictions, classes=[3, 2, 1, 0])
    naive = [[pairs.count((a, b)) for b in (3, 2, 1, 0)] for a in (3, 2, 1, 0)]
    assert matrix.tolist() == naive
    names = sorted({*labels, *predictions})
    naive = [[pairs.count((a, b)) for b in names] for a in names]
    assert confusion_matrix(labels, predictions).tolist() == naive


def test_text_in_a_column_of_objects_is_text():
    column = np.array(["a", "b"], dtype=object)
    assert accuracy(column, ["a", "a"]) == accuracy(["a", "a"], column) == 0.5


SCORES = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2).filter(
    lambda rows: 0 < sum(positive for _, positive in rows) < len(rows)
)


@quick
@given(SCORES)
def test_auroc_is_the_share_of_ordered_pairs(rows):
    positives = [s for s, positive in rows if positive]
    negatives = [s for s, positive in rows if not positive]
    wins = sum((a > b) + 0.5 * (a == b) for a in positives for b in negatives)
    scores, positive = map(np.array, zip(*rows, strict=True))
    naive = wins / (len(positives) * len(negatives))
    assert auroc(scores, positive) == pytest.approx(naive)


def test_macro_auroc_equals_scikit_learn_s_where_all_classes_occur():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 60)
    labels = np.arange(60) % 4
    theirs = sklearn.metrics.roc_auc_score(labels, p, multi_class="ovr")
    assert macro_auroc(p, labels) == pytest.approx(theirs)


def test_macro_auroc_leaves_out_classes_that_do_not_occur():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 30)
    labels = np.arange(30) % 2
    naive = [sklearn.metrics.roc_auc_score(labels == c, p[:, c]) for c in (0, 1)]
    assert macro_auroc(p, labels) == pytest.approx(np.mean(naive))


def test_bootstrap_interval_has_the_width_of_theory():
    rng = np.random.default_rng(0)
    labels = np.zeros(400, int)
    predictions = (rng.random(400) < 0.3).astype(int)
    a = accuracy(labels, predictions)
    low, high = bootstrap_interval(labels, predictions, seed=0, n_draws=4000)
    half = 1.96 * np.sqrt(a * (1 - a) / 400)
    assert low == pytest.approx(a - half, abs=0.006)
    assert high == pytest.approx(a + half, abs=0.006)
    narrow = bootstrap_interval(labels, predictions, seed=0, level=0.5)
    assert low < narrow[0] < a < narrow[1] < high


def test_bootstrap_interval_is_a_function_of_the_seed_and_takes_other_figures():
    labels, predictions = [0, 1] * 20, [0, 1, 1, 1] * 10
    first = bootstrap_interval(labels, predictions, seed=3)
    assert bootstrap_interval(labels, predictions, seed=3) == first
    assert bootstrap_interval(labels, predictions, seed=4, n_draws=50) != first
    assert bootstrap_interval(labels, labels, seed=0) == (1.0, 1.0)
    low, high = bootstrap_interval(
        labels, predictions, seed=0, metric=balanced_accuracy
    )
    assert 0 < low < 0.75 < high <= 1


REFUSED = [
    (lambda: accuracy([0, 1], [0]), r"same length.*\(2,\) and \(1,\)"),
    (lambda: accuracy([], []), "not empty"),
    (lambda: accuracy([[0]], [[0]]), "flat lists"),
    (lambda: accuracy(["0"], [0]), "of one kind; got <U1 and int64"),
    (lambda: confusion_matrix([0, 5], [0, 0], classes=[0, 1]), "label 5 is not among"),
    (lambda: macro_auroc([[0.5, 0.5]] * 2, [1, 1]), "all are of class column 1"),
    (lambda: macro_auroc([[0.5, np.nan]], [1]), "row 0 holds NaN"),
    (lambda: macro_auroc([[0.5, 0.5]] * 2, [0, 2]), "bag 1 has 2"),
    (lambda: macro_auroc([[0.5, 0.5]] * 2, ["a", "b"]), "2 column numbers of p"),
    (lambda: bootstrap_interval([0], [0], seed=0, level=1.0), "level must lie between"),
    (lambda: bootstrap_interval([0], [0], seed=-1), "seed must be an integer >= 0"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_bad_input_is_refused_in_one_sentence(call, text):
    with pytest.raises(MiplError, match=text):
        call()
