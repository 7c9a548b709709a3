"""Markdown: tables keep their columns whatever the text, the best is bold."""

import re

from tests.reports.products import NASTY, PRODUCT

from mipl.reports.markdown import as_markdown, escaped


def cells(line):
    return [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_rows_have_as_many_cells_as_the_head():
    lines = [line for line in as_markdown([PRODUCT]).splitlines() if line[:1] == "|"]
    assert [len(cells(line)) for line in lines] == [2] * len(lines)
    assert len(lines) == 2 + 4 + 2 + 1


def test_the_best_is_bold_and_only_its_first_line():
    text = as_markdown([PRODUCT])
    assert "| **.802±.022 (3)**<br>paper .703±.026, +.099 |" in text
    assert text.count("**") == 2


def test_text_is_shown_as_it_is():
    shown = re.sub(r"\\(.)", r"\1", escaped(NASTY.replace("\\", "")))
    assert shown == NASTY.replace("\\", "")
    assert "<b>" not in as_markdown([PRODUCT])


def test_sections_have_their_command_and_what_is_missing():
    text = as_markdown([PRODUCT])
    assert text.startswith(
        "## small: A small table & more\n\n    mipl reproduce small\n"
    )
    assert "10 of 33 runs diverged, 18 of 33 runs are missing." in text
    assert "### Counts" in text
