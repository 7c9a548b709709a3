"""Damaged and foreign model files are refused, each with one sentence."""

import ast
import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save

from mipl import MIPLMA, MiplError, Training, load_model
from mipl.errors import BadFile
from mipl.methods.saving import model_file
from mipl.methods.saving.model_file import CARD, FACTS, VALUES, ModelFile
from mipl.seeds import stream

QUICK = Training(epochs=2, batch_size=4)


def test_every_damage_of_bytes_is_refused_or_without_effect(
    fitted, saved, made, assert_same
):
    """Flip, cut and grow both files at many places."""
    data, rng = made(), stream(1, "damage")
    expected = fitted.predict_proba(data.bags)
    for name in (FACTS, VALUES):
        path = saved / name
        whole = path.read_bytes()
        refused = 0
        for trial in range(150):
            at = int(rng.integers(len(whole)))
            flipped = bytes([whole[at] ^ (1 << int(rng.integers(8)))])
            path.write_bytes(
                (
                    whole[:at] + flipped + whole[at + 1 :],
                    whole[:at],
                    whole + whole[:at],
                )[trial % 3]
            )
            try:
                again = load_model(saved)
            except MiplError as error:
                refused += 1
                assert "\n" not in str(error) and "Traceback" not in str(error)
            else:
                assert (again.predict_proba(data.bags) == expected).all()
        assert refused > 120  # Spaces of the JSON text may change.
        path.write_bytes(whole)
    assert_same(fitted, load_model(saved), data)


def alter(folder, facts=None, arrays=None):
    """Change a model's files and seal them anew, as a forger could."""
    content = json.loads((folder / FACTS).read_text())
    values = load((folder / VALUES).read_bytes())
    for change, target in ((facts, content), (arrays, values)):
        if change:
            change(target)
    packed = save(values)
    (folder / VALUES).write_bytes(packed)
    try:
        content["sha256"] = ModelFile.model_validate(content).digest(packed)
    except ValueError:
        pass  # What the schema refuses needs no seal.
    (folder / FACTS).write_text(json.dumps(content))


def put(*path):
    """Return a change that puts the last of these at the place the others name."""
    *where, last, value = path

    def change(content):
        for key in where:
            content = content[key]
        content[last] = value

    return change


def drop(*path):
    *where, last = path

    def change(content):
        for key in where:
            content = content[key]
        del content[last]

    return change


ARGUMENTS = ("method", "arguments")
TRAINING = (*ARGUMENTS, "training", "arguments")

FORGED_FACTS = {
    "no format": (drop("format"), "does not describe a model of mipl"),
    "another format": (put("format", "pickle"), "does not describe a model of mipl"),
    "a later version": (put("version", 2), "has version 2; this mipl reads version 1"),
    "an unknown field": (put("code", "import os"), "damaged at 'code'"),
    "no facts": (drop("facts"), "damaged at 'facts'"),
    "a fact too many": (put("facts", "more", 1), "unknown part 'more'"),
    "a fact missing": (drop("facts", "tau"), "its tau is missing"),
    "a text for a number": (put("facts", "tau", "1"), "its tau is damaged"),
    "a temperature of zero": (put("facts", "temperature", 0.0), "temperature is dam"),
    "tau below zero": (put("facts", "tau", -1.0), "its tau is damaged"),
    "history of texts": (put("facts", "history", [{"a": "b"}]), "its history is dam"),
    "no method": (put("method", {"tuple": []}), "it names no method"),
    "training as method": (
        put("method", {"estimator": "mipl.training.options:Training", "arguments": {}}),
        "it names no method",
    ),
    "a foreign class": (put("method", "estimator", "os:system"), "not a registered"),
    "a relative": (
        put("method", "estimator", "mipl.methods.bases.neural:NeuralBagClassifier"),
        "not a registered method",
    ),
    "a foreign nested class": (
        put(*ARGUMENTS, "training", "estimator", "subprocess:Popen"),
        "not a registered method",
    ),
    "a method as training": (
        put(
            *ARGUMENTS,
            "training",
            {"estimator": "mipl.methods.mipl.miplma:MIPLMA", "arguments": {}},
        ),
        "cannot be loaded",
    ),
    "an unknown argument": (put(*ARGUMENTS, "depth", 3), "no argument 'depth'"),
    "an argument of no kind": (put(*ARGUMENTS, "lam", {"a": 1}), "unknown kind"),
    "arguments as a list": (put(*ARGUMENTS[:1], "arguments", [1]), "must be named"),
    "a wrong choice": (put(*ARGUMENTS, "margin", "wide"), "margin of MIPLMA must be"),
    "a wrong range": (put(*ARGUMENTS, "lam", -1.0), "lam of MIPLMA must be"),
    "a wrong setting": (put(*TRAINING, "dtype", "int8"), "dtype of Training must be"),
    "an encoder of the user's": (
        put(*ARGUMENTS, "encoder", {"module": "x:Y"}),
        "trained with an encoder of your own, x:Y",
    ),
    "an unknown encoder": (
        put(*ARGUMENTS, "encoder", "vit"),
        "encoder of MIPLMA must be",
    ),
    "another network": (put(*ARGUMENTS, "shared_gate", True), "unknown part 'module."),
    "another width": (put(*ARGUMENTS, "width", 5), "must be float32 of shape"),
    "an absurd width": (put(*ARGUMENTS, "width", 10**13), "cannot be loaded|memory"),
    "other numbers": (put(*TRAINING, "dtype", "float64"), "must be float64 of shape"),
    "another number of features": (put("facts", "n_features", 5), "of shape"),
    "features as a text": (put("facts", "n_features", "4"), "n_features is damaged"),
    "an image's shape": (put("facts", "instance_shape", [1, 28, 28]), "of shape"),
    "too few classes": (put("facts", "classes", "values", ["a", "b"]), "of shape"),
    "a class twice": (put("facts", "classes", "values", ["a"] * 3), "class names are"),
    "classes cut off": (put("facts", "classes", "dtype", "<U1"), "class names are"),
    "classes as objects": (put("facts", "classes", "dtype", "O"), "class names are"),
    "enormous classes": (
        put("facts", "classes", "dtype", "<U500000000"),
        "class names are",
    ),
    "no type of classes": (drop("facts", "classes", "dtype"), "class names are"),
    "another calibration": (put("facts", "conformal", "wish"), "calibration is damag"),
    "candidates as labels": (put("facts", "conformal", "candidates"), "must be bool"),
    "no calibration": (put("facts", "conformal", None), "unknown part 'conformal."),
}


