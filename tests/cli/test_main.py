"""Exit codes, sentences and suggestions that all commands share."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from rich.markup import render
from typer.main import get_command

import mipl
from mipl.cli.main import app
from mipl.cli.verb import Verb


def test_version(run) -> None:
    assert run("--version") == type(run("--version"))(
        0, f"mipl {mipl.__version__}\n", ""
    )


@pytest.mark.parametrize("arguments", [(), ("data",)])
def test_without_a_verb_there_is_help(run, arguments) -> None:
    ran = run(*arguments)
    assert "Usage: mipl" in ran.out + ran.err


def helps(command):
    """Give all texts that help shows of a command and of those below it."""
    yield command.help or ""
    yield from (getattr(one, "help", None) or "" for one in command.params)
    for below in getattr(command, "commands", {}).values():
        yield from helps(below)


def test_no_help_loses_words_in_brackets_to_markup() -> None:
    texts = list(helps(get_command(app)))
    assert len(texts) > 100
    assert [text for text in texts if render(text).plain != text] == []


@pytest.mark.parametrize(
    ("arguments", "guess"),
    [
        (("dta", "list"), "Did you mean 'data'?"),
        (("data", "descibe", "x"), "Did you mean 'describe'?"),
        (("data", "describe", "synthetic", "--sede", "1"), "--seed"),
        (("data", "describe"), "Missing argument"),
        (
            ("data", "describe", "synthetic", "--r", "many"),
            "unable to parse string as an integer",
        ),
        (("data", "describe", "synthetic", "--r", "-1"), "greater than or equal"),
    ],
)
def test_mistyped_commands_get_a_suggestion_and_exit_2(run, arguments, guess) -> None:
    ran = run(*arguments)
    assert ran.code == 2 and ran.out == ""
    assert guess in " ".join(ran.err.replace("│", "").split())


def test_a_mistake_is_one_sentence_on_stderr(run) -> None:
    ran = run("data", "describe", "mnst-mipl")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "error: unknown data set 'mnst-mipl'; did you mean 'mnist"
    )
    assert ran.err.count("\n") == 1


def test_names_from_outside_cannot_steer_the_terminal(run) -> None:
    ran = run("data", "describe", "\x1b[31mred\x1b]0;title\x07[bold]x[/bold]")
    assert "\x1b[31mred" not in ran.err and "\x07" not in ran.err
    assert "[bold]x[/bold]" in ran.err


def test_every_verb_has_json(run) -> None:
    for verb in ("list", "describe", "validate", "build", "fetch", "import", "convert"):
        assert "--json" in run("data", verb, "--help").out


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupt_exits_130_without_a_traceback() -> None:
    program = (
        "import sys, time; from mipl.cli import main, data_look\n"
        "import mipl.data.describe as d\n"
        "def wait(data): print('ready', flush=True); time.sleep(60)\n"
        "d.describe = wait\n"
        "main.main(['data', 'describe', 'digits-mipl'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=-1, stderr=-1, text=True
    ) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "Traceback" not in err


def verbs(command):
    below = getattr(command, "commands", {})
    if not below:
        yield command
    for one in below.values():
        yield from verbs(one)


def test_every_verb_refuses_what_it_would_lose() -> None:
    assert len(list(verbs(get_command(app)))) > 15
    assert all(isinstance(verb, Verb) for verb in verbs(get_command(app)))


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "describe", "synthetic", "--r", "1", "--r", "3"),
        ("fit", "synthetic", "--out", "x", "--method", "miplma", "--method", "demipl"),
        ("evaluate", "x", "synthetic", "--split", "0", "--split", "1"),
    ],
)
def test_an_option_of_one_value_is_refused_twice(run, arguments) -> None:
    ran = run(*arguments)
    assert ran.code == 2 and ran.out == ""
    assert "takes one value and is given 2 times; give it once" in ran.err


def test_flags_and_lists_may_be_repeated(run) -> None:
    ran = run("data", "describe", "synthetic", "--json", "--json")
    assert ran.code == 0 and ran.json["name"] == "synthetic"


def test_packages_are_attributes_of_mipl_before_anything_is_imported() -> None:
    code = "import mipl; print(mipl.selection.SCORES and mipl.io.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "mipl.io\n")


def test_one_of_a_kind_is_singular(run, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("bag_id,f,candidates\np,1,a\n")
    ran = run("data", "convert", tmp_path / "t.csv", tmp_path / "t.bags.h5")
    assert "1 bag, 1 instance x 1 feature, 1 class: a" in ran.out
    assert repr(mipl.read_bags(tmp_path / "t.csv")).startswith(
        "Bags(1 bag, 1 instance x 1 feature"
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_terminal_shows_what_it_can(tmp_path, encoding) -> None:
    (tmp_path / "t.csv").write_text(
        "bag_id,f,candidates\np,1,Ähre|麦\nq,2,麦\n", "utf-8"
    )
    mipl_at = [sys.executable, "-m", "mipl.cli.main", "data"]
    for verb, *more in (["describe"], ["validate"], ["describe", "--json"]):
        done = subprocess.run(
            [*mipl_at, verb, tmp_path / "t.csv", *more],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )
        assert (done.returncode, done.stderr) == (0, b"")
        text = done.stdout.decode(encoding)
        if more:  # Nothing is lost to programs.
            assert json.loads(text)["classes"] == ["Ähre", "麦"]
        elif verb == "describe":
            assert ("█" if encoding == "utf-8" else "###") in text
