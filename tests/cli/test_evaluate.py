"""``mipl evaluate``: which bags are judged, and by which figures."""

import shutil

import numpy as np
import pytest
from sklearn import metrics

import mipl
from mipl.cli.main import main

OPTIONS = ("--set", "n_bags=40")
SMALL = ("--set", "training.epochs=3", "--set", "options.n_bags=40")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Runs on split 2 and on all of 40 synthetic bags, made by the command."""
    folder = tmp_path_factory.mktemp("fitted")
    for name, more in (("split", ["--split", "2"]), ("all", [])):
        with pytest.raises(SystemExit) as end:
            main(["fit", "synthetic", "--out", str(folder / name), *more, *SMALL])
        assert end.value.code == 0
    return folder


@pytest.fixture(scope="module")
def data():
    return mipl.load_dataset("synthetic", n_bags=40)


def test_the_test_bags_of_its_split_are_the_default(run, fitted, data) -> None:
    ran = run("evaluate", fitted / "split", "synthetic", "--json")
    told = ran.json
    assert (told["bags"], told["trained_on"], ran.err) == (12, 0, "")
    assert told["which"] == "the test bags of split 2"
    _, test = data.split(2)
    model = mipl.load_model(fitted / "split/model")
    assert told["truth"]["accuracy"] == model.score(test.bags, test.labels)


def test_figures_agree_with_scikit_learn(run, fitted, data) -> None:
    told = run("evaluate", fitted / "split", "synthetic", "--json").json
    _, test = data.split(2)
    model = mipl.load_model(fitted / "split/model")
    p, truth = model.predict_proba(test.bags), test.labels
    guess = model.classes_[p.argmax(axis=1)]
    figures = told["truth"]
    assert figures["balanced_accuracy"] == pytest.approx(
        metrics.balanced_accuracy_score(truth, guess)
    )
    assert figures["macro_auroc"] == pytest.approx(
        metrics.roc_auc_score(truth, p, multi_class="ovr")
    )
    expected = metrics.confusion_matrix(truth, guess, labels=model.classes_)
    assert figures["confusion"] == expected.tolist()
    low, high = figures["interval"]
    assert 0 <= low <= figures["accuracy"] <= high <= 1
    inside = test.candidates.matrix
    best = np.where(inside, p, 0).max(axis=1) - np.where(inside, 0, p).max(axis=1)
    assert told["candidates"]["violation_rate"] == pytest.approx(np.mean(best < 0))
    assert told["candidates"]["margin_mean"] == pytest.approx(best.mean())


def test_instance_violations_by_hand(run, fitted, data) -> None:
    told = run("evaluate", fitted / "split", "synthetic", "--json").json["instances"]
    _, test = data.split(2)
    model = mipl.load_model(fitted / "split/model")
    a = model.attend(test.bags)
    violated, areas = [], []
    for i, label in enumerate(test.labels):
        rows = slice(*test.bags.offsets[i : i + 2])
        positive = test.bags.instance_labels[rows] == label
        violated.append(a[rows][~positive].max() > a[rows][positive].max())
        areas.append(metrics.roc_auc_score(positive, a[rows]))
    assert told["violation_rate"] == pytest.approx(np.mean(violated))
    assert told["attention_auroc"] == pytest.approx(np.mean(areas))
    assert told["bags"] == 12


def test_bags_that_were_trained_on_are_told(run, fitted) -> None:
    ran = run("evaluate", fitted / "all", "synthetic")
    assert ran.code == 0
    assert ran.err == (
        "warning: 40 of these 40 bags were trained on; the figures flatter the model.\n"
    )
    ran = run("evaluate", fitted / "split", "synthetic", "--all", "--json")
    assert ran.json["trained_on"] == 28 and "28 of these 40 bags" in ran.err
    ran = run("evaluate", fitted / "split", "synthetic", "--split", 5, "--json")
    assert ran.json["which"] == "the test bags of split 5"
    assert ran.json["trained_on"] > 0 and ran.err.startswith("warning: ")


def test_other_data_that_hold_some_bags_again(run, fitted, data, tmp_path) -> None:
    order = np.random.default_rng(0).permutation(40)
    mipl.write_dataset(data[order], tmp_path / "shuffled.npz")
    told = run("evaluate", fitted / "split", tmp_path / "shuffled.npz", "--json").json
    assert told["which"] == "the bags that were not trained on"
    assert (told["bags"], told["trained_on"]) == (12, 0)
    _, test = data.split(2)
    mipl.write_dataset(test, tmp_path / "fresh.npz")
    told = run("evaluate", fitted / "split", tmp_path / "fresh.npz", "--json").json
    assert (told["which"], told["bags"], told["trained_on"]) == ("all bags", 12, 0)


def test_a_bare_model_has_no_memory(run, fitted) -> None:
    ran = run("evaluate", fitted / "split/model", "synthetic", *OPTIONS, "--json")
    assert ran.json["bags"] == 40 and ran.err == ""


def test_without_truth_there_are_label_free_figures(run, fitted, data, tmp_path):
    _, test = data.split(2)
    bags = mipl.Bags([bag for bag in test.bags])
    mipl.write_dataset(mipl.Dataset(bags, test.candidates), tmp_path / "blind.npz")
    ran = run("evaluate", fitted / "split", tmp_path / "blind.npz", "--json")
    assert ran.json["truth"] is None and ran.json["instances"] is None
    model = mipl.load_model(fitted / "split/model")
    columns = model.predict_proba(bags).argmax(axis=1)
    covered = test.candidates.matrix[np.arange(12), columns].mean()
    assert ran.json["candidates"]["covering_rate"] == pytest.approx(covered)
    ran = run("evaluate", fitted / "split", tmp_path / "blind.npz")
    assert "no true labels" in ran.out and "balanced" not in ran.out


def test_the_screen_shows_figures_and_the_confusion_matrix(run, fitted) -> None:
    ran = run("evaluate", fitted / "split", "synthetic")
    for part in (
        "12 bags: the test bags of split 2",
        "balanced accuracy",
        "macro AUROC",
        "label margin violations",
        "instance margin violations",
        "confusion matrix",
    ):
        assert part in ran.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("synthetic", "--split", "30"), "--split must be 0 to 9; got 30."),
        (("synthetic", "--split", "1", "--all"), "exclude each other"),
        (("digits-mipl",), "X has 64 features, but MIPLMA is expecting 10"),
        (("synthetic", "--set", "n_classes=7"), "is not among the classes 0, 1, 2, 3"),
    ],
)
def test_wrong_input_is_one_sentence(run, fitted, arguments, sentence) -> None:
    ran = run("evaluate", fitted / "split", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err and ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["bags.json", "run.toml"])
def test_a_damaged_memory_is_told(run, fitted, tmp_path, name) -> None:
    shutil.copytree(fitted / "split", tmp_path / "run")
    (tmp_path / "run" / name).write_text("{")
    ran = run("evaluate", tmp_path / "run", "synthetic")
    assert ran.code == 2 and name in ran.err and "Traceback" not in ran.err
