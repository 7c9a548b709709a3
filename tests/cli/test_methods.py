"""``mipl methods``: the list, the arguments, the citation; and what help loads."""

import subprocess
import sys

import pytest

import mipl
from mipl.methods.catalogue.registry import methods


def test_the_list_names_every_method(run) -> None:
    ran = run("methods")
    assert ran.code == 0
    for row in methods():
        assert row.id in ran.out


def test_one_method_shows_arguments_and_defaults(run) -> None:
    ran = run("methods", "miplma-released")
    lines = [line.split() for line in ran.out.splitlines()]
    defaults = [line[:2] for line in lines]
    assert ["training.batch_size", "1"] in defaults
    assert ["margin", "bag"] in defaults
    assert ["lam", str(mipl.MIPLMA().lam)] in defaults
    told = " ".join(" ".join(line) for line in lines)
    assert "number >= 0" in told and "lambda" in told


def test_published_settings_are_told_apart_from_ours_with_their_source(run) -> None:
    """Of Birdsong-MIPL the authors of DEMIPL printed a grid: the points are ours."""
    told = run("methods", "demipl").out.split("published for ")[1:]
    (birdsong,) = (" ".join(t.split()) for t in told if t.startswith("birdsong"))
    heading, rest = birdsong.split(" authors ")
    authors, rest = rest.split(" source ")
    source, ours = rest.split(" ours ")
    assert heading == "birdsong-mipl, r = 1, 2, 3"
    assert authors.startswith("preset paper, ") and "training.epochs=100" in authors
    assert source == "paper, sections 3 and 4.1"
    assert "training.lr" not in authors and ours.startswith("training.lr=0.01, lam=")
    assert "chosen as of the paper's grid" in ours
    mnist = [" ".join(t.split()) for t in told if t.startswith("mnist")]
    assert [t.split(" authors ")[0] for t in mnist] == [
        "mnist-mipl, r = 1, 2",
        "mnist-mipl, r = 3",
    ]
    assert not any(" ours " in t for t in mnist)


def test_json_holds_published_settings_with_their_source(run) -> None:
    rows = run("methods", "fastmipl", "--json").json["published"]
    (found,) = (one for one in rows if (one["data"], one["r"]) == ("sival-mipl", 2))
    assert found["settings"]["width"] == [512, 1024, 256]
    assert found["source"] == "the authors' program"
    assert found["gaps"] == list(found["chosen"]) == ["scaling"]


def test_json_holds_arguments_of_all_methods(run) -> None:
    told = {one["id"]: one for one in run("methods", "--json").json}
    assert set(told) == {row.id for row in methods()}
    paper = mipl.MIPLMA.paper().get_params()
    for name, value in told["miplma-paper"]["arguments"].items():
        assert value == (
            list(paper[name]) if name.endswith("record_bags") else paper[name]
        )
    assert run("methods", "miplma", "--json").json == told["miplma"]


def test_json_is_a_schema_of_which_a_form_can_be_made(run) -> None:
    schema = run("methods", "proden", "--json").json["schema"]
    assert schema["type"] == "object" and schema["title"] == "PRODEN"
    found = schema["properties"]
    assert found["backbone"] == {
        "description": found["backbone"]["description"],
        "enum": ["linear", "mlp"],
        "default": "linear",
    }
    assert found["training__clip"]["type"] == ["number", "null"]
    assert (found["training__clip"]["exclusiveMinimum"], found["width"]["default"]) == (
        0,
        [300, 301, 302, 303],
    )
    assert all(one["description"] for one in found.values())


def test_cite_prints_bibtex(run) -> None:
    ran = run("methods", "--cite", "miplma-woma")
    assert ran.out.startswith("@inproceedings{") and ran.out.endswith("}\n")
    assert "Margin Adjustment" in ran.out
    assert run("methods", "--cite", "miplma", "--json").json["bibtex"] + "\n" == ran.out


def test_unknown_methods_get_a_guess(run) -> None:
    for arguments in (("miplam",), ("--cite", "miplam")):
        ran = run("methods", *arguments)
        assert ran.code == 2 and "did you mean 'miplma'?" in ran.err


@pytest.mark.parametrize(
    "verb", ["fit", "predict", "evaluate", "explain", "methods", "demo"]
)
def test_help_has_json_and_loads_nothing_heavy(verb) -> None:
    program = (
        "import sys\nfrom mipl.cli.main import main\n"
        f"try: main([{verb!r}, '--help'])\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'torch', 'numpy', 'sklearn', 'matplotlib'}\n"
        "print('loaded', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "--json" in done.stdout and "loaded []" in done.stdout
