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
        (["fit"], "the file a=b=c, label= c", "the file a=b=c, --set label= c"),
    ],
)
def test_arguments_of_python_become_options(words, sentence, expected) -> None:
    command = command_of(typer.main.get_command(app), words)
    if expected is None and "target=," in sentence:
        expected = "named by --set target=, or --set target=x"
    assert in_options(sentence, command) == (expected or sentence)


def test_a_mistake_names_options_of_its_command(run, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("name,f\np,1\nq,2\n")
    ran = run("data", "import", tmp_path / "t.csv", "-o", tmp_path / "x.npz")
    assert ran.code == 2 and "name it with --bag-id" in ran.err
    assert "bag_id=" not in ran.err
    ran = run("data", "describe", tmp_path / "t.csv")
    assert ran.code == 2 and "name it with --set bag_id=" in ran.err
