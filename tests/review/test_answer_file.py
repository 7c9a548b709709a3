"""Answers on the disk: whole, in order, from many writers, after kills."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from mipl import MiplError
from mipl.review import AnswerFile


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


def test_what_is_added_is_read_by_others_at_once(path):
    one, other = AnswerFile(path), AnswerFile(path)
    assert other.answers() == []
    one.add("p", "set", ["oak"], by="anna")
    assert [a.bag for a in other.answers()] == ["p"]
    other.add("p", "set", ["elm", "ash"], by="ben")
    assert one.standing()["p"].classes == ("elm", "ash")
    assert [a.number for a in one.answers()] == [1, 2]


def test_kinds_of_class_names_come_back(path):
    AnswerFile(path).add("p", "set", [1, 2.5, True, "1"])
    (back,) = AnswerFile(path).answers()
    assert [type(name) for name in back.classes] == [int, float, bool, str]


def test_undo_takes_back_the_last_of_a_person_step_by_step(path):
    file = AnswerFile(path)
    file.add("p", "set", ["oak"], by="anna")
    file.add("q", "skip", by="ben")
    file.add("p", "set", ["elm"], by="anna")
    assert file.undo(by="anna").undoes == 3
    assert file.standing()["p"].classes == ("oak",)
    assert file.undo(by="anna").undoes == 1
    assert set(file.standing()) == {"q"}
    with pytest.raises(MiplError, match="no answer by 'anna'"):
        file.undo(by="anna")
    assert file.undo().bag == "q"
    assert len(path.read_text().splitlines()) == 6  # Nothing is ever removed.


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_line_that_was_cut_off_is_lost_alone(path, cut):
    file = AnswerFile(path)
    file.add("p", "set", ["oak"], by="anna")
    whole = path.read_bytes()
    file.add("q", "set", ["elm"], by="anna")
    left = path.read_bytes()[: len(whole) + cut]
    path.write_bytes(left)
    fresh = AnswerFile(path)
    assert [a.bag for a in fresh.answers()] == ["p"]
    fresh.add("r", "skip")
    again = AnswerFile(path)
    assert [a.bag for a in again.answers()] == ["p", "r"]
    assert again.damaged == 1
    assert path.read_bytes().startswith(left)  # What was there is not touched.


def test_an_answer_whose_line_end_alone_is_missing_counts(path):
    AnswerFile(path).add("p", "set", ["oak"])
    path.write_bytes(path.read_bytes()[:-1])
    file = AnswerFile(path)
    file.add("q", "skip")
    assert [(a.number, a.bag) for a in file.answers()] == [(1, "p"), (2, "q")]


def _write(path, who, n):
    file = AnswerFile(path)
    for i in range(n):
        file.decide(
            "shared",
            lambda now: ("set", [*(now.classes if now else ()), f"{who}{i}"]),  # noqa: B023
            by=who,
        )


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_two_writers_lose_nothing(path):
    context = multiprocessing.get_context("fork")
    both = [context.Process(target=_write, args=(path, w, 15)) for w in "ab"]
    for one in both:
        one.start()
    for one in both:
        one.join(120)
        assert one.exitcode == 0
    file = AnswerFile(path)
    assert [a.number for a in file.answers()] == list(range(1, 31))
    expected = {f"{w}{i}" for w in "ab" for i in range(15)}
    assert set(file.standing()["shared"].classes) == expected


KILLED = """
import sys
from mipl.review import AnswerFile
file = AnswerFile(sys.argv[1])
for i in range(100000):
    file.add(str(i), "set", ["oak" * 50])
    sys.stdout.write(f"{i}\\n")
    sys.stdout.flush()
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")
def test_who_is_killed_loses_at_most_the_answer_under_way(path):
    command = [sys.executable, "-c", KILLED, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        told = [writer.stdout.readline() for _ in range(20)]
        time.sleep(0.02)
        writer.send_signal(signal.SIGKILL)
        told += writer.stdout.readlines()
    last = max(int(line) for line in told if line.endswith("\n"))
    file = AnswerFile(path)
    found = [int(a.bag) for a in file.answers()]
    assert found[: last + 1] == list(range(last + 1))
    assert len(found) <= last + 2
    assert file.add("next", "skip").number == len(found) + 1


def test_a_full_disk_leaves_the_file_as_it_was(path, monkeypatch):
    file = AnswerFile(path)
    file.add("p", "skip")
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MiplError, match="no space left"):
        file.add("q", "skip")
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert file.add("q", "skip").number == 2
