"""``mipl fit``: what a run leaves behind, and what it refuses."""

import json
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import mipl
from mipl.cli.progress import EpochBar
from mipl.runs.execution import as_used
from mipl.runs.run import Run
from mipl.runs.trained_on import fingerprints

QUICK = ("--set", "training.epochs=2", "--set", "options.n_bags=40")
SMALL = {"n_bags": 40}


@pytest.fixture
def fit(run, tmp_path):
    """Fit on 40 synthetic bags for two epochs."""

    def fit(*arguments, data="synthetic", out=tmp_path / "run"):
        return run("fit", data, "--out", out, *QUICK, *arguments)

    return fit


def test_a_run_holds_model_config_and_bags(fit, tmp_path) -> None:
    ran = fit("--split", 3, "--seed", 5)
    assert ran.code == 0, ran.err
    assert "28 of 40 bags, split 3" in ran.out and str(tmp_path / "run") in ran.out
    used = tomllib.loads((tmp_path / "run/run.toml").read_text())
    assert (used["method"], used["seed"], used["split"]) == ("miplma", 5, 3)
    assert used["training"]["epochs"] == 2
    assert used["arguments"]["lam"] == mipl.MIPLMA().lam
    data = mipl.load_dataset("synthetic", **SMALL)
    seen = json.loads((tmp_path / "run/bags.json").read_text())["bags"]
    train, test = data.split(3)
    assert seen == list(fingerprints(train.bags))
    assert not set(seen) & set(fingerprints(test.bags))


def test_the_model_is_the_one_that_python_trains(fit, tmp_path) -> None:
    fit("--split", 0, "--seed", 4, "--set", "lam=0.25")
    train, test = mipl.load_dataset("synthetic", **SMALL).split(0)
    own = mipl.MIPLMA(lam=0.25, random_state=4).set_params(training__epochs=2)
    own.fit(train.bags, train.candidates)
    loaded = mipl.load_model(tmp_path / "run/model")
    assert np.array_equal(loaded.predict_proba(test.bags), own.predict_proba(test.bags))


def test_the_config_that_was_used_gives_the_same_model_again(fit, run, tmp_path):
    fit("--method", "miplma-paper", "--split", 1, "--seed", 2, "--set", "width=16")
    ran = run("fit", "--config", tmp_path / "run/run.toml", "--out", tmp_path / "again")
    assert ran.code == 0, ran.err
    for name in ("run.toml", "bags.json", "model/model.safetensors"):
        first, second = (tmp_path / f / name for f in ("run", "again"))
        assert first.read_bytes() == second.read_bytes()


def test_published_settings_are_where_arguments_begin() -> None:
    """What is kept of a run has every value, so that it needs no table of them."""
    few = {"published": True, "training__epochs": 3}
    run = Run("demipl", "sival-mipl", few, r=2, split=None, seed=7)
    own = mipl.method("demipl", published_for="sival-mipl", r=2, random_state=7)
    own.set_params(training__epochs=3)
    assert repr(run.build()) == repr(own) != repr(mipl.method("demipl"))
    used = as_used(run, own)
    assert "published" not in used.arguments
    for name, value in used.build().get_params().items():
        if name != "training" and not name.endswith("record_bags"):
            assert value == own.get_params()[name], name


