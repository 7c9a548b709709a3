"""Read the tables of a paper's LaTeX source: just enough for mean and std in cells."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SPAN = re.compile(r"\\multicolumn\{(\d+)\}\{[^{}]*\}\{")


def paper() -> str:
    """Return the LaTeX source of the paper, or skip where it is absent."""
    folder = os.environ.get("MIPL_PAPER")
    path = Path(folder or "", "miplma.tex")
    if folder is None or not path.is_file():
        pytest.skip("this test reads miplma.tex, in the folder that MIPL_PAPER names.")
    return path.read_text("utf-8")


def table(source: str, label: str) -> list[list[str]]:
    """Return the cells of the tabular with that label, spans repeated, no markup."""
    after = source[source.index(f"\\label{{{label}}}") :]
    body = after[after.index(r"\begin{tabular}") : after.index(r"\end{tabular}")]
    body = re.sub(r"(?<!(?<!\\)\\)%.*", "", body)  # A break of lines is no escape.
    lines = [line for line in body.split(r"\\") if "&" in line]
    return [
        [cell for part in line.split("&") for cell in spread(part)] for line in lines
    ]


def spread(part: str) -> Iterator[str]:
    found = SPAN.search(part)
    text = plain(part[found.end() :] if found else part)
    yield from [text] * (int(found[1]) if found else 1)


def plain(text: str) -> str:
    """Drop every command but the names of methods, which are commands themselves."""
    text = re.sub(r"\\begin\{tabular\}.*?\n", "", text)
    text = re.sub(r"\\(hline|cdashline\{2-4\}\[2pt/1pt\])", "", text)
    text = re.sub(r"\\multirow\{\d\}\[0\]\{\*\}", "", text)
    text = re.sub(r"\\(textbf|tiny|scriptsize)\b", "", text)
    text = text.replace(r"$\pm$", "±").replace("$", "").replace(r"\#", "#")
    return re.sub(r"[{}\s]+", "", text)
