"""Finished bags: kept whole, shared by processes, damage noticed."""

import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from mipl.generators.finished import Finished
from mipl.generators.instance_bag import InstanceBag


def bag(number):
    features = np.arange(6, dtype=np.float32).reshape(2, 3) + number
    return InstanceBag(features, np.zeros((2, 4), np.float32))


@pytest.mark.parametrize(
    "damage",
    [
        "features = zeroblob(24)",
        "features = zeroblob(5)",
        "features = NULL",
        "n = 1",
        "boxes = 'text'",
        "seal = NULL",
    ],
)
def test_what_differs_from_what_was_put_counts_as_absent(tmp_path, damage):
    path = tmp_path / "finished"
    with Finished.open(path) as finished:
        finished.put([("a", bag(1)), ("b", bag(2))])
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"UPDATE bags SET {damage} WHERE key = 'a'")
    connection.close()
    with Finished.open(path) as finished:
        assert finished.get("a") is None
        np.testing.assert_array_equal(finished.get("b").features, bag(2).features)


def test_an_entry_of_another_key_counts_as_absent(tmp_path):
    path = tmp_path / "finished"
    with Finished.open(path) as finished:
        finished.put([("a", bag(1))])
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE bags SET key = 'b'")
    connection.close()
    with Finished.open(path) as finished:
        assert finished.get("b") is None


_WRITER = """
import sys, numpy as np
from mipl.generators.finished import Finished
from mipl.generators.instance_bag import InstanceBag
with Finished.open(sys.argv[1]) as finished:
    for i in range(100):
        features = np.full((2, 3), i, np.float32)
        finished.put([(str(i), InstanceBag(features, np.zeros((2, 4), np.float32)))])
        assert (finished.get(str(i)).features == i).all()
"""


def test_processes_may_write_at_once(tmp_path):
    path = tmp_path / "finished"
    command = [sys.executable, "-c", _WRITER, str(path)]
    started = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    with Finished.open(path) as finished:
        assert all((finished.get(str(i)).features == i).all() for i in range(100))
