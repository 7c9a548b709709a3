"""Studies in files: they go on as if nothing had happened, or say why not."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import numpy as np
import optuna
import pytest

from mipl import MIPLMA, Candidates, MiplError, load_dataset
from mipl.selection import Range, tune

QUICK = {"training__epochs": 1, "width": 4, "training__batch_size": 64}
SPACE = {"lam": Range(0.01, 5, log=True), "training__lr": Range(1e-3, 1.0, log=True)}
GRID = {"lam": [0.1, 0.5, 1.0], "tau_lag": [0, 1]}


@pytest.fixture(scope="module")
def data():
    return load_dataset("synthetic", r=1, n_bags=24)


@pytest.fixture
def search(data, tmp_path):
    """Search in a file, with changes to the usual call."""

    def search(*, data=data, method="miplma", space=SPACE, name="study.db", **how):
        given = {"arguments": QUICK, "trials": 9, "folds": 2, **how}
        return tune(data, method, space, study=tmp_path / name, **given)

    return search


class Stop(Exception):
    pass


def stopping(at_trial, at_fold):
    def watch(tuned, fold):
        if (len(tuned.trials), fold) == (at_trial, at_fold):
            raise Stop

    return watch


@pytest.mark.parametrize("space", [SPACE, GRID], ids=["sampled", "grid"])
def test_an_interrupted_study_goes_on_as_if_unbroken(
    search, tmp_path, monkeypatch, space
):
    whole = search(space=space, name="whole.db", seed=2)
    for at in ((0, 0), (0, 1), (3, 1), (3, 2), (5, 1)):
        with pytest.raises(Stop):
            search(space=space, seed=2, watch=stopping(*at))
    begun, fit = [], MIPLMA.fit

    def counted(self, X, y, **how):
        begun.append(self.lam)
        return fit(self, X, y, **how)

    monkeypatch.setattr(MIPLMA, "fit", counted)
    assert search(space=space, seed=2) == whole
    # Trials that had ended were not trained again.
    assert len(begun) == sum(len(trial.scores) for trial in whole.trials[5:])
    assert search(space=space, seed=2) == whole
    assert (
        tune(
            load_dataset("synthetic", r=1, n_bags=24),
            "miplma",
            space,
            arguments=QUICK,
            trials=9,
            folds=2,
            seed=2,
        )
        == whole
    )  # In memory, too.
    assert {path.name for path in tmp_path.iterdir()} == {"whole.db", "study.db"}


PROGRAM = """
import os, sys
from mipl import load_dataset
from mipl.selection import Range, tune
def watch(tuned, fold):
    if (len(tuned.trials), fold) == (4, 1):
        os._exit(9)
tune(load_dataset("synthetic", r=1, n_bags=24), "miplma",
     {"lam": Range(0.01, 5, log=True), "training__lr": Range(1e-3, 1.0, log=True)},
     arguments=%r, trials=9, folds=2, study=sys.argv[1], watch=watch)