def test_options_win_over_the_config_and_set_over_both(run, tmp_path) -> None:
    config = tmp_path / "run.toml"
    config.write_text(
        'data = "synthetic"\nseed = 1\nsplit = 4\n[options]\nn_bags = 40\n'
        '[training]\nepochs = 9\nlr = 0.5\nbatch_size = "null"\n'
    )
    out = tmp_path / "run"
    ran = run(
        "fit", "--config", config, "--out", out, "--all", "--seed", 2,
        "--set", "training.epochs=1",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    used = tomllib.loads((out / "run.toml").read_text())
    assert used["seed"] == 2 and "split" not in used
    training = used["training"]
    assert (training["epochs"], training["lr"]) == (1, 0.5)
    assert training["batch_size"] == "null"
    assert mipl.load_model(out / "model").training.batch_size is None


def test_json_tells_all(fit, tmp_path) -> None:
    told = fit("--split", 0, "--json").json
    assert told["folder"] == str(tmp_path / "run")
    assert (told["bags"], told["trained_on"], told["split"]) == (40, 28, 0)
    assert told["test"]["bags"] == 12
    assert told["last_epoch"]["epoch"] == 2 and told["seconds"] > 0


def test_all_bags_are_used_by_default(fit) -> None:
    told = fit("--json").json
    assert (told["trained_on"], told["split"], told["test"]) == (40, None, None)


def test_calibration_bags_are_kept_out_of_the_fit(fit, tmp_path) -> None:
    told = fit("--calibrate", 0.25, "--json").json
    assert (told["trained_on"], told["calibrated_on"]) == (30, 10)
    assert told["calibrated_by"] == "labels"  # The data have them.
    model = mipl.load_model(tmp_path / "run/model")
    assert len(model.label_weights_) == 30
    kind, p, truth = model.conformal_
    assert kind == "labels" and len(p) == len(truth) == 10
    seen = json.loads((tmp_path / "run/bags.json").read_text())["bags"]
    assert len(seen) == 40  # Both have been seen.


def test_own_data_with_names_as_classes(run, trees, tmp_path) -> None:
    ran = run("fit", trees, "--out", tmp_path / "run", "--set", "training.epochs=1")
    assert ran.code == 0, ran.err
    assert mipl.load_model(tmp_path / "run/model").classes_.tolist() == ["elm", "oak"]


def test_an_earlier_run_is_replaced_and_a_foreign_folder_kept(fit, tmp_path) -> None:
    fit()
    ran = fit("--seed", 1)
    assert ran.code == 2 and "holds a run; give another folder, or --force" in ran.err
    assert fit("--seed", 1, "--force").code == 0
    used = tomllib.loads((tmp_path / "run/run.toml").read_text())
    assert used["seed"] == 1
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    ran = fit("--force", out=tmp_path / "mine")
    assert ran.code == 2 and "thesis.txt" in ran.err
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_nothing_is_left_of_a_fit_that_fails(fit, tmp_path) -> None:
    ran = fit("--set", "training.lr=1e30")
    assert ran.code == 2 and "lower training.lr" in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--published",), "unknown data set with published settings of miplma 'synth"),
        (("--method", "miplam"), "unknown method 'miplam'; did you mean 'miplma'?"),
        (("--set", "lamm=1"), "did you mean 'lam'?"),
        (("--set", "training.lrr=1"), "did you mean 'training.lr'?"),
        (("--set", "trainig.lr=1"), "unknown table in --set 'trainig'; did you mean"),
        (("--set", "lam"), "--set must be NAME=VALUE; got 'lam'."),
        (("--set", "lam=-1"), "lam of MIPLMA must be a number >= 0; got -1."),
        (("--set", "lam=many"), "lam of MIPLMA must be a number >= 0; got 'many'."),
        (("--set", "training.lr=0"), "training.lr must be a number > 0; got 0."),
        (("--set", "width=true"), "width of MIPLMA must be an integer >= 1; got True."),
        (("--set", "training.nesterov=maybe"), "must be True or False; got 'maybe'."),
        (("--set", "training=3"), "names a table; give training.NAME=VALUE."),
        (("--set", "random_state=1"), "give --seed instead"),
        (("--set", "options.n_bag=1"), "did you mean 'n_bags'?"),
        (("--set", "seed=x"), "--seed must be a whole number >= 0"),
        (("--split", "12"), "--split must be 0 to 9; got 12."),
        (("--split", "1", "--all"), "--split and --all exclude each other"),
        (
            ("--calibrate", "1.5"),
            "--calibrate must be a number above 0 and below 1",
        ),
        (("--config", "nowhere.toml"), "nowhere.toml does not exist"),
    ],
)
def test_wrong_input_is_one_sentence(fit, tmp_path, arguments, sentence) -> None:
    ran = fit(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
    assert ran.err.startswith("error: ") and ran.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("sinthetic", "did you mean 'synthetic'?"),
        ("nowhere.csv", "nowhere.csv does not exist; check the name."),
    ],
)
def test_data_that_are_not_there(run, tmp_path, data, sentence) -> None:
    ran = run("fit", data, "--out", tmp_path / "run")
    assert ran.code == 2 and sentence in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("data = ", "is not a TOML file"),
        ("\x00", "is not a TOML file"),
        ("seed = 1", "no data set is named"),
        ('data = "synthetic"\nmethd = "miplma"', "did you mean 'method'?"),
        (
            'data = "synthetic"\ntraining = 3',
            "training must be a table",
        ),
    ],
)
def test_bad_config_files(run, tmp_path, text, sentence) -> None:
    config = tmp_path / "bad.toml"
    config.write_text(text)
    ran = run("fit", "--config", config, "--out", tmp_path / "run")
    assert ran.code == 2 and sentence in ran.err and "Traceback" not in ran.err


