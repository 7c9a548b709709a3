"""The search: same seed same trials, no labels, real pruning, and what it refuses."""

from dataclasses import replace
from statistics import median

import numpy as np
import pytest

from mipl import MIPLMA, MiplError, load_dataset
from mipl.selection import CandidateStratifiedKFold, Range, Tuned, tune
from mipl.selection.trials import Trial

QUICK = {"training__epochs": 2, "width": 4, "training__batch_size": 64}
SPACE = {
    "lam": Range(0.01, 5, log=True),
    "training__lr": Range(1e-4, 1.0, log=True),
    "margin": ["batch", "none"],
}


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic", r=1, n_bags=30)


@pytest.fixture
def search(data):
    def search(space=SPACE, *, data=data, method="miplma", arguments=None, **how):
        return tune(data, method, space, arguments=QUICK | (arguments or {}), **how)

    return search


@pytest.fixture
def fits(monkeypatch):
    """Count the trainings; they are done as ever."""
    done, fit = [], MIPLMA.fit

    def counted(self, X, y, **how):
        done.append((self.lam, len(X)))
        return fit(self, X, y, **how)

    monkeypatch.setattr(MIPLMA, "fit", counted)
    return done


def test_the_same_seed_gives_the_same_trials_and_another_one_others(search):
    before = np.random.get_state()[1].copy()
    one, two = (search(trials=13, seed=4) for _ in range(2))
    assert one == two and len(one.trials) == 13
    assert [trial.number for trial in one.trials] == list(range(13))
    other = search(trials=2, seed=5)
    assert other.trials[0].settings != one.trials[0].settings
    assert (np.random.get_state()[1] == before).all()


def test_a_longer_search_begins_as_a_shorter_one(search):
    assert search(trials=4).trials == search(trials=6).trials[:4]


@pytest.mark.parametrize(
    "told", [{}, {"score": "approximated_accuracy"}], ids=["default", "approximated"]
)
def test_a_score_is_that_of_the_model_fitted_by_hand(search, data, told):
    trial = search(trials=1, seed=3, **told).trials[0]
    folds = CandidateStratifiedKFold(3, shuffle=True, random_state=3)
    parts = list(folds.split(data.bags, data.candidates))
    assert len(parts) == len(trial.scores)
    for (train, test), found in zip(parts, trial.scores, strict=True):
        model = MIPLMA(random_state=3).set_params(**QUICK, **trial.settings)
        model.fit(data.bags[train], data.candidates[train])
        p, sets = model.predict_proba(data.bags[test]), data.candidates[test].matrix
        by_hand = [
            (row[row.argmax()] / row[own].sum() if told else 1.0)
            if own[row.argmax()]
            else 0.0
            for row, own in zip(p, sets, strict=True)
        ]
        assert found == pytest.approx(np.mean(by_hand))
    assert trial.score == pytest.approx(np.mean(trial.scores))


def test_no_label_is_looked_at(search, data):
    hidden = replace(data, labels=None)
    wrong = replace(data, labels=data.labels[::-1].copy())
    found = search(trials=3)
    assert search(trials=3, data=hidden) == found == search(trials=3, data=wrong)


def test_trials_that_are_behind_are_stopped_early(search, fits):
    found = search(trials=16, folds=4, seed=1)
    assert found.count("pruned") > 0
    assert found.count("pruned") + found.count("finished") == 16
    assert len(fits) == sum(len(trial.scores) for trial in found.trials)
    # The rule of the median, by plain loops.
    whole = []
    for trial in found.trials:
        means = np.cumsum(trial.scores) / np.arange(1, len(trial.scores) + 1)
        behind = [
            len(whole) >= 5
            and max(means[:step]) < median(others[step - 1] for others in whole)
            for step in range(1, len(means) + 1)
        ]
        if trial.state == "pruned":
            assert behind == [False] * (len(means) - 1) + [True] and len(means) < 4
        else:
            assert len(means) == 4 and not any(behind[:-1])
            whole.append(means)


def test_a_small_space_is_tried_as_a_whole_each_point_once(search, fits):
    space = {"lam": [1, 1.0], "tau_lag": Range(0, 1), "margin": ["batch", "none"]}
    found = search(space, trials=40)
    assert found.wanted == len(found.trials) == 8
    assert len({repr(trial.settings) for trial in found.trials}) == 8
    assert len(fits) == sum(len(trial.scores) for trial in found.trials)


def test_equal_settings_are_not_trained_again(search, fits):
    space = {"lam": [0.1, 1.0, 2.0], "tau_lag": [0, 1]}
    found = search(space, trials=5, folds=2)  # One point less than there are.
    distinct = {tuple(trial.settings.items()): trial.scores for trial in found.trials}
    assert len(distinct) < len(found.trials) == 5
    assert len(fits) == sum(map(len, distinct.values()))