"""


def test_a_process_that_dies_leaves_a_study_that_goes_on(search, tmp_path):
    command = [sys.executable, "-c", PROGRAM % QUICK, str(tmp_path / "study.db")]
    died = subprocess.run(command, capture_output=True, text=True, check=False)
    assert died.returncode == 9, died.stderr
    seen = []
    found = search(watch=lambda tuned, fold: seen.append(len(tuned.trials)))
    assert seen[0] == 4  # The one that was running is run again.
    assert found == search(name="whole.db")


def test_more_trials_and_fewer(search):
    few = search(trials=3)
    more = search(trials=5)
    assert more.trials[:3] == few.trials and len(more.trials) == 5
    assert search(trials=3) == few


def test_a_grid_that_begins_as_a_sample_is_completed(search):
    search(space=GRID, trials=4)  # Fewer than its six points.
    found = search(space=GRID, trials=20)
    points = {tuple(sorted(trial.settings.items())) for trial in found.trials}
    assert len(points) == 6


def other_bags(data):
    return {"data": replace(data, bags=[bag * 2 for bag in data.bags])}


def other_candidates(data):
    sets = np.roll(data.candidates.matrix, 1, axis=0)
    return {"data": replace(data, candidates=Candidates(sets), labels=None)}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (other_bags, "bags"),
        (other_candidates, "candidates"),
        (lambda data: {"data": replace(data, groups=np.arange(24) % 4)}, "groups"),
        (lambda data: {"method": "miplma-paper"}, "method"),
        (lambda data: {"space": {**SPACE, "lam": Range(0.01, 4, log=True)}}, "space"),
        (lambda data: {"score": "approximated_accuracy"}, "score"),
        (lambda data: {"folds": 3}, "folds"),
        (lambda data: {"seed": 1}, "seed"),
        (lambda data: {"arguments": {**QUICK, "tau": 2.0}}, "tau"),
        (lambda data: {"arguments": QUICK | {"training__clip": 2}}, "training.clip"),
    ],
)  # fmt: skip
def test_a_study_of_something_else_is_refused_by_name(
    search, tmp_path, data, change, field
):
    search(trials=1)
    before = (tmp_path / "study.db").read_bytes()
    with pytest.raises(MiplError) as told:
        search(**change(data))
    sentence = str(told.value)
    assert f"is the study of another search: its {field} is " in sentence
    assert "here it is" in sentence
    assert (tmp_path / "study.db").read_bytes() == before


def test_the_same_arguments_in_another_order_are_the_same_search(search):
    found = search(trials=2)
    turned = dict(reversed(SPACE.items()))
    assert (
        search(trials=2, space=turned, arguments=dict(reversed(QUICK.items()))) == found
    )


def text_file(path):
    path.write_text("years of work, but no database\n" * 20)


def other_database(path):
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE results (score REAL)")
        file.commit()


def half_a_database(path):
    other_database(path)
    path.write_bytes(path.read_bytes()[:5000])


def study_of_others(path):
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    study = optuna.create_study(storage=storage, study_name="mipl")
    study.enqueue_trial({"x": 1})
    storage.engine.dispose()


@pytest.mark.parametrize(
    "make", [text_file, other_database, half_a_database, study_of_others]
)
def test_a_file_that_is_no_study_is_refused_and_kept(search, tmp_path, make):
    path = tmp_path / "study.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(MiplError, match="give another name"):
        search()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["study.db"]


def test_a_damaged_study_costs_a_sentence(search, tmp_path):
    search(trials=2)
    path = tmp_path / "study.db"
    raw = path.read_bytes()
    path.write_bytes(raw[:4096] + b"\xff" * 40_000 + raw[44_096:])
    with pytest.raises(MiplError, match="give another name"):
        search()


def test_places_that_cannot_be_written(search, tmp_path):
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(MiplError, match=r"folder\.db is not a file"):
        search(name="folder.db")
    with pytest.raises(MiplError, match=r"the folder .*absent does not exist"):
        search(name="absent/study.db")


@pytest.mark.parametrize("name", ["a b.db", "ü?#.db", "50%25 {x}.db"])
def test_any_name_of_a_file_will_do(search, tmp_path, name):
    assert len(search(name=name, trials=1).trials) == 1
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_an_empty_file_is_a_new_study(search, tmp_path):
    (tmp_path / "study.db").touch()
    assert len(search(trials=1).trials) == 1


def test_a_study_in_use_is_left_alone(search, tmp_path):
    refused = []

    def watch(tuned, fold):
        if not refused:
            with pytest.raises(MiplError, match="in use by another process"):
                search()
            refused.append(fold)

    assert len(search(trials=2, watch=watch).trials) == 2
    assert refused and [file.name for file in tmp_path.iterdir()] == ["study.db"]


def test_without_optuna_there_is_a_sentence():
    program = (
        "import sys; sys.modules['optuna'] = None\n"
        "from mipl import load_dataset; from mipl.selection import tune\n"
        "try: tune(load_dataset('synthetic', n_bags=20), 'miplma', {'lam': [1.0]})\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "tuning needs optuna, which is not installed; install it with: "
        'pip install "mipl[tune]".\n'
    )
