"""Tables and pictures of results that show themselves, in every format."""

import csv
import re
import shutil
import subprocess

import pytest

import mipl
from mipl.errors import MiplError
from mipl.paper.panels import ConfusionPanel, ReliabilityPanel
from mipl.reports.result_views import WRITERS
from mipl.runs.result import Predictions, Result
from mipl.runs.run import Run
from mipl.runs.store import Store

NASTY = "a_b & <b>50 %</b> \u202e$x$"


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    for place, method in enumerate(("miplma", "demipl", "elimipl")):
        for data in ("digits-mipl", "synthetic"):
            for split in range(3):
                run = Run(method, data, split=split)
                curves = {"loss": [1.0, 0.5 - 0.1 * split]}
                said = Predictions(
                    (0, 1, 2, 3), (*"abab",), (*"abbb",), (1, 0.9, 0.55, 0.5)
                )
                value = 0.9 - 0.1 * place + 0.01 * split
                store.record(Result(run, "finished", value, 1.0), curves, said)
    return store


def test_five_lines_of_python(store, tmp_path):
    table = mipl.results_table(store.path, test="miplma")
    table.save(tmp_path / "table.tex")
    text = (tmp_path / "table.tex").read_text()
    for word in (r"\usepackage{booktabs}", r"\toprule", r"\textbf{.910", r"$\bullet$"):
        assert word in text, word
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert r"\begin{table}" not in text and "documentclass" not in text
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len({line.count("&") for line in lines}) == 1  # As many cells in each row.
    assert "t-test" in text and "splits 0-2" in text


def test_columns_of_two_axes_have_two_lines_of_heads(store):
    for split in range(3):
        run = Run("miplma", "digits-mipl", r=2, split=split)
        store.record(Result(run, "finished", 0.5, 1.0))
    text = mipl.results_table(store, data="digits-mipl").text("latex")
    assert r"\multicolumn{2}{c}{Digits-MIPL}" in text
    assert r"\cmidrule(lr){2-3}" in text and "method & r = 1 & r = 2" in text


def width(line):
    """Return how many columns a line of a tabular fills."""
    cells = re.split(r"(?<!\\)&", line)
    spans = (re.search(r"\\multicolumn\{(\d+)\}", cell) for cell in cells)
    return sum(1 if span is None else int(span[1]) for span in spans)


LETTERS = "Größe & “50 %” _a_ {x} #1 ~ ^ \\back ï Ł ç λ ≤ τ² 中"


def fragment(store):
    for split in range(3):
        run = Run("miplma", "digits-mipl", r=2, split=split)
        store.record(Result(run, "finished", 0.5, 1.0))
    titles = {"miplma": LETTERS, "demipl": NASTY}
    return mipl.results_table(store, test="miplma", titles=titles).text("latex")


def test_each_line_of_a_tabular_fills_its_columns(store):
    text = fragment(store)
    (columns,) = re.findall(r"\\begin\{tabular\}\{@\{\}(\w+)@\{\}\}", text)
    inside = text.partition(r"\begin{tabular}")[2].partition(r"\end{tabular}")[0]
    lines = [line for line in inside.splitlines() if line.endswith(r"\\")]
    assert len(lines) == 5 and {width(line) for line in lines} == {len(columns)}
    assert text.isascii()


