"""The store: what is kept, what answers a run, and which files are refused."""

import sqlite3
from dataclasses import replace

import pytest

from mipl.errors import BadFile, MiplError
from mipl.runs import database
from mipl.runs.result import Predictions, Result
from mipl.runs.run import Run
from mipl.runs.store import Store

RUN = Run("miplma", "digits-mipl", {"lam": 2.0}, r=2, split=3)
KNOWN = replace(RUN, content="ab", versions={"torch": "2.10"})
DONE = Result(KNOWN, "finished", 0.75, 12.5, {"ece": 0.1}, "", "2026-01-31T12:00:00")
CURVES = {"loss": [1.0, 0.5], "margin_mean": [0.0, None]}
SAID = Predictions((0, 7), ("elm", "oak"), ("elm", "elm"), (0.9, 0.6))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results.db", create=True)


def failed(run, message="the disk was full."):
    return Result(run, "failed", None, 0.0, message=message)


def test_what_was_recorded_is_read_back(store):
    assert store.record(DONE, CURVES, SAID)
    again = Store(store.path)
    assert again.results() == [DONE]
    assert again.curves(DONE) == CURVES
    assert again.predictions(DONE) == SAID
    assert again.by_key(DONE.key[:10]) == DONE


def test_a_result_without_curves_and_predictions(store):
    store.record(DONE)
    assert store.curves(DONE) == {} and store.predictions(DONE) is None


def test_a_settled_run_is_kept_once_whatever_versions_computed_it(store):
    other = replace(DONE, run=replace(KNOWN, versions={"torch": "2.11"}), accuracy=0.1)
    unknown = replace(DONE, run=RUN, accuracy=0.2)
    assert store.record(DONE)
    assert not store.record(other) and not store.record(unknown)
    assert store.results() == [DONE]


def test_a_failed_run_gives_way_to_one_that_ends(store):
    assert store.record(failed(KNOWN)) and store.record(failed(KNOWN, "again."))
    assert [one.message for one in store.results(["failed"])] == ["again."]
    assert store.record(DONE)
    assert store.results(["failed"]) == [] and store.results() == [DONE]


def test_a_run_of_other_data_is_another_result(store):
    other = replace(DONE, run=replace(KNOWN, content="cd"), accuracy=0.5)
    assert store.record(DONE) and store.record(other)
    now = replace(RUN, content="cd")
    assert store.answers([now])[now] == other
    assert store.answers([replace(RUN, content="ef")]) == {}


def test_the_answer_is_of_the_same_content_where_it_is_known(store):
    imported = replace(DONE, run=RUN, accuracy=0.5, ended="")
    store.record(imported)
    assert store.answers([RUN, KNOWN]) == {RUN: imported, KNOWN: imported}


def test_answers_name_the_runs_of_the_plan(store):
    missing = replace(RUN, split=4)
    store.record(DONE)
    store.record(Result(replace(RUN, split=5), "diverged", None, 1.0, message="NaN."))
    found = store.answers([RUN, missing, replace(RUN, split=5)])
    assert found == {RUN: DONE}
    settled = store.answers([replace(RUN, split=5)], ["finished", "diverged"])
    assert [one.state for one in settled.values()] == ["diverged"]


def test_results_are_chosen_by_fields(store):
    for split in range(3):
        store.record(replace(DONE, run=replace(RUN, split=split)))
    store.record(replace(DONE, run=replace(RUN, method="demipl", arguments={})))
    assert [one.run.split for one in store.results(method="miplma")] == [0, 1, 2]
    assert [one.run.split for one in store.results(split=[0, 2])] == [0, 2]
    assert len(store.results(arguments={"lam": 2.0}, data="digits-mipl", r=2)) == 3
    assert store.results(arguments={}, seed=1) == []
    with pytest.raises(MiplError, match="unknown field of a run 'fold'"):
        store.results(fold=1)


def test_keys_are_told_apart(store):
    store.record(DONE)
    with pytest.raises(MiplError, match=r"no result in .* begins with 0000"):
        store.by_key("0000")
    with pytest.raises(MiplError, match="a key is made of the digits"):
        store.by_key("%")


def test_a_store_that_is_not_there_is_not_made_by_reading(tmp_path):
    with pytest.raises(MiplError, match="does not exist"):
        Store(tmp_path / "results.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(MiplError, match=r"the folder .*nowhere does not exist"):
        Store(tmp_path / "nowhere" / "results.db", create=True)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("content", [b"no database at all, but long" * 9, b"SQLite"])
def test_a_foreign_file_is_refused_and_left_alone(content, create, tmp_path):
    path = tmp_path / "results.db"
    path.write_bytes(content)
    with pytest.raises(BadFile, match="is no store of results, or is damaged"):
        Store(path, create=create)
    assert path.read_bytes() == content


@pytest.mark.parametrize("create", [False, True])
def test_the_database_of_another_program_is_refused_and_left_alone(create, tmp_path):
    path = tmp_path / "other.db"
    file = sqlite3.connect(path)
    file.execute("CREATE TABLE studies (id INTEGER)")
    file.close()
    before = path.read_bytes()
    with pytest.raises(BadFile, match="is not a store of results; give another name"):
        Store(path, create=create)
    assert path.read_bytes() == before


def test_a_store_of_a_later_version_is_refused(store):
    change(store.path, "PRAGMA user_version = 2")
    with pytest.raises(BadFile, match="version 2, and this mipl knows version 1"):
        Store(store.path)


def test_a_write_ahead_log_is_refused(store):
    change(store.path, "PRAGMA journal_mode = WAL")
    with pytest.raises(BadFile, match="write-ahead log, which can lose results"):
        Store(store.path)


@pytest.mark.parametrize(
    "column, value",
    [("arguments", "{"), ("r", "two"), ("figures", "[1]"), ("versions", "3")],
)
def test_a_damaged_row_is_named(column, value, store):
    store.record(DONE)
    change(store.path, f"UPDATE results SET {column} = '{value}'")
    with pytest.raises(BadFile, match=f"the result {DONE.key[:12]} .* is damaged"):
        store.results()


def test_damaged_predictions_are_named(store):
    store.record(DONE, CURVES, SAID)
    change(store.path, "UPDATE predictions SET predictions = '[]'")
    with pytest.raises(BadFile, match="is damaged"):
        store.predictions(DONE)


def test_a_truncated_store_is_told_in_a_sentence(store):
    for split in range(40):
        store.record(replace(DONE, run=replace(RUN, split=split)), CURVES, SAID)
    path = store.path
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadFile, match="is damaged"):
        Store(path).results()


def test_a_store_in_a_folder_that_cannot_be_written_can_be_read(store):
    store.record(DONE)
    store.path.chmod(0o444)
    assert Store(store.path).results() == [DONE]


def test_every_commit_is_synchronised_in_full(store):
    with database.writing(store.path) as file:
        assert file.execute("PRAGMA synchronous").fetchone()[0] == 2
        assert file.execute("PRAGMA journal_mode").fetchone()[0] == "delete"


def change(path, statement):
    file = sqlite3.connect(path, isolation_level=None)
    file.execute(statement)
    file.close()