def test_progress_is_on_stderr_and_a_subprocess_behaves_the_same(tmp_path) -> None:
    command = [sys.executable, "-m", "mipl.cli.main", "fit", "synthetic", "--json"]
    command += ["--out", str(tmp_path / "run"), *QUICK]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["trained_on"] == 40
    assert "2/2" in done.stderr and "loss" in done.stderr


def test_the_bar_moves_with_the_epochs_of_every_learner(monkeypatch) -> None:
    bar, seen = EpochBar(), []
    update = bar.progress.update

    def noted(task, **moved):
        update(task, **moved)
        seen.append(moved)

    monkeypatch.setattr(bar.progress, "update", noted)
    steps = mipl.Training(epochs=4, optimiser="adam", batch_size=8)
    bags = np.random.default_rng(0).normal(size=(12, 2, 3))
    model = mipl.OneVsRest(mipl.ABMIL(width=4, training=steps)).set_callbacks(bar)
    model.fit(bags, np.arange(12) % 3)
    # Learners are fitted together: each epoch of one is a quarter of it.
    np.testing.assert_allclose([one["completed"] for one in seen[:12]], np.r_[1:13] / 4)
    losses = [learner.history_[3]["loss"] for learner in model.estimators_]
    for loss, one in zip(losses, seen[9:12], strict=True):
        assert one["figures"].startswith(f"epoch 4 loss {loss:.3f} ")
    assert {one["description"] for one in seen} == {"learner"}
    (task,) = bar.progress.tasks
    assert task.completed == task.total == 3 and bar.progress.finished


def test_the_bar_draws_nothing_in_other_processes() -> None:
    bar = EpochBar()
    model = mipl.OneVsRest(mipl.VGPMIL(inducing=4, iterations=2), n_jobs=2)
    rng = np.random.default_rng(0)
    model.set_callbacks(bar).fit(rng.normal(size=(12, 2, 3)), np.arange(12) % 3)
    (task,) = bar.progress.tasks
    assert task.completed == task.total == 3 and task.description == "learner"


# -- partial-label methods -------------------------------------------------------------


def test_a_partial_label_method_learns_from_reduced_bags(fit, run, tmp_path) -> None:
    ran = fit("--method", "proden", "--set", "reduction=maxmin", "--seed", 3)
    assert ran.code == 0, ran.err
    data = mipl.load_dataset("synthetic", **SMALL)
    inner = mipl.PRODEN(random_state=3).set_params(training__epochs=2)
    own = mipl.Degraded(inner, "maxmin").fit(data.bags, data.candidates)
    loaded = mipl.load_model(tmp_path / "run/model")
    assert type(loaded) is mipl.Degraded
    assert np.array_equal(loaded.predict_proba(data.bags), own.predict_proba(data.bags))
    again = run("fit", "--config", tmp_path / "run/run.toml", "-o", tmp_path / "again")
    assert again.code == 0, again.err
    for name in ("run.toml", "model/model.safetensors"):
        first, second = (tmp_path / f / name for f in ("run", "again"))
        assert first.read_bytes() == second.read_bytes()