@pytest.mark.slow
def test_a_fragment_compiles_where_it_is_put_in(store, tmp_path, program):
    tectonic = shutil.which("tectonic")
    compiler = tectonic or program("pdflatex")
    (tmp_path / "table.tex").write_text(fragment(store))
    (tmp_path / "all.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        r"\begin{table}\input{table.tex}\caption{A}\end{table}\end{document}"
    )
    quiet = [] if tectonic else ["-interaction=nonstopmode", "-halt-on-error"]
    command = [compiler, *quiet, "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert b"Missing character" not in done.stdout


@pytest.mark.parametrize("format", WRITERS)
def test_every_format_tells_figures_and_escapes_names(store, format):
    table = mipl.results_table(store, titles={"demipl": NASTY}, test="miplma")
    text = table.text(format)
    assert (".910" in text or "0.91" in text) and text.endswith("\n")
    assert "\u202e" not in text or format == "csv"
    if format in ("html", "markdown", "latex"):
        assert "<b>50" not in text


def test_csv_is_a_row_per_score(store):
    text = mipl.results_table(store, test="miplma").text("csv")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 6
    assert {row["data"] for row in rows} == {"digits-mipl", "synthetic {}"}


def test_a_notebook_shows_a_table_and_no_markup_of_names(store):
    html = mipl.results_table(store, titles={"miplma": NASTY})._repr_html_()
    assert "<table>" in html and "&lt;b&gt;50 %&lt;/b&gt;" in html
    assert "\u202e" not in html
    assert not re.search(r"(src|href)=|@import|<script", html)


@pytest.mark.parametrize("name", ["table.docx", "table"])
def test_a_file_of_no_known_kind_is_refused(store, tmp_path, name):
    with pytest.raises(MiplError, match=r"a table must end in .*\.tex"):
        mipl.results_table(store).save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    "kind", ["bars", "curves", "ranks", "reliability", "confusion"]
)
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures_are_written(store, tmp_path, kind, suffix):
    path = tmp_path / f"{kind}.{suffix}"
    mipl.results_plot(store, kind, titles={"miplma": NASTY}).save(path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    content = path.read_bytes()
    assert content.startswith(start) and "\u202e".encode() not in content


def test_a_sweep_follows_an_argument(store):
    for split in range(3):
        run = Run("miplma", "digits-mipl", {"training__lr": 0.01}, split=split)
        store.record(Result(run, "finished", 0.4, 1.0))
    given = {"methods": "miplma", "data": "digits-mipl"}
    plot = mipl.results_plot(store, "sweep", "training.lr", **given)
    (panel,) = plot.picture.panels
    assert panel.values == (0.01, 0.1)  # What was given, and the default.
    assert [round(p.mean, 2) for p in panel.series[0][1]] == [0.4, 0.91]
    assert plot._repr_svg_().startswith("<svg")
    with pytest.raises(MiplError, match="fewer than two numbers for lam"):
        mipl.results_plot(store, "sweep", "lam", methods="demipl")


def test_reliability_and_confusion_count_the_test_bags_of_all_splits(store):
    given = {"methods": "miplma", "data": "digits-mipl"}
    (one,) = mipl.results_plot(store, "confusion", **given).picture.panels
    assert isinstance(one, ConfusionPanel)
    assert (one.classes, one.counts) == (("a", "b"), ((3, 3), (0, 6)))
    (one,) = mipl.results_plot(store, "reliability", **given).picture.panels
    assert isinstance(one, ReliabilityPanel)
    # Sure 1 and .9: right. Sure .55: wrong. Sure .5: right. Each in three splits.
    bins = {round(mean, 3): (share, n) for mean, share, n in one.bins}
    assert bins == {0.5: (1.0, 3), 0.55: (0.0, 3), 0.9: (1.0, 3), 1.0: (1.0, 3)}
    assert one.ece == pytest.approx((0 + 0.1 + 0.55 + 0.5) / 4)


@pytest.mark.parametrize(
    ("kind", "argument", "sentence"),
    [
        ("pie", None, "unknown kind of plot 'pie'"),
        ("sweep", None, "a sweep follows an argument"),
        ("bars", "lam", "--argument goes with sweep and curves"),
        ("curves", "lss", "unknown curve of these runs 'lss'; did you mean 'loss'"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(store, kind, argument, sentence):
    with pytest.raises(MiplError, match=sentence):
        mipl.results_plot(store, kind, argument)


def test_results_of_a_csv_have_no_curves(store, tmp_path):
    bare = Store(tmp_path / "bare.db", create=True)
    bare.record(Result(Run("miplma", "digits-mipl"), "finished", 0.5, 1.0))
    for kind in ("curves", "confusion"):
        with pytest.raises(MiplError, match="came from a CSV table have none"):
            mipl.results_plot(bare, kind)
    with pytest.raises(MiplError, match="ranks need three methods"):
        mipl.results_plot(bare, "ranks")
