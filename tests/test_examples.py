"""Every example runs as a user would run it, and ends where it should."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
ENDS = {
    "01_first_fit": lambda out: _number(r"other bags: ([\d.]+)", out) > 0.7,
    "02_own_bags": lambda out: "the saved model says the same: True" in out,
    "03_choose_without_labels": lambda out: _number(r"other bags: ([\d.]+)", out) > 0.5,
    "04_explain_and_calibrate": lambda out: _number(r"AUROC ([\d.]+)", out) > 0.7,
    "05_pictures_to_bags": lambda out: _number(r"disc in ([\d.]+)%", out) > 80,
    "06_many_runs": lambda out: "known 4, computed now 2" in out and "3 splits" in out,
}


def test_every_example_is_checked() -> None:
    assert [path.stem for path in EXAMPLES] == list(ENDS)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
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


def _number(pattern: str, text: str) -> float:
    [found] = re.findall(pattern, text)
    return float(found)
