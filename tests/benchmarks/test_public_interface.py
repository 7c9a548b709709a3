"""Benchmarks measure what users have: they import the public modules and no others."""

import ast
from pathlib import Path

import pytest

import benchmarks

FILES = sorted(Path(benchmarks.__file__).parent.glob("*.py"))
PUBLIC = {"mipl", "mipl.audio", "mipl.images", "mipl.text", "mipl.cli.main"}
# A network with random values, whose architecture has no public name; a drawing.
BESIDE = {
    "compiled_step.py": {"mipl.nn.segments"},
    "deep_features.py": {"mipl.nn.resnet", "mipl.nn.initialisation"},
    "growth.py": {"mipl.reports.plots"},
}


def imported(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_public_modules_are_imported(file):
    ours = {name for name in imported(file) if name.split(".")[0] in ("mipl", "tools")}
    assert ours - BESIDE.get(file.name, set()) <= PUBLIC


def test_whoever_is_let_through_still_needs_it():
    for name, modules in BESIDE.items():
        [file] = [file for file in FILES if file.name == name]
        assert modules <= set(imported(file))
