"""The page on methods of one's own: its files, programs and commands work."""

import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

from mipl.cli.main import main

PAGE = (Path(__file__).parents[1] / "docs/own_method.md").read_text()
BLOCKS = re.findall(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```", PAGE, re.DOTALL | re.M)


@pytest.fixture
def folder(tmp_path, monkeypatch, own_methods_forgotten):
    """An empty folder, in which Python finds what is written there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def test_the_page_has_files_programs_and_commands():
    assert [kind for kind, *_ in BLOCKS].count("sh") >= 1
    assert "my_method.py" in {file for _, file, _ in BLOCKS}


def write_files(folder: Path) -> None:
    for _, file, text in BLOCKS:
        if file:
            (folder / file).write_text(text)


@pytest.mark.parametrize(
    "text", [text for kind, file, text in BLOCKS if kind == "python" and not file]
)
def test_its_programs_run(folder, text):
    write_files(folder)
    (folder / "program.py").write_text(text)
    runpy.run_path("program.py")


@pytest.mark.parametrize("text", [text for kind, _, text in BLOCKS if kind == "sh"])
def test_its_commands_run(folder, text, capsys):
    write_files(folder)
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        with pytest.raises(SystemExit) as end:
            main(words[1:])
        assert end.value.code == 0, (line, capsys.readouterr().err)
    printed = capsys.readouterr().out
    assert "careful" in printed
