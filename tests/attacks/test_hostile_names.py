"""Whatever a name holds, nobody who shows it is steered by it, and nothing crashes."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from rich.table import Table
from tests.attacks.names import HOSTILE, steers

import mipl
from mipl import Bags, Dataset
from mipl.cli import output
from mipl.cli.terminal_gate import GatedConsole
from mipl.io.tables.csv_file import read_columns
from mipl.io.tables.label_columns import write_columns
from mipl.paper.sheet import Sheet
from mipl.reports import latex, markdown
from mipl.reports.plots import as_svg, drawing, save, shortened

CLEAN = [name for name in HOSTILE if not steers(name) and len(name) < 100]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_terminal_shows_a_name_and_is_not_steered(capsys, name):
    output.show(name, output.table([name, "x"], [[name, 1]]), output.title(name, name))
    output.show(output.pairs({name: name}))
    output.say(name, name)
    output.warn(name)
    output.show_json({name: [name]})
    with output.progress_bar(name):
        pass
    out, err = capsys.readouterr()
    # Of the bar's own there are moves of the cursor, where a terminal is drawn on.
    assert not steers(out) and not steers(err)
    if len(name) < 40 and not steers(name):
        assert name in out and name in err


def test_what_rich_draws_by_itself_passes_the_gate(monkeypatch):
    text = io.StringIO()
    console = GatedConsole(file=text, force_terminal=True, color_system=None, width=80)
    table = Table("a\x1b]0;t\x07")
    table.add_row("\x1b[31m[/bold]")
    console.print(table, "\x9b31m")
    assert not steers(text.getvalue()) and "[/bold" in text.getvalue()


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_picture_takes_any_name(tmp_path, name):
    with drawing() as matplotlib:
        figure = matplotlib.figure.Figure(figsize=(2, 2))
        axis = figure.subplots()
        axis.set_title(shortened(name))
        axis.set_xlabel(name[:50])
        axis.set_yticks([0], [name[:50]])
        axis.plot([0], [0], label=name[:50])
        axis.legend()
    text = as_svg(figure)
    assert not steers(text) and "<script>" not in text
    ElementTree.fromstring(text)
    save(figure, tmp_path / "a.png")


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_latex_and_markdown_show_a_name_as_it_is(name):
    sheet = Sheet(name, (name, "b"), [[name, name]], notes=(name,))
    tex = "\n".join(latex.sheet_lines(sheet))
    assert not steers(tex) and r"\input" not in tex and r"\frac" not in tex
    text = "\n".join(markdown.sheet_lines(sheet))
    assert not steers(text) and "<script>" not in text
    assert len(text.splitlines()) == 5 or name.count("\n")


def test_a_spreadsheet_takes_no_name_for_a_formula(tmp_path):
    columns = {
        "bag_id": np.array(CLEAN),
        **{name: np.array([f"{name}{i}" for i in range(len(CLEAN))]) for name in CLEAN},
        "number": np.arange(len(CLEAN)) - 5.5,
    }
    write_columns(tmp_path / "a.csv", columns)
    with (tmp_path / "a.csv").open(newline="") as handle:
        cells = [cell for row in csv.reader(handle) for cell in row]
    risky = [c for c in cells if c[:1] in tuple("=+-@\t\r")]
    assert risky and all(float(cell) < 0 for cell in risky)
    back = read_columns(tmp_path / "a.csv")
    assert list(back.cells) == list(columns)
    assert all(back.cells[name] == columns[name].tolist() for name in CLEAN)


def test_formulas_as_class_names_come_back(tmp_path):
    names = ["=1+1", "'=1+1", "@oak", "-x", "'tis", "+1"]
    bags = Bags(np.zeros((6, 1)), bag_ids=[f"={n}" for n in names])
    data = Dataset(bags, [{name} for name in names], labels=names, groups=names)
    mipl.write_dataset(data, tmp_path / "t.csv")
    back = mipl.read_dataset(tmp_path / "t.csv")
    assert back.labels.tolist() == back.groups.tolist() == names
    assert back.bags.bag_ids.tolist() == [f"={n}" for n in names]
