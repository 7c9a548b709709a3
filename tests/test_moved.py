"""Import paths that the documentation of version 0.1.0 gave."""

import subprocess
import sys

import pytest

OLD = {
    "mipl.data.generators": "fixed_r",
    "mipl.disambiguation": "momentum_update",
    "mipl.experiments.comparison": "compare",
    "mipl.experiments.entrants": "ELIMIPL",
    "mipl.experiments.paper": "highest",
    "mipl.experiments.plan": "Run",
    "mipl.experiments.runner": "run_plan",
    "mipl.experiments.score_table": "ScoreTable",
    "mipl.experiments.sources": "BIRDSONG",
    "mipl.experiments.store": "Store",
    "mipl.formats": "read_dataset",
    "mipl.images.catalog": "image_bags",
    "mipl.losses": "margin_distribution_loss",
    "mipl.methods.one_vs_rest": "OneVsRest",
    "mipl.methods.registry": "published",
    "mipl.methods.row": "Row",
}


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_old_paths_give_the_same_things_and_say_where_they_are_now():
    """Each in one process, as every module warns once."""
    imports = "\n".join(f"from {path} import {name}" for path, name in OLD.items())
    program = (
        f"{imports}\nimport mipl\n"
        "assert Run is mipl.runs.run.Run and OneVsRest is mipl.OneVsRest\n"
        "assert read_dataset is mipl.read_dataset and ELIMIPL.method == 'elimipl'\n"
    )
    done = python(program, "-W", "always::DeprecationWarning")
    assert done.returncode == 0, done.stderr
    for line, path in enumerate(OLD, 1):
        (said,) = (one for one in done.stderr.splitlines() if f" {path} has " in one)
        assert said.startswith(f"<string>:{line}: DeprecationWarning: "), said
        assert "has moved to mipl." in said


@pytest.mark.parametrize("path", ["mipl.experiments.nowhere", "mipl.nowhere"])
def test_a_path_that_never_was_is_told_as_ever(path):
    done = python(f"import {path}", "-W", "ignore")
    assert done.returncode == 1
    assert f"ModuleNotFoundError: No module named '{path}'" in done.stderr


def test_nobody_pays_for_it_who_uses_no_old_path():
    program = "import sys, mipl; mipl.MIPLMA; assert 'mipl.moved' not in sys.modules"
    assert python(program).returncode == 0
