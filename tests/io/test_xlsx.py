"""Label tables that Excel saves."""

import zipfile
from pathlib import Path

import pytest

from mipl import MiplError
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import read_label_table
from mipl.io.tables.table_file import read_columns

openpyxl = pytest.importorskip("openpyxl")


def book(path: Path, *rows: list[object], **sheets: list[list[object]]) -> Path:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for name, more in sheets.items():
        sheet = made.create_sheet(name)
        for row in more:
            sheet.append(row)
    made.save(path)
    return path


def test_a_label_table(tmp_path: Path) -> None:
    path = book(
        tmp_path / "labels.xlsx",
        ["slide_id", "candidates", "label", "patient", None],
        ["s1", "oak|elm", "oak", 7.0],
        ["s2", "elm", "elm", 8],
        [None, None],
    )
    table = read_label_table(path, LabelOptions())
    assert table.keys == ["s1", "s2"]
    assert [sorted(s) for s in table.candidates] == [["elm", "oak"], ["elm"]]
    assert table.labels.tolist() == ["oak", "elm"]
    assert table.groups.tolist() == [7, 8]  # Excel keeps 7 as 7.0.


def test_the_only_filled_sheet_is_read(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", notes=[["bag_id", "label"], ["p", "x"]])
    assert dict(read_columns(path).cells) == {"bag_id": ["p"], "label": ["x"]}


@pytest.mark.parametrize(
    ("rows", "sheets", "says"),
    [
        ([["a", "b"]], {"more": [["c"]]}, "several sheets, Sheet, more; save the one"),
        ([["a", "b"]], {}, "has no rows below its header"),
        ([["a", None, "b"], [1, 2, 3]], {}, "row 1 of 'Sheet' must name every column"),
        ([["a", "a"], [1, 2]], {}, "names column 'a' twice"),
        ([["a", "b"], [None, None], [1, 2]], {}, "row 2 is empty; remove it"),
        ([["a", "b"], [1, 2, 3]], {}, "row 2 has cells beside its 2 columns"),
        ([[1, 2], [1, 2]], {}, "must name the columns; it holds numbers"),
        ([], {}, "holds no cells"),
    ],
)
def test_what_is_no_table_is_told(tmp_path, rows, sheets, says) -> None:
    path = book(tmp_path / "a.xlsx", *rows, **sheets)
    with pytest.raises(MiplError, match=says):
        read_columns(path)


def test_damaged_books_are_told(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["bag_id", "label"], ["p", "x"])
    whole = path.read_bytes()
    for cut in (whole[:-200], whole[: len(whole) // 2], whole[:40]):
        path.write_bytes(cut)
        with pytest.raises(MiplError, match=r"a\.xlsx"):
            read_columns(path)
    path.write_bytes(whole)
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    parts["xl/worksheets/sheet1.xml"] = b"<worksheet><sheetData><row r="
    with zipfile.ZipFile(path, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    with pytest.raises(MiplError, match="damaged or no Excel table"):
        read_columns(path)


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", b"<workbook/>")
        file.writestr("xl/worksheets/sheet1.xml", bytes(1 << 29))
    with pytest.raises(MiplError, match="times its size is not read"):
        read_columns(path)
