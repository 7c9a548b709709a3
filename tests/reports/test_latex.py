"""LaTeX: nothing unescaped, nothing unbalanced; it compiles where a program is."""

import re
import shutil
import subprocess

import pytest
from tests.reports.products import NASTY, PRODUCT
from tests.runs.stores import store_of

from mipl.datasets.published_sets import SIVAL
from mipl.paper.artefact_selection import Selection
from mipl.paper.cells import Spot
from mipl.paper.entrants import DEMIPL, OURS
from mipl.paper.index import ARTEFACTS
from mipl.reports.latex import as_latex, as_latex_fragment, escaped


def test_special_characters_are_escaped():
    text = escaped(NASTY)
    assert r"\& 50 \% of \$x\_1\$ \{$\sim$\} $<$b$>$" in text
    assert r"\textbackslash{}d \#1 \textasciicircum{} $\lambda$" in text


def test_unknown_characters_do_not_stop_a_compiler():
    assert escaped("日") == "?"
    assert as_latex([PRODUCT]).isascii()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Größe", r"Gr\"{o}\ss{}e"),
        ("G\u0308anse", "G?anse"),  # No such letter.
        ("a\u0308", r"\"{a}"),  # In two signs.
        ("naïve façade", r"na\"{\i}ve fa\c{c}ade"),
        ("Łódź, Århus", r"\L{}\'{o}d\'{z}, \r{A}rhus"),
        ("“τ² ≤ 3”", r"``$\tau$$^2$ $\leq$ 3''"),
        ("ę ệ 中", "? ? ?"),
    ],
)
def test_letters_with_accents_are_kept(text, shown):
    assert escaped(text) == shown


def test_a_fragment_is_the_document_without_its_frame():
    document, fragment = as_latex([PRODUCT]), as_latex_fragment([PRODUCT])
    note, tables = fragment.split("\n", 1)
    assert note == r"% In the preamble: \usepackage{booktabs,longtable}"
    assert tables in document and r"\begin{longtable}" in tables
    for frame in (r"\documentclass", r"\begin{document}", r"\end{document}"):
        assert frame in document and frame not in fragment


@pytest.mark.parametrize("form", [as_latex, as_latex_fragment])
def test_environments_and_braces_are_balanced(form):
    text = form([PRODUCT])
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    closed = re.findall(r"\\end\{(\w+)\}", text)
    assert sorted(opened) == sorted(closed)
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0


def test_the_best_is_bold():
    text = as_latex([PRODUCT])
    assert r"\textbf{.802$\pm$.022 (3)} \\ paper .703" in text
    assert text.count(r"\textbf") == 1


@pytest.mark.slow
def test_every_table_compiles(program, tmp_path):
    tectonic = shutil.which("tectonic")
    compiler = tectonic or program("pdflatex")
    values = {Spot(OURS, SIVAL, 1): [0.8, 0.81], Spot(DEMIPL, SIVAL, 1): [0.6, 0.7]}
    store = store_of(tmp_path, values)
    products = [one.build(store, Selection()) for one in ARTEFACTS.values()]
    source = tmp_path / "all.tex"
    source.write_text(as_latex([*products, PRODUCT]), "utf-8")
    quiet = [] if tectonic else ["-interaction=nonstopmode", "-halt-on-error"]
    command = [compiler, *quiet, source.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert source.with_suffix(".pdf").stat().st_size > 10_000
    assert b"Overfull" not in done.stdout  # Nothing runs over the margin.
