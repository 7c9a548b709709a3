"""The documentation's site: pages made, sentences that exist, notebooks that run."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.site_pages import (
    ROOT_PAGES,
    index_page,
    notebook_page,
    page_name,
    reference_page,
    write_pages,
)

import mipl
from mipl.methods.catalogue.registry import methods

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def sentences() -> str:
    """Return all literal text of the sources, each file's in one line."""
    found = []
    for file in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return "\n".join(found)


def test_the_sentences_of_troubleshooting_are_those_of_the_sources() -> None:
    rows = re.findall(
        r"^\| (`.*?) \| ", (DOCS / "troubleshooting.md").read_text(), re.M
    )
    assert len(rows) >= 12
    said = sentences()
    for row in rows:
        for words in re.findall(r"`([^`]+)`", row):
            assert words in said, words


def test_the_code_of_the_start_runs_and_learns(tmp_path: Path) -> None:
    page = (DOCS / "start.md").read_text()
    [program] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout.split()[0]) > 0.8  # Chance is a third.
    assert (tmp_path / "trees" / "model.safetensors").is_file()


def test_every_page_is_in_the_contents() -> None:
    contents = set(re.findall(r"^([\w/*]+)$", (DOCS / "index.md").read_text(), re.M))
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    assert pages - contents == set() and len(BOOKS) == 3
    made = {"methods/index", "gallery/index", "notebooks/index", "reference"}
    made |= {f"project/{name}" for name in ROOT_PAGES}
    for name in contents - made - {"decisions/*"}:
        assert (DOCS / f"{name}.md").exists(), name


def test_every_method_has_a_page_with_its_committed_figures(tmp_path: Path) -> None:
    table = tmp_path / "runs.csv"
    lines = (ROOT / "results" / "runs.csv").read_text().splitlines()
    few = [line for line in lines[1:] if line.startswith("proden,")][:400]
    table.write_text("\n".join([lines[0], *few]) + "\n")
    write_pages(tmp_path, table)
    for row in methods():
        text = (tmp_path / "methods" / f"{page_name(row.path)}.md").read_text()
        assert f"| `{row.id}` |" in text and row.reference.bibtex.strip() in text
        assert (ROOT / re.search(r"`(src/\S+\.py)`", text)[1]).is_file()
        assert ("Not measured" in text) == (page_name(row.path) != "proden")
    figures = (tmp_path / "methods" / "proden.md").read_text()
    assert re.search(
        r"\| `proden` \| \S+ \| \d \| \.\d{3} ± \.\d{3} \(10\) \|", figures
    )


@pytest.mark.parametrize("book", BOOKS, ids=lambda book: book.stem)
def test_every_notebook_runs_and_shows_what_it_says(book: Path, tmp_path: Path) -> None:
    cells = [
        c for c in json.loads(book.read_text())["cells"] if c["cell_type"] == "code"
    ]
    program = "\n".join("".join(cell["source"]) for cell in cells)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = notebook_page(book.read_text(), tmp_path / book.stem)
    for cell in cells:
        source = "".join(cell["source"])
        assert ("print(" in source or "plt." in source) <= bool(cell["outputs"])
        assert source in page
    drawn = sum("plt." in "".join(cell["source"]) for cell in cells)
    assert len(list(tmp_path.glob("*.png"))) == page.count("![") == drawn


def test_the_reference_names_what_is_public() -> None:
    text = reference_page()
    for name in mipl.__all__:
        assert f"   mipl.{name}\n" in text


@pytest.mark.parametrize("family", ["mipl", "pll", "mil"])
def test_the_index_lists_methods_by_family(family: str) -> None:
    rows = [row for row in methods() if row.family == family]
    text = index_page({row.path: [row] for row in rows})
    assert text.count("](") == len({page_name(row.path) for row in rows})