def test_fixed_arguments_reach_the_method_and_groups_stay_whole(search, data, fits):
    groups = np.repeat(["a", "b", "c"], [16, 8, 6])
    search({"tau": [1.0]}, data=replace(data, groups=groups), arguments={"lam": 0.25})
    assert sorted(fits) == [(0.25, 14), (0.25, 22), (0.25, 24)]


def test_training_that_leaves_the_finite_numbers_is_a_trial_too(search):
    lr = {"training__lr": [1e30, 0.1], "training__clip": [None]}
    found = search(lr, arguments={"training__epochs": 4})
    assert found.count("diverged") == 1 and found.best.settings["training__lr"] == 0.1
    with pytest.raises(MiplError, match="none of 1 trials was finished"):
        _ = search({**lr, "training__lr": [1e30]}).best


def test_the_best_is_the_highest_whole_score_and_of_equals_the_first():
    trials = (
        Trial(0, {}, (0.9,), "pruned"),
        Trial(1, {}, (0.2, 0.4), "finished"),
        Trial(2, {}, (0.4, 0.4), "finished"),
        Trial(3, {}, (0.5, 0.3), "finished"),
        Trial(4, {}, (), "diverged"),
    )
    tuned = Tuned(trials, 5)
    assert [trial.number for trial in tuned.ranked()] == [2, 3, 1]
    assert tuned.best.number == 2 and trials[4].score is None


def test_other_scores_by_name(search):
    for name, (low, high) in {
        "covering_rate": (0, 1),
        "margin_violation_rate": (-1, 0),
    }.items():
        [trial] = search(trials=1, score=name).trials
        assert all(low <= score <= high for score in trial.scores)
        counts = np.array(trial.scores) * 10  # A fold has ten bags.
        assert counts == pytest.approx(np.round(counts))


def test_methods_of_vectors_with_their_reduction(search, data):
    space = {"reduction": ["mean", "maxmin"], "lam": Range(0.001, 0.1, log=True)}
    small = {"n_init": 1, "max_iter": 5}
    found = tune(data, "pl-svm", space, arguments=small, trials=3, folds=2)
    assert {trial.settings["reduction"] for trial in found.trials} <= {"mean", "maxmin"}


def test_watching_sees_every_fold(search):
    seen = []
    found = search(trials=2, watch=lambda tuned, fold: seen.append((tuned, fold)))
    assert [(len(tuned.trials), fold) for tuned, fold in seen] == [
        (0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0),
    ]  # fmt: skip
    assert seen[-1][0] == found and found.wanted == 2


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"method": "miplam"}, "unknown method 'miplam'; did you mean 'miplma'?"),
        ({"space": {"lamm": [1]}}, "unknown argument of miplma 'lamm'; did you mean"),
        ({"space": {"training__lrr": [1]}}, "did you mean 'training__lr'?"),
        ({"space": {"random_state": [1]}}, "unknown argument of miplma 'random_state'"),
        ({"space": {"r": [1]}}, "unknown argument of miplma 'r'"),
        ({"space": {"reduction": ["mean"]}}, "unknown argument of miplma 'reduction'"),
        ({"space": {}}, "nothing is searched"),
        ({"space": {"lam": Range(-1, 1)}}, "lam of MIPLMA must be a number >= 0; got"),
        ({"space": {"lam": [1, "x"]}}, "lam of MIPLMA must be a number >= 0; got 'x'"),
        ({"space": {"training__lr": [0]}}, "lr of Training must be a number > 0"),
        ({"arguments": {"lamm": 1}}, "unknown argument of miplma 'lamm'"),
        ({"score": "truth_accuracy"}, "unknown label-free score 'truth_accuracy'"),
        ({"folds": 1}, "folds must be an integer >= 2; got 1."),
        ({"folds": 31}, "30 bags cannot make 31 folds; give fewer folds."),
        ({"trials": 0}, "trials must be an integer >= 1; got 0."),
        ({"trials": 2.5}, "trials must be an integer >= 1; got 2.5."),
        ({"seed": -1}, "seed must be an integer >= 0; got -1."),
    ],
)
def test_wrong_input_is_told_before_anything_is_trained(search, fits, how, sentence):
    with pytest.raises(MiplError) as told:
        search(**how)
    assert sentence in str(told.value) and not fits


def test_more_folds_than_groups(search, data):
    with pytest.raises(MiplError, match="2 groups cannot make 3 folds"):
        search(data=replace(data, groups=np.arange(30) % 2))
