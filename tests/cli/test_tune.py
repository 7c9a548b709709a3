"""``mipl tune``: what it finds, where it leaves it, how it goes on, what it refuses."""

import json
import shlex
import signal
import tomllib
from contextlib import contextmanager

import pytest

import mipl
from mipl.cli import progress
from mipl.selection import Range, paper_space, tune, usual_space

QUICK = (
    "--set", "training.epochs=1", "--set", "width=4", "--set", "options.n_bags=30",
)  # fmt: skip
SEARCHED = ("--set", "lam=0.01..5:log", "--set", "training.lr=[0.01, 0.1]")


def unless(usual, given):
    """Return --set options, but those whose name is given: none may be twice."""
    pairs = zip(usual[::2], usual[1::2], strict=True)
    kept = [p for p in pairs if not any(str(g).startswith(name(p)) for g in given)]
    return [word for pair in kept for word in pair]


def name(pair):
    return pair[1].partition("=")[0] + "="


@pytest.fixture
def tuned(run, tmp_path, monkeypatch):
    """Search on 30 synthetic bags, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def tuned(*arguments, searched=SEARCHED, data="synthetic"):
        folds = () if "--folds" in arguments else ("--folds", 2)
        return run(
            "tune", data, *unless(QUICK, searched), *searched, *folds, *arguments
        )

    return tuned


def test_the_trials_are_those_of_python(tuned, tmp_path):
    ran = tuned("--trials", 4, "--seed", 3, "--split", 1, "--json")
    assert ran.code == 0, ran.err
    train, _ = mipl.load_dataset("synthetic", n_bags=30).split(1)
    found = tune(
        train,
        "miplma",
        {"lam": Range(0.01, 5, log=True), "training__lr": [0.01, 0.1]},
        arguments={"training__epochs": 1, "width": 4},
        trials=4,
        folds=2,
        seed=3,
    )
    told = ran.json
    assert (told["trials"], told["finished"], told["bags"]) == (4, 4, len(train))
    assert [one["trial"] for one in told["best"]] == [t.number for t in found.ranked()]
    for one, trial in zip(told["best"], found.ranked(), strict=True):
        assert one["score"] == trial.score and one["folds"] == list(trial.scores)
        assert one["settings"]["lam"] == trial.settings["lam"]
        assert one["settings"]["training.lr"] == trial.settings["training__lr"]
    assert (
        {file.name for file in tmp_path.iterdir()}
        == {
            told["study"],
            told["config"],
        }
        == {"synthetic-miplma.db", "synthetic-miplma.run.toml"}
    )


def test_what_it_writes_is_what_fit_trains(tuned, run, tmp_path):
    told = tuned("--trials", 3, "--split", 0, "--seed", 2, "--json").json
    ran = run("fit", "--config", told["config"], "--out", "fitted", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["split"], ran.json["method"]) == (0, "miplma")
    best = told["best"][0]["settings"]
    used = tomllib.loads((tmp_path / "fitted/run.toml").read_text())
    assert (used["seed"], used["options"]) == (2, {"n_bags": 30})
    assert used["arguments"]["lam"] == best["lam"] and used["arguments"]["width"] == 4
    assert used["training"]["lr"] == best["training.lr"]
    assert used["training"]["epochs"] == 1


def test_what_people_see(tuned):
    ran = tuned("--trials", 7, "--study", "my trees.db")
    assert ran.code == 0, ran.err
    assert "2 folds of 30 training bags; no" in ran.out
    assert "7: " in ran.out and "stopped early, 0 diverged" in ran.out
    for word in ("trial", "score", "lam", "training.lr", "study  my trees.db"):
        assert word in ran.out
    assert "saved  my trees.run.toml" in ran.out
    assert "next  mipl fit --config 'my trees.run.toml' --out run" in ran.out
    assert "7/7" in ran.err and "best 0." in ran.err


def test_the_same_command_again_trains_nothing(tuned, monkeypatch):
    first = tuned("--trials", 3, "--json").json
    monkeypatch.setattr(mipl.MIPLMA, "fit", None)
    assert tuned("--trials", 3, "--json").json == first


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_stopped_search_tells_how_to_go_on(tuned, run, monkeypatch, number, code):
    arguments = ("--trials", 5, "--seed", 1, "--json")
    whole = tuned(*arguments, "--study", "whole.db").json
    trial_bar = progress.trial_bar

    @contextmanager
    def stopping():
        with trial_bar() as watch:

            def stop(found, fold):
                watch(found, fold)
                if (len(found.trials), fold) == (2, 1):
                    signal.raise_signal(number)

            yield stop

    with monkeypatch.context() as patch:
        patch.setattr(progress, "trial_bar", stopping)
        ran = tuned(*arguments, "--study", "a study.db")
    assert ran.code == code and ran.out == "" and "Traceback" not in ran.err
    told = next(x for x in ran.err.splitlines() if x.startswith("interrupted: "))
    words = shlex.split(told.removeprefix("interrupted: go on with: "))
    assert words[:3] == ["mipl", "tune", "synthetic"]
    again = run(*words[1:])
    assert again.code == 0, again.err
    assert again.json["best"] == whole["best"]


def test_the_grid_of_the_paper_is_searched_where_nothing_else_is(tuned):
    told = tuned("--trials", 2, "--json", searched=()).json
    grid = {n.replace("__", "."): v for n, v in paper_space("miplma").items()}
    for one in told["best"]:
        assert one["settings"].keys() == grid.keys()
        assert all(value in grid[name] for name, value in one["settings"].items())
    named = tuned(
        "--trials", 2, "--json", "--space", "paper", "--study", "b.db", searched=()
    ).json
    assert named["best"] == told["best"]


def test_a_method_of_vectors_has_a_grid_of_ours_where_nothing_is_searched(run, trees):
    ran = run(
        "tune", trees, "--method", "pl-svm", "--set", "reduction=mean",
        "--set", "max_iter=5", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    found = sorted(one["settings"]["lam"] for one in ran.json["best"])
    assert found == usual_space("pl-svm")["lam"]


def test_a_space_of_one_s_own_and_set_wins_over_it(tuned, tmp_path):
    (tmp_path / "space.toml").write_text(
        '[arguments]\nlam = "0.1..0.2"\ntau = 2.0\nmargin = ["batch", "none"]\n'
        '[training]\nlr = "0.001..0.1:log"\nepochs = 9\nbatch_size = ["null", 8]\n'
    )
    told = tuned(
        "--trials", 3, "--space", "space.toml", "--json",
        searched=("--set", "margin=mean", "--set", "tau=[3, 4]"),
    ).json  # fmt: skip
    for one in told["best"]:
        found = one["settings"]
        assert found.keys() == {"lam", "tau", "training.lr", "training.batch_size"}
        assert 0.1 <= found["lam"] <= 0.2 and 0.001 <= found["training.lr"] <= 0.1
        assert found["tau"] in (3, 4) and found["training.batch_size"] in (None, 8)
    used = tomllib.loads((tmp_path / told["config"]).read_text())
    assert used["arguments"]["margin"] == "mean" and used["training"]["epochs"] == 1


@pytest.fixture
def trees(tmp_path, monkeypatch):
    """Write 24 bags of two instances in a folder of their own, without labels."""
    monkeypatch.chdir(tmp_path)
    rows = ["bag_id,height,width,candidates"]
    for i in range(24):
        names = ("oak|elm", "oak|fir", "elm|fir")[i % 3]
        rows += [f"b{i},{i % 3},{i % 5},{names}", f"b{i},{i % 3},{i % 7},{names}"]
    (tmp_path / "trees.csv").write_text("\n".join(rows))
    return "trees.csv"


def test_own_data_without_labels_and_a_method_of_vectors(run, trees):
    command = ("tune", trees, "--method", "pl-svm", "--trials", 2)
    command += ("--set", "lam=0.001..0.1:log", "--set", "max_iter=5")
    ran = run(*command)
    assert ran.code == 2 and "add --set reduction=mean" in ran.err
    ran = run(*command, "--set", "reduction=mean", "--json")
    assert ran.code == 0, ran.err
    ran = run("fit", "--config", ran.json["config"], "--out", "fitted")
    assert ran.code == 0, ran.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--method", "miplam"), "unknown method 'miplam'; did you mean 'miplma'?"),
        (("--set", "lamm=1..2"), "unknown argument of miplma 'lamm'; did you mean"),
        (("--set", "lamm=1"), "unknown argument of miplma 'lamm'; did you mean"),
        (("--set", "training.lrr=[1]"), "did you mean 'training.lr'?"),
        (("--set", "trainig.lr=1..2"), "unknown table in --set 'trainig'; did you"),
        (("--set", "random_state=[1]"), "unknown argument of miplma 'random_state'"),
        (("--set", "random_state=1"), "give --seed instead"),
        (("--set", "lam=5..0.1"), "the range 5..0.1 must go from a smaller number"),
        (("--set", "lam=0..1:log"), "the range 0..1:log must begin above zero"),
        (("--set", "lam=a..b"), "lam=a..b is no range; give LOW..HIGH or LOW..HIGH:"),
        (("--set", "lam=1..2:ln"), "lam=1..2:ln is no range"),
        (("--set", "lam=-1..1"), "lam of MIPLMA must be a number >= 0; got -1"),
        (("--set", "lam=[]"), "needs at least one value"),
        (("--set", "margin=[batch,none]"), "is no list; texts in a list need quotes"),
        (("--set", "lam"), "--set must be NAME=VALUE; got 'lam'."),
        (("--score", "accuracy"), "unknown label-free score 'accuracy'; Known: approx"),
        (("--space", "papre"), "--space must be 'paper' or a TOML file; there is no"),
        (("--folds", "2", "--folds", "31"), "--folds takes one value and is given 2"),
        (("--space", "absent.toml"), "absent.toml does not exist"),
        (("--method", "demipl", "--space", "paper"), "no grid of the paper of demipl"),
        (("--folds", "31"), "30 bags cannot make 31 folds"),
        (("--split", "12"), "--split must be 0 to 9; got 12."),
        (("--study", "no/where.db"), "the folder no does not exist; create it."),
        (("--study", "mine.txt"), "mine.txt is not a study: file is not a database"),
    ],
)
def test_mistakes_are_one_sentence(tuned, tmp_path, arguments, sentence):
    (tmp_path / "mine.txt").write_text("years of work" * 50)
    ran = tuned(*arguments, searched=unless(SEARCHED, arguments))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ") and ran.err.count("\n") == 1
    assert sentence in ran.err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_space_file_with_something_else_in_it(tuned, tmp_path):
    (tmp_path / "space.toml").write_text("lam = [1, 2]\n")
    ran = tuned("--space", "space.toml")
    assert ran.code == 2 and "unknown table in space.toml 'lam'" in ran.err
    (tmp_path / "x.run.toml").write_text("[arguments]\nlam = [1, 2]\n")
    ran = tuned("--space", "x.run.toml", "--study", "x.db")
    assert ran.code == 2 and "x.run.toml would be overwritten" in ran.err


def test_another_search_of_the_same_name_is_refused(tuned, tmp_path):
    tuned("--trials", 1)
    before = (tmp_path / "synthetic-miplma.run.toml").read_text()
    ran = tuned("--trials", 1, "--seed", 1)
    assert ran.code == 2
    assert "is the study of another search: its seed is 0, here it is 1;" in ran.err
    assert (tmp_path / "synthetic-miplma.run.toml").read_text() == before


def test_json_is_one_document_and_finite(tuned):
    told = tuned(
        "--trials", 2, "--json", searched=("--set", "training.lr=[1e30, 0.1]",
        "--set", "training.clip=null", "--set", "training.epochs=4"),
    )  # fmt: skip
    found = json.loads(told.out)
    assert (found["diverged"], found["finished"]) == (1, 1)
    assert found["best"][0]["settings"] == {"training.lr": 0.1}
