"""What earlier versions wrote is read, and says what it said then.

The folder of a version holds a model of each of its methods on the bags beside them,
what each said of these bags, a run of ``mipl fit`` with its evaluation, and a store
with its CSV; all was written by that version itself.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mipl import Bags, load_model
from mipl.cli.main import main
from mipl.runs.folder import open_model
from mipl.runs.results_csv import import_file
from mipl.runs.run import Run, read_run
from mipl.runs.store import Store

HERE = Path(__file__).parent
VERSIONS = sorted(path.parent for path in HERE.glob("*/runs.json"))
MODELS = sorted(path for path in HERE.glob("*/models/*") if path.is_dir())


def _bags(version):
    with np.load(version / "bags.npz") as held:
        offsets = held["offsets"]
        return Bags(np.split(held["instances"], offsets[1:-1]))


@pytest.mark.parametrize("folder", MODELS, ids=lambda path: path.name)
def test_models_say_what_they_said(folder):
    version = folder.parents[1]
    with np.load(version / "probabilities.npz") as said:
        expected = said[folder.name]
    found = load_model(folder).predict_proba(_bags(version))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


def test_a_model_of_before_there_was_an_argument_says_what_it_was_fitted_with():
    """ProMIPL's temperature was constant; MIVAE's bags had as many latent variables."""
    [folder] = [path for path in MODELS if path.name == "promipl"]
    model = load_model(folder)
    assert (model.tau, model.tau_decay, model.tau_) == (5.0, 1.0, 5.0)
    assert {entry["tau"] for entry in model.history_} == {5.0}
    [folder] = [path for path in MODELS if path.name == "mivae"]
    model = load_model(folder)
    held = model.module_.encoder
    assert held.bag.mean.out_features == held.instance.mean.out_features == model.latent


def test_every_method_of_that_version_has_a_model():
    for version in {path.parents[1] for path in MODELS}:
        with np.load(version / "probabilities.npz") as said:
            names = {path.name for path in MODELS if path.parents[1] == version}
            assert names == set(said)
            assert len(names) > 20


@pytest.mark.parametrize("version", sorted({path.parents[1] for path in MODELS}))
def test_runs_are_evaluated_as_they_were(version, capsys):
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["evaluate", str(version / "run"), "digits-mipl", "--json"])
    found = json.loads(capsys.readouterr().out)
    expected = json.loads((version / "evaluation.json").read_text())
    for part in ("truth", "candidates"):
        for name, value in expected[part].items():
            if isinstance(value, float):
                assert found[part][name] == pytest.approx(value, abs=1e-6), name


@pytest.mark.parametrize("version", sorted({path.parents[1] for path in MODELS}))
def test_stores_hold_what_their_csv_says(version, tmp_path):
    shutil.copy(version / "results.db", tmp_path / "results.db")
    held = {result.run: result for result in Store(tmp_path / "results.db").results()}
    listed = Store(tmp_path / "listed.db", create=True)
    import_file(version / "results.csv", listed)
    rows = {result.run: result for result in listed.results()}
    assert rows.keys() == held.keys()
    assert len(rows) == 4
    for run, row in rows.items():
        assert (row.state, row.accuracy) == (held[run].state, held[run].accuracy)


@pytest.mark.parametrize("version", VERSIONS)
def test_runs_have_the_keys_that_they_had(version):
    """A store would not know its own results any more."""
    for told in json.loads((version / "runs.json").read_text()):
        key, question = told.pop("key"), told.pop("question")
        run = read_run(told)
        assert (run.key, run.question.key) == (key, question), told
        assert run.as_dict() == told


@pytest.mark.parametrize("version", VERSIONS)
def test_the_run_of_a_folder_is_the_one_that_was_fitted(version):
    opened = open_model(version / "run")
    run = opened.run
    assert (run.data, run.split, run.seed, run.calibrate) == ("digits-mipl", 0, 3, 0.2)
    model = run.build()
    assert (model.width, model.lam, model.training.epochs) == (4, 0.5, 2)
    for name, value in opened.model.get_params().items():
        if name != "training" and not name.endswith("record_bags"):
            assert model.get_params()[name] == value, name


@pytest.mark.parametrize("version", VERSIONS)
def test_a_plan_of_then_is_known_now(version, tmp_path):
    shutil.copy(version / "results.db", tmp_path / "results.db")
    few = {"training__epochs": 2, "width": 4}
    plan = [Run("miplma", "digits-mipl", few)]
    assert Store(tmp_path / "results.db").answers(plan)
