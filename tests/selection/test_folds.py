"""Folds by candidate sets: even, repeatable, and at home in scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from tests.strategies import quick

from mipl import PRODEN, Bags, Candidates, MiplError, Training, load_dataset
from mipl.selection import CandidateStratifiedKFold, covering_rate


def random_sets(seed, m=200, k=8, share=0.25):
    rng = np.random.default_rng(seed)
    chances = share * np.linspace(0.2, 2, k)  # Some classes are rare.
    sets = rng.random((m, k)) < chances
    sets[np.arange(m), rng.integers(k, size=m)] = True
    return sets


def held_out(cv, y):
    return [test for _, test in cv.split(np.zeros(len(y)), y)]


def counts(cv, y):
    """Return how many bags of each fold have each class as a candidate."""
    sets = Candidates(y).matrix
    return np.stack([sets[test].sum(axis=0) for test in held_out(cv, y)])


@quick
@given(
    m=st.integers(2, 40),
    k=st.integers(2, 6),
    n=st.integers(2, 7),
    shuffle=st.booleans(),
    seed=st.integers(0, 99),
)
def test_folds_divide_the_bags_and_differ_by_one_in_size(m, k, n, shuffle, seed):
    n = min(n, m)
    y = random_sets(seed, m, k)
    cv = CandidateStratifiedKFold(n, shuffle=shuffle)
    parts = list(cv.split(np.zeros(m), y))
    assert len(parts) == n == cv.get_n_splits()
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(m))
    tests = [test for _, test in parts]
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(m))
    assert max(map(len, tests)) - min(map(len, tests)) <= 1


@quick
@given(seed=st.integers(0, 99), n=st.integers(2, 6), shuffle=st.booleans())
def test_singletons_are_stratified_as_labels_are(seed, n, shuffle):
    labels = np.random.default_rng(seed).choice(
        list("abcd"), 50, p=[0.1, 0.2, 0.3, 0.4]
    )
    found = counts(CandidateStratifiedKFold(n, shuffle=shuffle), labels)
    assert (np.ptp(found, axis=0) <= 1).all()


def test_equal_sets_are_dealt_out_evenly():
    y = [{"ash", "elm"}] * 10 + [{"ash", "oak"}] * 15 + [{"elm", "oak"}] * 5
    for test in held_out(CandidateStratifiedKFold(5, shuffle=True), y):
        kinds = ["".join(sorted(y[i])) for i in test]
        assert [kinds.count(k) for k in ("ashelm", "ashoak", "elmoak")] == [2, 3, 1]


@pytest.mark.parametrize("seed", range(5))
def test_classes_are_far_more_even_than_by_chance(seed):
    y = random_sets(seed)
    even = Candidates(y).matrix.sum(axis=0) / 5
    ours = CandidateStratifiedKFold(5, shuffle=True, random_state=seed)
    chance = KFold(5, shuffle=True, random_state=seed)
    gap, by_chance = (np.abs(counts(cv, y) - even) for cv in (ours, chance))
    assert gap.max() < by_chance.max() / 2 and gap.mean() < by_chance.mean() / 3


def test_a_class_of_as_many_bags_as_folds_is_in_every_fold():
    y = random_sets(3)
    y[:, 0] = False
    y[[3, 50, 51, 52, 199], 0] = True
    y[~y.any(axis=1), 1] = True
    assert (counts(CandidateStratifiedKFold(5), y)[:, 0] == 1).all()


def test_without_truth_the_hidden_labels_are_more_even_too():
    data = load_dataset("synthetic", r=1)
    truth = np.eye(len(data.classes))[data.candidates.encode(data.labels)]
    gaps = []
    for kind in (CandidateStratifiedKFold, KFold):
        for seed in range(10):
            cv = kind(5, shuffle=True, random_state=seed)
            found = [truth[t].sum(axis=0) for t in held_out(cv, data.candidates)]
            gaps.append(np.abs(np.stack(found) - truth.sum(axis=0) / 5).mean())
    assert np.mean(gaps[:10]) < np.mean(gaps[10:])


# -- order and seeds -------------------------------------------------------------------


def test_folds_are_the_seeds_own():
    y = random_sets(0)

    def folds(**given):
        return np.concatenate(held_out(CandidateStratifiedKFold(5, **given), y))

    assert (folds() == folds()).all()
    first = folds(shuffle=True, random_state=1)
    assert (first == folds(shuffle=True, random_state=1)).all()
    assert (first != folds(shuffle=True, random_state=2)).any()
    assert (first != folds()).any()


def test_no_global_generator_is_read_or_touched():
    y = random_sets(0)
    np.random.seed(3)
    before = np.random.get_state()[1].tolist()
    once = held_out(CandidateStratifiedKFold(3, shuffle=True), y)
    assert np.random.get_state()[1].tolist() == before
    np.random.seed(4)
    again = held_out(CandidateStratifiedKFold(3, shuffle=True), y)
    assert all((a == b).all() for a, b in zip(once, again, strict=True))


# -- scikit-learn ----------------------------------------------------------------------


def test_every_form_of_candidates_gives_the_same_folds():
    matrix = random_sets(1, m=40)
    names = [f"c{c}" for c in range(8)]
    candidates = Candidates(matrix, classes=names)
    forms = [matrix, matrix.astype(int), candidates, [set(s) for s in candidates]]
    expected, *others = (held_out(CandidateStratifiedKFold(4), y) for y in forms)
    for other in others:
        assert all((a == b).all() for a, b in zip(expected, other, strict=True))


def test_searches_take_it_with_bags_and_sets():
    rng = np.random.default_rng(0)
    y = Candidates(random_sets(2, m=40, k=3))
    model = PRODEN(training=Training(epochs=2))
    cv = CandidateStratifiedKFold(4, shuffle=True, random_state=0)
    bags = Bags(rng.normal(size=(40, 3)))
    found = cross_validate(model, bags, y, cv=cv, scoring=covering_rate)
    assert found["test_score"].shape == (4,)
    grid = {"training__lr": [0.01, 0.1]}
    search = GridSearchCV(model, grid, cv=cv, scoring=covering_rate).fit(bags, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert repr(cv) == (
        "CandidateStratifiedKFold(n_splits=4, random_state=0, shuffle=True)"
    )


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: CandidateStratifiedKFold(1),
            "n_splits must be an integer >= 2; got 1",
        ),
        (lambda: CandidateStratifiedKFold(2.0), "n_splits must be an integer >= 2"),
        (lambda: CandidateStratifiedKFold(True), "n_splits must be an integer >= 2"),
        (lambda: CandidateStratifiedKFold(shuffle=1), "shuffle must be True or False"),
        (lambda: CandidateStratifiedKFold(random_state=1), "no effect without shuffle"),
        (
            lambda: held_out(CandidateStratifiedKFold(5), [{0}, {1}]),
            "2 bags cannot make 5 folds; give fewer n_splits",
        ),
        (
            lambda: list(CandidateStratifiedKFold(2).split([1, 2])),
            "needs the candidate sets",
        ),
        (
            lambda: list(CandidateStratifiedKFold(2).split([1, 2], [{0}, {1}], [0, 1])),
            "does not keep groups together",
        ),
        (
            lambda: held_out(CandidateStratifiedKFold(2), np.zeros((3, 2), bool)),
            "candidate",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(call, told):
    with pytest.raises(MiplError, match=told):
        call()