def test_vectors_need_no_reduction(run, tmp_path) -> None:
    path = tmp_path / "trees.csv"
    rows = [f"{i},{i},{i % 3},{'oak' if i % 2 else 'elm|oak'}" for i in range(8)]
    path.write_text("\n".join(["bag_id,height,width,candidates", *rows]))
    ran = run("fit", path, "--method", "pl-svm", "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    assert "8 of 8 bags" in ran.out and "last epoch" not in ran.out, "it has none"
    assert type(mipl.load_model(tmp_path / "run/model")) is mipl.PLSVM


def test_bags_without_a_reduction_are_refused_in_a_sentence(fit, tmp_path) -> None:
    ran = fit("--method", "rc")
    assert ran.code == 2 and not (tmp_path / "run").exists()
    told = " ".join(ran.err.split())
    assert "rc learns from one vector per bag, and bags of synthetic have up to" in told
    assert "add --set reduction=mean or --set reduction=maxmin." in told


@pytest.mark.parametrize(
    ("method", "told"),
    [("proden", "must be one of 'mean', 'maxmin'"), ("miplma", "leave reduction out")],
)
def test_a_wrong_reduction_is_told(fit, method, told) -> None:
    ran = fit("--method", method, "--set", "reduction=median")
    assert ran.code == 2 and told in " ".join(ran.err.split())


def test_a_run_on_reduced_bags_keeps_its_state_if_it_has_any(fit, run, tmp_path):
    reduced = ("--set", "reduction=mean", "--checkpoint-every", 1)
    ran = fit("--method", "pop", *reduced)
    assert ran.code == 0, ran.err
    out = tmp_path / "other"
    ran = run("fit", "synthetic", "--method", "m3pl", "--out", out, *reduced)
    assert ran.code == 2 and "M3PL keeps no state; leave --checkpoint-every" in ran.err


def test_a_two_class_method_shows_its_learners_and_how_often_none_says_yes(
    run, tmp_path
):
    command = ("fit", "synthetic", "--r", 1, "--method", "vwsgp", "--split", 0)
    ran = run(*command, "--set", "inducing=8", "--out", tmp_path / "run")
    assert ran.code == 0 and "learner" in ran.err and "5/5" in ran.err
    told = run("evaluate", tmp_path / "run", "synthetic", "--json").json
    model = mipl.load_model(tmp_path / "run" / "model")
    assert type(model) is mipl.OneVsRest and model.estimator.inducing == 8
    _, test = mipl.load_dataset("synthetic", r=1).split(0)
    assert told["all_negative_rate"] == model.all_negative_rate(test.bags)
    assert "every learner says no" in run("evaluate", tmp_path / "run", "synthetic").out


def test_too_few_calibration_bags_are_told_with_the_number_needed(fit) -> None:
    ran = fit("--calibrate", 0.1)
    assert ran.code == 0 and "4 bags, by their true labels" in ran.out
    assert "4 calibration bags cannot promise 90%: 9 are needed" in ran.err


def test_a_number_is_proposed_where_bags_are_large(run, tmp_path) -> None:
    rng = np.random.default_rng(0)
    bags = [rng.normal(size=(n, 2)) for n in (9000, 20, 30, 40)]
    data = mipl.Dataset(mipl.Bags(bags), [{"a", "b"}, {"a"}, {"b"}, {"a"}])
    mipl.write_dataset(data, tmp_path / "x.npz")
    order = ("fit", tmp_path / "x.npz", "--out", tmp_path / "r")
    quick = ("--set", "training.epochs=1")
    ran = run(*order, *quick)
    assert ran.code == 0 and ran.err.count("proposal: a bag has 9,000 instances") == 1
    assert "sees 2,138 in place of 9,090" in ran.err
    told = ("--set", "training.instances_per_bag=auto", "--json")
    ran = run(*order, *quick, *told, "--force")
    assert ran.code == 0 and "proposal" not in ran.err
    assert ran.json["instances_per_bag"] == 8192  # Of four bags none can be held out.
    told = run(*order, *quick, "--set", "training.instances_per_bag=0.25", "--force")
    assert told.code == 0 and "25% per epoch" in told.out
