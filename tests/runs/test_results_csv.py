"""Results as CSV tables and from store to store."""

from dataclasses import replace

import pytest

from mipl.errors import BadFile, MiplError
from mipl.runs.result import Predictions, Result
from mipl.runs.results_csv import Imported, as_csv, export, import_file, read_csv
from mipl.runs.run import Run
from mipl.runs.store import Store

RUN = Run(
    "miplma",
    "digits-mipl",
    {"lam": 2.0, "name": 'a "quoted", one'},
    {"seed": 1},
    r=2,
    split=3,
    seed=4,
    content="ab",
    versions={"torch": "2.10"},
)
DONE = Result(RUN, "finished", 0.75, 12.5, {"ece": 0.1}, "", "2026-01-31T12:00:00")
LOST = Result(replace(RUN, split=4), "diverged", None, 1.5, message="it became nan.")
HEADER = "method,arguments,data,r,split,seed,accuracy,seconds\n"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db", create=True)


def table(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    return path


def test_a_table_brings_back_what_was_written(store, tmp_path):
    path = table(tmp_path, as_csv([DONE, LOST]))
    assert read_csv(path) == [DONE, LOST]
    assert import_file(path, store) == Imported(2, 0)
    assert import_file(path, store) == Imported(0, 2)


def test_earlier_results_are_of_unknown_versions_and_answer_a_plan(store, tmp_path):
    row = 'miplma,"{""published"": true}",sival-mipl,2,3,0,0.7846,18.3\n'
    import_file(table(tmp_path, HEADER + row), store)
    run = Run("miplma", "sival-mipl", {"published": True}, r=2, split=3)
    result = store.answers([run])[run]
    assert (result.accuracy, result.seconds) == (0.7846, 18.3)
    assert result.run == run and result.ended == ""


def test_the_name_of_the_data_is_taken_whole(tmp_path):
    """A path may have blanks in it, and an equals sign."""
    row = "miplma,{},/data/my bags q=1.bags.h5,1,0,0,0.9,1.0\n"
    [result] = read_csv(table(tmp_path, HEADER + row))
    assert result.run == Run("miplma", "/data/my bags q=1.bags.h5")


def test_a_store_takes_over_curves_and_predictions(store, tmp_path):
    said = Predictions((1,), ("a",), ("b",), (0.5,))
    store.record(DONE, {"loss": [1.0]}, said)
    store.record(LOST)
    other = tmp_path / "other.db"
    export(store, store.results(), other)
    third = Store(tmp_path / "third.db", create=True)
    assert import_file(other, third) == Imported(1, 0)
    assert third.results() == [DONE]
    assert third.curves(DONE) == {"loss": [1.0]} and third.predictions(DONE) == said


def test_a_table_is_written_whole(store, tmp_path):
    store.record(DONE)
    export(store, store.results(), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == as_csv([DONE])
    with pytest.raises(MiplError, match="cannot be copied to itself"):
        export(store, store.results(), store.path)
    with pytest.raises(MiplError, match=r"results are written to \.csv or \.db"):
        export(store, [], tmp_path / "out.xlsx")


@pytest.mark.parametrize(
    "row, what",
    [
        ('miplma,"{",digits-mipl,1,0,0,0.5,1', "Expecting"),
        ("miplma,[1],digits-mipl,1,0,0,0.5,1", "arguments of a run must be"),
        ("miplma,{},digits-mipl,1,0,0,1.5,1", "accuracy must be from 0 to 1"),
        ("miplma,{},digits-mipl,1,0,0,nan,1", "'nan' is not a number"),
        ("miplma,{},digits-mipl,1,0,0,0.5,inf", "'inf' is not a number"),
        ("miplma,{},digits-mipl,1,0,0,,1", "a finished run, and no other"),
        ("miplma,{},digits-mipl,1,zero,0,0.5,1", "'zero' is not a number"),
        ("miplma,{},digits-mipl,1,0", "fewer cells than the header"),
    ],
)
def test_a_wrong_row_is_told_by_its_line(row, what, store, tmp_path):
    fine = "miplma,{},digits-mipl,1,0,0,0.5,1\n"
    with pytest.raises(BadFile, match=f"line 3 of .*{what}"):
        import_file(table(tmp_path, HEADER + fine + row + "\n"), store)
    assert store.results() == []  # All rows or none.


def test_a_table_without_a_needed_column(tmp_path):
    with pytest.raises(BadFile, match="has no column 'arguments'; it needs method"):
        read_csv(table(tmp_path, "method,data\n"))
    with pytest.raises(BadFile, match="has no column 'split'"):
        read_csv(table(tmp_path, HEADER.replace(",split", "")))


def test_what_is_no_table_and_no_store(store, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadFile, match="is not a CSV table"):
        import_file(tmp_path / "a.csv", store)
    (tmp_path / "a.db").write_bytes(b"nothing of the kind, and long enough" * 9)
    with pytest.raises(BadFile, match="is no store of results"):
        import_file(tmp_path / "a.db", store)
