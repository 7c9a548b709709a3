"""Damaged stores: told in a sentence, and what is whole is kept."""

import sqlite3
from dataclasses import replace

import pytest
from tests.runs.test_store import CURVES, DONE, KNOWN, SAID

from mipl.cli.main import main
from mipl.errors import BadFile, MiplError
from mipl.runs.store import Store
from mipl.runs.store_repair import check, repair


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "results.db", create=True)
    for seed in range(5):
        one = replace(DONE, run=replace(KNOWN, seed=seed))
        store.record(one, CURVES, SAID)
    return store


def change(store, statement, *values):
    file = sqlite3.connect(store.path, isolation_level=None)
    file.execute(statement, values)
    file.close()


def test_a_whole_store_is_whole(store):
    assert (found := check(store.path)).faults == ()
    assert (found.whole, found.unsealed) == (5, 0)


CHANGES = [
    "UPDATE results SET accuracy = 0.99 WHERE seed = 2",
    "UPDATE results SET method = 'demipl' WHERE seed = 2",
    "UPDATE results SET state = 'failed' WHERE seed = 2",
    "UPDATE results SET message = CAST(x'ff41' AS TEXT) WHERE seed = 2",
    "UPDATE results SET figures = '{\"ece\": 0.0}' WHERE seed = 2",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_a_changed_value_is_told_and_left_out(store, tmp_path, statement):
    change(store, statement)
    with pytest.raises(BadFile, match="damaged") as caught:
        store.results(("finished", "failed"))
    assert "\n" not in str(caught.value)
    found = repair(store.path, tmp_path / "new.db")
    assert len(found.faults) == 1 and found.whole == 4
    copy = Store(tmp_path / "new.db")
    assert [one.run.seed for one in copy.results()] == [0, 1, 3, 4]
    assert copy.predictions(copy.results()[0]) == SAID
    assert check(copy.path).faults == ()


@pytest.mark.parametrize("table", ["curves", "predictions"])
def test_changed_curves_and_predictions_are_told(store, table):
    text = {"curves": '{"loss": [9.0]}', "predictions": "{}"}[table]
    change(store, f"UPDATE {table} SET {table} = ?", text)
    result = store.results()[0]
    with pytest.raises(BadFile, match=f"its {table} were changed"):
        getattr(store, table)(result)
    assert len(check(store.path).faults) == 5


def test_a_store_of_an_earlier_version_is_read_and_then_sealed(store):
    change(store, "DROP TABLE seals")
    assert len(store.results()) == 5
    assert check(store.path).unsealed == 5
    store.record(replace(DONE, run=replace(KNOWN, seed=9)))
    found = check(store.path)
    assert (found.whole, found.unsealed, found.faults) == (6, 5, ())


@pytest.mark.parametrize("page", [2, 4, 6])
def test_damaged_pages_are_seen_on_opening(store, tmp_path, page):
    content = bytearray(store.path.read_bytes())
    assert len(content) > page * 4096
    content[(page - 1) * 4096 : page * 4096 - 2048] = b"\xa5" * 2048
    store.path.write_bytes(content)
    with pytest.raises(MiplError, match=r"damaged|no store"):
        Store(store.path).results()
    try:
        found = repair(store.path, tmp_path / "new.db")
    except MiplError as error:
        assert "\n" not in str(error)
    else:
        assert found.faults
        assert len(Store(tmp_path / "new.db").results()) == found.whole


def test_repair_writes_over_nothing(store, tmp_path):
    with pytest.raises(MiplError, match="exists; give the name of a new store"):
        repair(store.path, store.path)
    (tmp_path / "text").write_text("no store")
    with pytest.raises(BadFile, match="no store of results"):
        check(tmp_path / "text")


def test_verbs_check_and_repair(store, tmp_path, capsys):

    for damaged in (False, True):
        if damaged:
            change(store, CHANGES[0])
        with pytest.raises(SystemExit) as end:
            main(["runs", "check", "--store", str(store.path)])
        assert end.value.code == int(damaged)
    assert "was changed after it was recorded" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["runs", "repair", str(tmp_path / "b.db"), "--store", str(store.path)])
    assert end.value.code == 0 and "4 results in" in capsys.readouterr().out


def test_a_store_that_is_damaged_later_is_looked_through_again(store):
    assert len(Store(store.path).results()) == 5
    content = store.path.read_bytes()
    store.path.write_bytes(content[:6864] + b"=1+1," + content[6864:])
    with pytest.raises(MiplError):
        Store(store.path).results()
