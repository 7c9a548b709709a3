"""``mipl reproduce``: what is asked for is computed once, built and written."""

import pytest

from mipl.paper import index
from mipl.paper.artefact import Product
from mipl.paper.sheet import Sheet
from mipl.runs.run import Run
from mipl.runs.store import Store


class Small:
    """A table of two runs that take no time."""

    name, title = "small", "A small table"

    def plan(self, selection):
        few = {"training__epochs": selection.epochs or 2}
        splits = selection.keep("splits", [0, 1])
        methods = selection.keep("methods", ["miplma"])
        return [Run(m, "synthetic", few, split=s) for m in methods for s in splits]

    def build(self, store, selection):
        runs = self.plan(selection)
        found = store.answers(runs)
        rows = tuple((str(r.split), str(found[r].accuracy)) for r in runs if r in found)
        sheet = Sheet(self.title, ("split", "accuracy"), rows)
        missing = len(runs) - len(found)
        return Product(self.name, self.title, (sheet,), (), len(runs), missing)


@pytest.fixture
def reproduce(run, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "ARTEFACTS", {"small": Small()})

    def reproduce(*arguments):
        store = ("--store", tmp_path / "results.db", "--workers", 1)
        return run("reproduce", *arguments, *store)

    return reproduce


def test_what_is_missing_is_computed_and_shown(reproduce, tmp_path):
    told = reproduce("small", "--dry-run", "--json").json
    assert told["to_compute"] == 2 and told["artefacts"] == {"small": 2}
    ran = reproduce("small", "--known")
    assert ran.code == 2 and "results.db does not exist" in ran.err
    assert list(tmp_path.iterdir()) == []
    Store(tmp_path / "results.db", create=True)
    ran = reproduce("small", "--known")
    assert ran.code == 0 and "2 of 2 runs are missing" in ran.out
    ran = reproduce("small")
    assert ran.code == 0 and "2 finished" in ran.out
    accuracy = Store(tmp_path / "results.db").results()[0].accuracy
    assert str(accuracy) in ran.out
    told = reproduce("all", "--json").json
    assert told["known"] == 2 and told["artefacts"][0]["missing"] == 0
    assert told["artefacts"][0]["command"] == "mipl reproduce small"
    assert told["artefacts"][0]["without_curves"] == 0
    assert told["artefacts"][0]["sheets"][0]["rows"][0]["accuracy"] == str(accuracy)


def test_the_command_on_a_page_makes_that_page_again(reproduce, tmp_path):
    chosen = ("--splits", "1", "--epochs", 3, "--unpaired", "--method", "miplma")
    page = ("--format", "markdown", "--out", tmp_path)
    assert reproduce("small", *chosen, *page).code == 0
    first = (tmp_path / "small.md").read_text()
    [command] = [line for line in first.splitlines() if "mipl reproduce" in line]
    words = command.split()[2:]
    assert words[0] == "small" and "--epochs 3" in command
    assert reproduce(*words, "--known", *page).code == 0
    assert (tmp_path / "small.md").read_text() == first
    assert "1 of" not in first  # Nothing is missing of what the command asks for.


def test_what_cannot_be_is_told_before_anything_is_computed(reproduce, tmp_path):
    taken = tmp_path / "page"
    taken.write_text("a file")
    ran = reproduce("small", "--format", "csv", "--out", taken)
    assert ran.code == 2 and f"cannot make the folder {taken}" in ran.err
    ran = reproduce("small", "--backend", "dask")
    assert ran.code == 2 and "--backend dask and --address go together" in ran.err
    assert list(tmp_path.iterdir()) == [taken]


def test_a_selection_cuts_the_plan(reproduce):
    told = reproduce("small", "--splits", 1, "--epochs", 1, "--dry-run", "--json").json
    assert told["runs"] == 1
    for option in (("--method", "demipl"), ("--splits", 7)):
        ran = reproduce("small", *option)
        assert ran.code == 2 and "nothing of small is selected" in ran.err


def test_a_table_without_runs_takes_a_selection(run, tmp_path):
    store = ("--store", tmp_path / "results.db")
    ran = run("reproduce", "table1", "--data", "sival-mipl", "--dry-run", *store)
    assert ran.code == 0 and ran.err == ""


@pytest.mark.parametrize("format, suffix", [("csv", "csv"), ("markdown", "md")])
def test_formats_are_written_to_files(format, suffix, reproduce, tmp_path):
    ran = reproduce("small", "--splits", 0, "--format", format, "-o", tmp_path / "new")
    file = tmp_path / "new" / f"small.{suffix}"
    assert ran.code == 0 and str(file) in ran.out
    (result,) = Store(tmp_path / "results.db").results()
    assert str(result.accuracy) in file.read_text()


def test_names_are_listed(run):
    titles = run("reproduce", "list", "--json").json
    assert {"table2", "tableA4", "fig1", "figA4", "claims"} <= set(titles)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("table9",), "unknown table or figure 'table9'"),
        (("table2", "--method", "miplam"), "did you mean 'miplma'?"),
        (("table2", "--data", "sival"), "unknown data set 'sival'"),
        (("table2", "--preset", "our"), "did you mean 'ours'?"),
        (("table2", "--format", "word"), "unknown format 'word'"),
        (("table2", "--r", "one"), "--r takes numbers and ranges"),
    ],
)
def test_wrong_input_is_told_before_anything_is_computed(
    arguments, sentence, run, tmp_path
):
    ran = run("reproduce", *arguments, "--store", tmp_path / "results.db")
    assert ran.code == 2 and sentence in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--method", "demipl"), "nothing of small is selected by --method demipl"),
        (("--method", "miplma,demipl"), "or compare it by mipl runs compute --method"),
        (
            ("--splits", "0", "--splits", "7"),
            "nothing of small is selected by --splits 7",
        ),
    ],
)
def test_what_no_table_shows_is_refused_and_not_dropped(reproduce, given, says):
    ran = reproduce("small", *given, "--dry-run")
    assert ran.code == 2 and says in ran.err


def test_splits_are_taken_repeated_and_with_commas(reproduce):
    for given in (("--splits", "0,1"), ("--splits", 0, "--splits", 1)):
        told = reproduce("small", *given, "--dry-run", "--json").json
        assert told["to_compute"] == 2
