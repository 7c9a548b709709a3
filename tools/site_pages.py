"""What ``make docs`` writes before Sphinx reads: a page per method, and the reference.

A method's page is made of what is known elsewhere: its docstring, its entry of the
catalogue, and the committed results with their times. Nothing on it is typed by hand.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean, median, pstdev

import mipl
from mipl.files import write_bytes, write_text
from mipl.methods.catalogue.method_row import MethodRow
from mipl.methods.catalogue.registry import methods
from mipl.reports.entry_text import share
from mipl.reports.markdown import table_lines
from mipl.runs.result import Result
from mipl.runs.results_csv import read_csv

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
FAMILIES = {
    "mipl": "Multi-instance partial-label learning",
    "pll": "Partial-label learning",
    "mil": "Multi-instance learning",
}
PACKAGES = ("images", "metrics", "nn", "objectives", "selection", "testing", "training")
ROOT_PAGES = ("SECURITY", "CONTRIBUTING", "CHANGELOG")


def write_pages(docs: Path, results: Path) -> None:
    """Write the folders ``methods`` and ``project`` and the page ``reference.md``.

    Parameters
    ----------
    docs : Path
        The folder of the documentation.
    results : Path
        The committed results, as ``mipl runs export`` writes them.
    """
    folder = docs / "methods"
    for name in ("methods", "notebooks", "project"):
        (docs / name).mkdir(exist_ok=True)
    rows = sorted(methods(), key=lambda row: row.path)
    files = {path: list(of) for path, of in groupby(rows, key=lambda row: row.path)}
    known = _by_method(read_csv(results))
    for path, forms in files.items():
        write_text(folder / f"{page_name(path)}.md", method_page(path, forms, known))
    write_text(folder / "index.md", index_page(files))
    write_text(docs / "reference.md", reference_page())
    for book in NOTEBOOKS.glob("*.ipynb"):
        page = docs / "notebooks" / f"{book.stem}.md"
        text = notebook_page(book.read_text(encoding="utf-8"), page.with_suffix(""))
        write_text(page, text)
    for name in ROOT_PAGES:
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        write_text(docs / "project" / f"{name}.md", from_project(text))


def notebook_page(text: str, pictures: Path) -> str:
    """Return a notebook with what it showed as Markdown; write its pictures.

    Parameters
    ----------
    text : str
        The notebook's JSON.
    pictures : Path
        What the names of its pictures begin with.
    """
    lines: list[str] = []
    for place, cell in enumerate(json.loads(text)["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for shown in cell["outputs"]:
            if told := "".join(shown.get("text", "")):
                lines += ["```text", told.rstrip(), "```", ""]
            if coded := shown.get("data", {}).get("image/png"):
                file = pictures.with_name(f"{pictures.name}-{place}.png")
                write_bytes(file, b64decode(coded))
                lines += [f"![what the cell draws]({file.name})", ""]
    return "\n".join(lines)


def from_project(text: str) -> str:
    """Return a page of the project's own folder as it stands below ``docs/project``.

    Examples
    --------
    >>> from_project("[a](docs/own_data.md#votes), [b](LICENSE), [c](SECURITY.md)")
    '[a](../own_data.md#votes), `b`, [c](SECURITY.md)'
    """
    text = re.sub(r"\]\(docs/([^)]+\.md[^)]*)\)", r"](../\1)", text)
    kept = "|".join(ROOT_PAGES)
    elsewhere = rf"\[([^]]+)\]\((?!\.\./|https?:|#|(?:{kept})\.md)[^)]+\)"
    return re.sub(elsewhere, lambda found: f"`{found[1].strip('`')}`", text)


def to_project(text: str, depth: int) -> str:
    """Return a page of the documentation with its links to those of the project.

    Examples
    --------
    >>> to_project("[a](../SECURITY.md), [b](../examples/x.py)", 0)
    '[a](project/SECURITY.md), `b`'
    """
    up = "../" * depth
    for name in ROOT_PAGES:
        text = text.replace(f"](../{up}{name}.md", f"]({up}project/{name}.md")
    outside = re.escape(f"../{up}")
    found = re.compile(rf"\[([^]]+)\]\({outside}[^)]+\)")
    return found.sub(lambda one: f"`{one[1].strip('`')}`", text)


def page_name(path: str) -> str:
    """Return the name of the page of a class, that of its one file.

    Examples
    --------
    >>> page_name("mipl.methods.mipl.miplma:MIPLMA")
    'miplma'
    """
    return path.partition(":")[0].rpartition(".")[2]


def method_page(
    path: str, forms: Sequence[MethodRow], known: Mapping[str, Sequence[Result]]
) -> str:
    """Return the page of one class: what it computes, scores and costs here."""
    module, _, name = path.partition(":")
    file = f"src/{module.replace('.', '/')}.py"
    works = list(dict.fromkeys(row.reference for row in forms))
    lines = [f"# {forms[0].title}", ""]
    lines += [line for work in works for line in (work.text, "")]
    lines += [f"Its one file is `{file}`; every equation stands there.", ""]
    told = [(f"`{row.id}`", row.title, row.summary) for row in forms]
    lines += [*table_lines(("id", "form", "what it is"), told), ""]
    lines += ["## Figures here", "", *_figures(forms, known), ""]
    lines += ["## What it computes", "", "```{eval-rst}"]
    lines += [f".. autoclass:: {module}.{name}", "```", "", "## Cite", ""]
    lines += ["```bibtex", *(work.bibtex.strip() for work in works), "```"]
    return "\n".join(lines) + "\n"


def _figures(
    forms: Sequence[MethodRow], known: Mapping[str, Sequence[Result]]
) -> list[str]:
    """Return a table of accuracies, of runs with published or no settings."""
    lines = []
    for row in forms:
        cells: dict[tuple[str, int], list[Result]] = defaultdict(list)
        for one in known.get(row.id, ()):
            if _plain(one):
                cells[one.run.data, one.run.r].append(one)
        for (data, r), found in sorted(cells.items()):
            right = [one.accuracy for one in found if one.accuracy is not None]
            cost = median(one.seconds for one in found)
            spread = f" ± {share(pstdev(right))}" if len(right) > 1 else ""
            scored = f"{share(fmean(right))}{spread} ({len(right)})"
            lines.append((f"`{row.id}`", data, str(r), scored, f"{cost:.0f} s"))
    if not lines:
        return ["Not measured in this library's tables."]
    head = ("form", "data set", "r", "test accuracy (splits)", "seconds a run")
    return [
        "Mean and standard deviation over the ten named splits, and the median time of "
        "one core. All of it, with published figures beside: [results](../results.md).",
        "",
        *table_lines(head, lines),
    ]


def _plain(one: Result) -> bool:
    """Tell whether a run has the settings of a table: published, or the defaults."""
    arguments = {
        name: v for name, v in one.run.arguments.items() if name != "published"
    }
    usual = {"reduction", "backbone"}
    return set(arguments) <= usual and not one.run.options and one.accuracy is not None


def _by_method(results: Iterable[Result]) -> dict[str, list[Result]]:
    found = defaultdict(list)
    for one in results:
        found[one.run.method].append(one)
    return found


def index_page(files: Mapping[str, Sequence[MethodRow]]) -> str:
    """Return the page that lists the methods by family."""
    lines = ["# Methods", ""]
    lines += [
        "Each is one file, one entry of the catalogue and one test file; "
        "`mipl methods` lists them, `mipl methods ID` tells the arguments of one.",
        "",
    ]
    for family, title in FAMILIES.items():
        own = {path: of for path, of in files.items() if of[0].family == family}
        lines += [f"## {title}", ""]
        told = [
            (f"[{of[0].title}]({page_name(path)}.md)", of[0].summary, _year(of[0]))
            for path, of in own.items()
        ]
        lines += [*table_lines(("method", "what it is", "published"), told), ""]
    pages = sorted(page_name(path) for path in files)
    lines += ["```{toctree}", ":hidden:", "", *pages, "```"]
    return "\n".join(lines) + "\n"


def _year(row: MethodRow) -> str:
    return row.reference.text.rstrip(".").rpartition(". ")[2]


def reference_page() -> str:
    """Return the page of all public names, each with a page of its own."""
    names = [f"mipl.{name}" for name in mipl.__all__]
    lines = ["# Reference", ""]
    lines += ["What `import mipl` names is public ([releases](releases.md)).", ""]
    lines += _summary("mipl", names)
    for package in PACKAGES:
        module = getattr(mipl, package)
        own = [
            f"mipl.{package}.{name}"
            for name in module.__all__
            if name not in mipl.__all__
        ]
        lines += _summary(f"mipl.{package}", own)
    return "\n".join(lines) + "\n"


def _summary(title: str, names: Iterable[str]) -> list[str]:
    told = [f"   {name}" for name in names]
    head = ["```{eval-rst}", ".. autosummary::", "   :toctree: reference", ""]
    return [f"## `{title}`", "", *head, *told, "```", ""]
