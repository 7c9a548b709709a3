"""``mipl runs table`` and ``plot``: files and screens of one's own results."""

import pytest

from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    for place, method in enumerate(("miplma", "demipl", "mine")):
        for split in range(3):
            run = Run(method, "digits-mipl", split=split)
            value = 0.9 - 0.1 * place + 0.01 * split
            store.record(Result(run, "finished", value, 1.0))
    return ("--store", store.path)


def test_a_table_on_the_screen_in_a_file_and_as_json(store, run, tmp_path):
    ran = run("runs", "table", *store, "--test", "miplma")
    assert ran.code == 0 and "MIPLMA" in ran.out and "Holm" in ran.out, ran.err
    told = run(
        "runs", "table", *store, "--rows", "method", "--columns", "data", "--json"
    )
    assert len(told.json["rows"]) == 3 and told.json["missing"] == 0
    out = tmp_path / "table.tex"
    ran = run("runs", "table", *store, "--test", "miplma", "--out", out)
    assert ran.code == 0 and str(out) in ran.out.replace("\n", "")
    assert r"\begin{tabular}{@{}lcc@{}}" in out.read_text()
    ran = run("runs", "table", *store, "--format", "latex", "--title", "mine=Own_1")
    assert r"Own\_1" in ran.out and ran.out.startswith("% In the preamble")
    ran = run("runs", "table", *store, "--test", "miplma", "--correction", "none")
    assert "not corrected" in ran.out


def test_a_picture(store, run, tmp_path):
    out = tmp_path / "bars.pdf"
    assert run("runs", "plot", "bars", *store, "--out", out).code == 0
    assert out.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("table", "--format", "docx"), "unknown format of a table 'docx'"),
        (("table", "--out", "x.doc"), "a table must end in .txt"),
        (("table", "--title", "mine"), "--title must be ID=TEXT"),
        (("table", "--test", "cdl"), "holds no finished run of what is selected"),
        (("table", "--data", "nowhere"), "holds no finished run of what is selected"),
        (("plot", "pie", "--out", "x.png"), "unknown kind of plot 'pie'"),
        (("plot", "bars", "--out", "x.gif"), "a picture must end in .png, .svg, .pdf"),
        (("plot", "curves", "--out", "x.png"), "came from a CSV table have none"),
    ],
)
def test_mistakes_are_sentences(store, run, words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("runs", *words, *store)
    assert ran.code == 2 and sentence in ran.err, ran.err
    assert "Traceback" not in ran.err and not list(tmp_path.glob("x.*"))
