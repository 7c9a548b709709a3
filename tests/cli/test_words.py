"""What commands say: commands that can be copied, options by their own names."""

import shlex

import pytest
import typer

from mipl.cli.main import app
from mipl.cli.option_names import command_of, in_options


@pytest.mark.parametrize("name", ["my runs", "it's", "a;b", "$HOME"])
def test_the_next_command_can_be_copied_whatever_the_names(
    run, trees, tmp_path, monkeypatch, name
) -> None:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / f"{name}.npz"
    ran = run("data", "import", trees, "-o", data)
    (line,) = [one for one in ran.out.splitlines() if one.startswith("next")]
    assert shlex.split(line) == ["next", "mipl", "data", "validate", str(data)]
    folder = tmp_path / name
    ran = run("fit", data, "--out", folder, "--set", "training.epochs=1")
    (line,) = [one for one in ran.out.splitlines() if one.startswith("next")]
    words = shlex.split(line)[1:]
    assert words == ["mipl", "evaluate", str(folder), str(data)]
    assert run(*words[1:]).code == 0


@pytest.mark.parametrize(
    ("words", "sentence", "expected"),
    [
        (["data", "import"], "name it with bag_id=, its", "name it with --bag-id, its"),
        (["data", "import"], "labels= or annotations=.", "--labels or --annotations."),
        (["data", "import"], "named by target=, or target=x", None),
        (["data", "convert"], "name it with bag_id=.", "name it with --set bag_id=."),
        (["data", "convert"], "write dtype='float32'.", "write --write dtype=float32."),
        (["predict"], "by on_bad='skip' (--skip-bad).", "by --skip-bad."),
        (["fit"], "lower training__lr or", "lower training.lr or"),
        (["fit"], "--set must be NAME=VALUE; got 'x'", None),
        (["fit"], "give --set reduction=mean.", None),
        (["data", "list"], "name it with bag_id=", None),
        (["fit"], "file a=b=c, label= c", "file a=b=c, --set options.label= c"),
        (["tune"], "name it with bag_id=.", "name it with --set options.bag_id=."),
        (["evaluate"], "by on_bad='skip' (--skip-bad).", "by --set on_bad=skip."),
        (["fit"], "by on_bad='skip' (--skip-bad).", "by --set options.on_bad=skip."),
        (["fit"], "fold must be 0 to 9; got 12.", "--split must be 0 to 9; got 12."),
        (["fit"], "lr of Training must be > 0.", "training.lr must be > 0."),
        (["fit"], "calibrate of a run must be x", "--calibrate must be x"),
        (["fit"], "data_seed= goes with a", "--data-seed goes with a"),
        (["data", "describe"], "data_seed= goes with a", "--seed goes with a"),
        (
            ["data", "import"],
            "unknown option 'slides'; did you mean 'splits'? Known: labels, index.",
            "--slides is of no use for such data; known: --labels, --set index=.",
        ),
        (["fit"], "unknown option 'slides'; Known: labels.", None),
    ],
)
def test_arguments_of_python_become_options(words, sentence, expected) -> None:
    command = command_of(typer.main.get_command(app), words)
    if expected is None and "target=," in sentence:
        expected = "named by --set target=, or --set target=x"
    assert in_options(sentence, command) == (expected or sentence)


def test_a_remedy_is_one_that_works(run, trees, tmp_path) -> None:
    text = trees.read_text().replace("bag_id", "tree").replace("p,1,2", "p,,2")
    (tmp_path / "odd.csv").write_text(text)
    folder, quick = tmp_path / "run", ("--set", "training.epochs=1")
    told = run("fit", tmp_path / "odd.csv", "--out", folder, *quick)
    assert told.code == 2 and "--set options.bag_id=" in told.err
    more = ("--set", "options.bag_id=tree")
    told = run("fit", tmp_path / "odd.csv", "--out", folder, *quick, *more)
    assert told.code == 2 and "leave it out by --set options.on_bad=skip." in told.err
    more = (*more, "--set", "options.on_bad=skip")
    told = run("fit", tmp_path / "odd.csv", "--out", folder, *quick, *more)
    assert told.code == 0 and "warning: 1 left out:\n" in told.err
    assert "UserWarning" not in told.err and "BagsLeftOut" not in told.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--set", "group=b", "--set", "group=c"), "--set group is given twice"),
        (("--group", "b", "--set", "group=c"), "--group is given twice, as --set gr"),
        (("--write", "dtype=float16", "--write", "dtype=float32"), "--write dtype is"),
        (("--slides", "x.csv"), "--slides is of no use for such data; known: --anno"),
        (("--set", "features=height"), "features must be a list of columns"),
        (("--set", "no_such=1"), "unknown option 'no_such'"),
        (("--group", "hight"), "unknown column 'hight'; did you mean 'height'? Known"),
    ],
)
def test_options_twice_and_useless_ones_are_refused(
    run, trees, tmp_path, words, says
) -> None:
    ran = run("data", "import", trees, "-o", tmp_path / "x.bags.h5", *words)
    assert ran.code == 2 and says in ran.err.replace("\n", " ")
    assert not (tmp_path / "x.bags.h5").exists()


def test_settings_are_given_once(run, trees, tmp_path) -> None:
    twice = ("--set", "training.epochs=1", "--set", "training.epochs=2")
    ran = run("fit", trees, "--out", tmp_path / "run", *twice)
    assert ran.code == 2 and "--set training.epochs is given twice" in ran.err
    assert not (tmp_path / "run").exists()


def test_what_to_cite_is_asked_of_one_method(run) -> None:
    ran = run("methods", "miplma", "--cite", "proden")
    assert ran.code == 2 and "exclude each other" in ran.err and ran.out == ""


def test_a_mistake_names_options_of_its_command(run, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("name,f\np,1\nq,2\n")
    ran = run("data", "import", tmp_path / "t.csv", "-o", tmp_path / "x.npz")
    assert ran.code == 2 and "name it with --bag-id" in ran.err
    assert "bag_id=" not in ran.err
    ran = run("data", "describe", tmp_path / "t.csv")
    assert ran.code == 2 and "name it with --set bag_id=" in ran.err
