"""A run from Python: what it returns, what it writes, how it goes on."""

import json
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest

import mipl
from mipl import Run
from mipl.cli.main import main
from mipl.errors import MiplError
from mipl.runs.evaluation import evaluate
from mipl.runs.trained_on import fingerprints

FEW = {"training__epochs": 4, "training__batch_size": 10, "lam": 2.0}
SMALL = {"n_bags": 40, "seed": 3}
RUN = Run("miplma", "synthetic", FEW, SMALL, r=2, split=1, seed=5, calibrate=0.25)
COMMAND = (
    "fit", "synthetic", "--r", "2", "--data-seed", "3", "--set", "options.n_bags=40",
    "--split", "1", "--seed", "5", "--calibrate", "0.25", "--set", "lam=2.0",
    "--set", "training.epochs=4", "--set", "training.batch_size=10",
)  # fmt: skip


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


class Stopping:
    """Asks to stop by a signal when an epoch has ended."""

    def __init__(self, epoch):
        self.epoch = epoch

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **_):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata=None, **_):
        if metadata and metadata["figures"]["epoch"] == self.epoch:
            signal.raise_signal(signal.SIGINT)
        return False


def test_the_parts_are_those_of_the_split_and_no_bag_is_in_two():
    data = RUN.load()
    train, test = mipl.load_dataset("synthetic", r=2, seed=3, n_bags=40).split(1)
    parts = RUN.parts(data)
    names = [
        set(fingerprints(one.bags))
        for one in (parts.train, parts.calibration, parts.test)
    ]
    assert [len(one) for one in names] == [21, 7, 12]
    assert names[0] | names[1] == set(fingerprints(train.bags))
    assert not names[0] & names[1] and names[2] == set(fingerprints(test.bags))
    assert parts.whole is data


def test_all_bags_leave_none_to_judge_by():
    fitted = Run("miplma", "synthetic", FEW, SMALL, split=None).execute()
    assert len(fitted.parts.train) == 40 and fitted.parts.test is None
    assert fitted.evaluation is None and len(fitted.history) == 4


def test_without_a_folder_the_model_is_the_one_that_python_trains(tmp_path):
    fitted = RUN.execute()
    parts = fitted.parts
    own = mipl.MIPLMA(lam=2.0, random_state=5)
    own.set_params(training__epochs=4, training__batch_size=10)
    own.fit(parts.train.bags, parts.train.candidates)
    own.calibrate(parts.calibration.bags, labels=parts.calibration.labels)
    bags = parts.test.bags
    assert np.array_equal(fitted.model.predict_proba(bags), own.predict_proba(bags))
    sets = (one.predict_set(bags, alpha=0.2) for one in (fitted.model, own))
    assert np.array_equal(*sets)
    assert fitted.evaluation == evaluate(own, parts.test)
    assert fitted.history == own.history_ and fitted.seconds > 0
    assert fitted.run == RUN and not list(tmp_path.iterdir())


def test_a_folder_is_that_of_mipl_fit_to_the_bit(tmp_path):
    fitted = RUN.execute(tmp_path / "python")
    with pytest.raises(SystemExit, match=r"^0$"):
        main([*COMMAND, "--out", str(tmp_path / "command")])
    ours, theirs = files(tmp_path / "python"), files(tmp_path / "command")
    assert ours == theirs
    assert {
        "model/model.safetensors",
        "model/model.json",
        "model/README.md",
        "run.toml",
        "bags.json",
        "history.json",
        "evaluation.json",
    } == ours.keys()
    assert json.loads(ours["history.json"]) == fitted.history
    told = json.loads(ours["evaluation.json"])
    assert told["truth"]["accuracy"] == fitted.evaluation.truth.accuracy
    assert {p.name for p in tmp_path.iterdir()} == {"python", "command"}


@pytest.mark.parametrize("every", [None, 1])
def test_an_interrupted_run_goes_on_to_the_same_bits(tmp_path, every):
    RUN.execute(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        RUN.execute(tmp_path / "run", [Stopping(2)], checkpoint_every=every)
    assert {p.name for p in tmp_path.iterdir()} == {"whole", "run.checkpoint"}
    with pytest.raises(MiplError, match="is of an interrupted run"):
        RUN.execute(tmp_path / "run")
    RUN.execute(tmp_path / "run", resume=True)
    assert {p.name for p in tmp_path.iterdir()} == {"whole", "run"}
    assert files(tmp_path / "run") == files(tmp_path / "whole")


def test_without_a_history_or_test_bags_there_are_no_empty_files(tmp_path):
    few = {"inducing": 8, "iterations": 2}
    Run("vgpmil", "synthetic", few, SMALL, split=None).execute(tmp_path / "run")
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert left == {"model", "run.toml", "bags.json"}


def test_figures_that_json_cannot_hold_are_null(tmp_path, monkeypatch):
    def unsure(model, data, seed=0):
        found = evaluate(model, data, seed)
        object.__setattr__(found.candidates, "log_likelihood", float("-inf"))
        return found

    monkeypatch.setattr("mipl.runs.execution.evaluate", unsure)
    RUN.execute(tmp_path / "run")
    told = json.loads((tmp_path / "run/evaluation.json").read_text())
    assert told["candidates"]["log_likelihood"] is None


@pytest.mark.parametrize(
    ("run", "given", "sentence"),
    [
        (Run("rc", "synthetic"), {}, "rc learns from one vector per bag"),
        (Run("miplma", "synthetic", {"watch": [0]}), {}, "watch is for runs of a plan"),
        (Run("miplma", "synthetic", {"test_curve": True}), {}, "test_curve is for"),
        (Run("miplma", "synthetic"), {"resume": True}, "give folder"),
        (Run("miplma", "synthetic"), {"checkpoint_every": 3}, "give folder"),
        (Run("miplma", "sinthetic"), {}, "did you mean 'synthetic'"),
        (Run("miplma", "absent.csv", r=2), {}, "goes with a name of the catalog"),
        (Run("miplma", "synthetic", {}, {"r": 2}), {}, "r is no option of synthetic"),
        (
            Run("miplma", "synthetic", {"published": 3}),
            {},
            "published of a run must be true, false or the name of a data set; got 3.",
        ),
    ],
    ids=str,
)
def test_mistakes_are_one_sentence(run, given, sentence):
    with pytest.raises(MiplError, match=sentence):
        run.execute(**given)


def test_settings_published_for_other_data_can_be_named():
    run = Run("miplma-released", "digits-mipl", {"published": "mnist-mipl"}, r=2)
    known = mipl.method("miplma-released", published_for="mnist-mipl", r=2)
    assert repr(run.build()) == repr(known.set_params(random_state=0))


def test_runs_need_no_command_line():
    code = (
        "import sys, mipl\n"
        "run = mipl.Run('miplma', 'synthetic', {'training__epochs': 1})\n"
        "assert not {'torch', 'numpy'} & set(sys.modules)\n"
        "run.execute()\n"
        "found = [n for n in sys.modules if n.startswith(('mipl.cli', 'typer'))]\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_came_of_a_run_can_travel_between_processes():
    fitted = RUN.execute()
    there = pickle.loads(pickle.dumps(fitted))
    bags = fitted.parts.test.bags
    assert np.array_equal(
        there.model.predict_proba(bags), fitted.model.predict_proba(bags)
    )
