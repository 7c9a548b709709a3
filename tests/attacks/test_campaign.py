"""A little of every part of ``make attack``, and its book-keeping."""

import os
import time
from collections import Counter

import pytest
from tests.attacks.campaign import __main__ as campaign
from tests.attacks.campaign import methods, mutants, pieces

FINE = {"refused", "equal", "accepted and differs"}


@pytest.mark.parametrize("name", mutants.FORMATS)
def test_a_few_mutants_of_every_format(name, tmp_path):
    found = mutants.piece(name, 99, tmp_path, 12)
    assert set(found) <= FINE and sum(found.values()) == 12
    if name in ("csv", "parquet", "npz", "bags.h5", "model", "checkpoint"):
        assert not found["accepted and differs"], "these have hashes"


@pytest.mark.parametrize("seed", [1, 5, 14, 16, 21, 26])
def test_a_store_with_damaged_columns_is_refused(seed, tmp_path):
    """One mutant each: no UTF-8, no such column in a name; a text for a number."""
    assert set(mutants.piece("results.db", seed, tmp_path, 100)) <= {"refused", "equal"}


def test_the_same_bits_and_kills_of_one_method(tmp_path):
    assert methods.same_bits("miplma", 0, tmp_path, 2) == Counter(same=2)
    found = methods.kills("proden", 0, tmp_path, 1)
    assert found["same bits"] == 1 and not found["DIFFERENT BITS"]


@pytest.mark.slow
@pytest.mark.parametrize("key", campaign.PARTS)
def test_a_hundredth_of_every_part(key, tmp_path):
    campaign.run(key, tmp_path / "kept.json", 0.01)
    for piece in campaign.read(tmp_path / "kept.json")[key].values():
        assert set(piece["found"]) <= {*campaign.GOOD, "accepted and differs"} or any(
            "keeps no checkpoints" in what for what in piece["found"]
        )


def crash(name, seed, folder, count):
    os.abort()


def hang(name, seed, folder, count):
    time.sleep(60)


def test_a_crash_and_a_hang_are_counted_and_end_nothing(monkeypatch):
    monkeypatch.setattr(pieces, "SECONDS", 3)
    (what,) = pieces.outcome(crash, "a", 0, 1)
    assert what.startswith("CRASH in a, seed 0")
    (what,) = pieces.outcome(hang, "a", 0, 1)
    assert what.startswith("HANG in a, seed 0")


def test_what_is_done_is_not_done_again_and_is_reported(tmp_path, monkeypatch):
    part = campaign.Part("things", None, ["a", "b"], 10, 100)
    monkeypatch.setitem(campaign.PARTS, "things", part)
    ran = []

    def outcome(piece, name, seed, count):
        ran.append((name, seed, count))
        if len(ran) == 4:
            raise KeyboardInterrupt
        return Counter({"refused": count - 1, f"traceback of {name}": 1})

    monkeypatch.setattr(campaign, "outcome", outcome)
    kept = tmp_path / "kept.json"
    with pytest.raises(KeyboardInterrupt):
        campaign.run("things", kept, 1.0)
    campaign.run("things", kept, 1.0)
    assert len(ran) == 11 and len(set(ran)) == 10
    assert sum(count for _, _, count in set(ran)) == part.goal
    text = campaign.report(kept)
    assert "| things | 100 | 100 | 90 refused, 10 as listed below |" in text
    assert "- things, a: traceback of a (5)" in text