@pytest.mark.parametrize(("change", "told"), FORGED_FACTS.values(), ids=FORGED_FACTS)
def test_forged_facts_are_refused_in_a_sentence(saved, change, told):
    alter(saved, facts=change)
    with pytest.raises(MiplError, match=told) as caught:
        load_model(saved)
    assert len(str(caught.value)) < 600


BIAS = "module.head.classifier.bias"


def changed(name, change):
    def alter_one(arrays):
        arrays[name] = change(arrays[name])

    return alter_one


FORGED_ARRAYS = {
    "one missing": (drop(BIAS), f"its array '{BIAS}' is missing"),
    "one too many": (put("module.more", np.zeros(2)), "unknown part 'module.more'"),
    "another shape": (changed(BIAS, lambda a: a[:-1]), "must be float32 of shape"),
    "another type": (changed(BIAS, lambda a: a.astype(float)), "must be float32"),
    "integers": (changed(BIAS, lambda a: a.astype(int)), "must be float32"),
    "NaN": (changed(BIAS, lambda a: a * np.nan), "holds no finite numbers"),
    "infinity": (changed(BIAS, lambda a: a + np.inf), "holds no finite numbers"),
    "label weights cut": (changed("label_weights", lambda a: a[:, 1:]), "of shape"),
    "a label that is none": (
        changed("conformal.truth", lambda a: a + 3),
        "calibration is damaged",
    ),
    "a record": (put("record.epoch", np.arange(2)), "'record.label_weights' is mis"),
}


@pytest.mark.parametrize(("change", "told"), FORGED_ARRAYS.values(), ids=FORGED_ARRAYS)
def test_forged_arrays_are_refused_in_a_sentence(saved, change, told):
    alter(saved, arrays=change)
    with pytest.raises(BadFile, match=told):
        load_model(saved)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not valid JSON"),
        (b"\x80\x04\x95", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1, 2]", "does not describe a model of mipl"),
        (b'{"format": "mipl-model", "version": NaN}', "not valid JSON"),
        (b'{"format": "mipl-model", "version": 1}', "is damaged at"),
        (b" " * (model_file._LONGEST_JSON + 1), "bytes; at most"),
    ],
    ids=["empty", "pickle", "deep", "list", "NaN", "bare", "huge"],
)
def test_other_json_files_are_refused(saved, content, told):
    (saved / FACTS).write_bytes(content)
    with pytest.raises(BadFile, match=told):
        load_model(saved)


def test_arrays_of_another_model_are_refused(saved, tmp_path, made):
    data = made()
    other = MIPLMA(training=QUICK, random_state=9).fit(data.bags, data.candidates)
    other.save(tmp_path / "other")
    shutil.copy(tmp_path / "other" / VALUES, saved / VALUES)
    with pytest.raises(BadFile, match="differs from what was saved"):
        load_model(saved)


def test_what_is_no_model_folder_is_refused(saved, tmp_path):
    with pytest.raises(MiplError, match="does not exist"):
        load_model(tmp_path / "none")
    with pytest.raises(BadFile, match="is a file; a model is a folder"):
        load_model(saved / FACTS)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFile, match=r"is not a saved model: it holds no model\.json"):
        load_model(tmp_path / "empty")
    (saved / VALUES).unlink()
    with pytest.raises(BadFile, match=r"holds no model\.safetensors"):
        load_model(saved)


def test_the_card_is_for_people_and_loading_does_without(
    fitted, saved, made, assert_same
):
    (saved / CARD).unlink()
    assert_same(fitted, load_model(saved), made())


def test_loading_runs_no_pickle_and_no_code(saved):
    """An audit hook sees every import of a pickled name and every run of code."""
    program = f"""
import sys
import mipl
mipl.load_model({str(saved)!r})  # Imports what there is to import.
names = {{"pickle.find_class", "exec", "compile", "import", "os.system"}}
def watch(event, arguments):
    if event in names:
        raise SystemExit(f"{{event}} {{arguments}}")
sys.addaudithook(watch)
mipl.load_model({str(saved)!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_no_file_of_the_methods_can_unpickle_or_run_text():
    root = Path(find_spec("mipl.methods").origin).parent
    banned = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"}
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not banned & {alias.name for alias in node.names}, path
            if isinstance(node, ast.ImportFrom):
                assert node.module not in banned, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "torch.load", "joblib.load"), path
