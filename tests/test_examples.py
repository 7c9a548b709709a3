"""Every example runs as a user would run it, and ends where it should."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mipl import MIPLMA, Training, export_onnx, load_dataset, write_dataset

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
ENDS = {
    "01_first_fit": lambda out: _number(r"other bags: ([\d.]+)", out) > 0.7,
    "02_own_bags": lambda out: "the saved model says the same: True" in out,
    "03_choose_without_labels": lambda out: _number(r"other bags: ([\d.]+)", out) > 0.5,
    "04_explain_and_calibrate": lambda out: _number(r"AUROC ([\d.]+)", out) > 0.7,
    "05_pictures_to_bags": lambda out: _number(r"disc in ([\d.]+)%", out) > 80,
    "06_many_runs": lambda out: "known 4, computed now 2" in out and "3 splits" in out,
    "08_text_to_bags": lambda out: _number(r"accuracy ([\d.]+)", out) > 0.8,
}
ALONE = "07_onnx_alone"  # It is given a model, and has a test of its own.
OTHERS = [path for path in EXAMPLES if path.stem != ALONE]


def test_every_example_is_checked() -> None:
    assert [path.stem for path in EXAMPLES] == sorted([*ENDS, ALONE])


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", path],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ENDS[path.stem](done.stdout), done.stdout
    assert not list(tmp_path.iterdir())  # An example leaves nothing behind.


def test_the_example_without_this_library(tmp_path: Path) -> None:
    """It predicts where neither torch nor mipl can be imported."""
    train, test = load_dataset("synthetic", r=1).split(0)
    model = MIPLMA(training=Training(epochs=10), random_state=0)
    model.fit(train.bags, train.candidates).calibrate(test.bags, labels=test.labels)
    export_onnx(model, tmp_path / "model.onnx")
    write_dataset(test, tmp_path / "new.npz")
    (tmp_path / "empty").mkdir()
    (example,) = (path for path in EXAMPLES if path.stem == ALONE)
    assert len(example.read_text().split("import onnxruntime")[1].splitlines()) <= 30
    alone = (
        "import runpy, sys\n"
        "for name in ('torch', 'mipl', 'sklearn', 'scipy'): sys.modules[name] = None\n"
        f"sys.argv = ['x', '../model.onnx', '../new.npz']\n"
        f"runpy.run_path({str(example)!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", alone],
        cwd=tmp_path / "empty",
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    size = model.predict_set(test.bags, 0.1).sum(axis=1).mean()
    assert first == f"MIPLMA: {size:.2f} classes in a set"
    p, a = model.predict_proba(test.bags), model.attend(test.bags)
    for i, line in enumerate(lines):
        own = a[test.bags.offsets[i] : test.bags.offsets[i + 1]]
        name, top = model.classes_[p[i].argmax()], p[i].max()
        assert line == f"{i} {name} {top:.4f} by instance {np.argmax(own)}"
    assert len(lines) == 3


def _number(pattern: str, text: str) -> float:
    [found] = re.findall(pattern, text)
    return float(found)
