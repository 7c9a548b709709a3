"""Every writer is stopped at each of its system calls: a reader finds old or new.

The calls are counted and failed in ``mipl.files``, under all writers at once. A power
cut ends the writer between two calls and runs none of its clean-up.
"""

import errno
import itertools
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mipl import Bags, Dataset, MiplError, read_dataset, write_dataset
from mipl.files import FileCalls

CALLS = ("open", "write", "fsync", "replace", "swap", "fsync_dir")


def data(version: int) -> Dataset:
    """Two data sets of one shape, none of whose parts is that of the other."""
    rows = np.arange(12, dtype=np.float32).reshape(6, 2) + 100 * version
    names = np.array(["oak", "elm", "ash"])
    order = np.roll(names, version)
    bags = Bags(rows, [0, 1, 3, 6])
    folds = [([0, 1], [2]), ([0, 2], [1])]
    return Dataset(
        bags,
        [{order[0], order[1]}, {order[1]}, {order[2]}],
        labels=[order[0], order[1], order[2]],
        splits={"default": folds[:: 1 - 2 * version]},
    )


def said(dataset: Dataset) -> tuple[object, ...]:
    """All that every format can hold, as plain values."""
    bags = dataset.bags.load()
    folds = dataset.splits.get("default", [])
    return (
        bags.instances.tolist(),
        bags.offsets.tolist(),
        [sorted(names) for names in dataset.candidates],
        list(dataset.labels),
        [(fold.train.tolist(), fold.test.tolist()) for fold in folds],
    )


def same(found: Dataset, wanted: Dataset) -> bool:
    return said(found) == said(wanted)


class Stopped(BaseException):
    """The writer is gone; no except clause expects it."""


class Points:
    """Counts the calls of ``FileCalls``; stops or fails the n-th, before or after."""

    def __init__(self, monkeypatch, n, error, after):
        self.left, self.error, self.after = n, error, after
        self.over = False
        for name in CALLS:
            real = getattr(FileCalls, name)
            monkeypatch.setattr(FileCalls, name, self.around(real))
        if isinstance(error, Stopped):  # A power cut leaves no time to clean up.
            for place, name in ((Path, "unlink"), (Path, "rmdir")):
                monkeypatch.setattr(place, name, self.silent(getattr(place, name)))
            monkeypatch.setattr(shutil, "rmtree", self.silent(shutil.rmtree))

    def silent(self, real):
        return lambda *a, **k: None if self.over else real(*a, **k)

    def around(self, real):
        def call(*arguments):
            self.left -= 1
            if self.left == -1 and not self.after:
                self.over = True
                raise self.error
            done = real(*arguments)
            if self.left == -1:
                self.over = True
                if hasattr(done, "close"):
                    done.close()
                raise self.error
            return done

        return call


NAMES = ["t.csv", "t.parquet", "t.npz", "t.bags.h5", "t.mat", "t73.mat"]


def write(name: str, version: int, folder: Path) -> None:
    options = {"version": "7.3"} if name == "t73.mat" else {}
    write_dataset(data(version), folder / name, **options)


ERRORS = [errno.ENOSPC, errno.EIO]


@pytest.mark.parametrize("name", NAMES)
def test_a_data_set_is_the_old_or_the_new_one_after_a_power_cut(tmp_path, name):
    check_all_points(tmp_path, name, exists=True, after=False, error=Stopped())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("exists", [True, False], ids=["over an old one", "new"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("code", [None, *ERRORS], ids=["cut", "full", "broken"])
def test_a_data_set_is_the_old_or_the_new_one(tmp_path, name, exists, after, code):
    error = Stopped() if code is None else OSError(code, "it failed")
    check_all_points(tmp_path, name, exists, after, error)


def check_all_points(tmp_path, name, exists, after, error):
    outcomes = []
    for n in itertools.count():
        folder = tmp_path / str(n)
        folder.mkdir()
        if exists:
            write_old(name, folder)
        finished = stopped_at(n, error, after, lambda f=folder: write(name, 1, f))
        outcomes.append(outcome(folder / name))
        if finished:
            break
        write_again(name, folder, outcomes[-1])
    before = "old" if exists else "nothing"
    assert set(outcomes) == {before, "new"} and outcomes[-1] == "new"
    # There is one moment from which on it is new.
    assert outcomes == sorted(outcomes, key=[before, "new"].index)
    assert n >= 3


def write_old(name: str, folder: Path) -> None:
    old = data(0)
    if name.endswith(".mat"):  # Beside the splits of others it does not write.
        old = replace(old, splits={})
    options = {"version": "7.3"} if name == "t73.mat" else {}
    write_dataset(old, folder / name, **options)


def outcome(path: Path) -> str:
    if not path.exists():
        return "nothing"
    found = read_dataset(path)
    old = data(0)
    if path.suffix == ".mat":
        old = replace(old, splits={})
    if same(found, old):
        return "old"
    assert same(found, data(1)), "a mixture"
    return "new"


def stopped_at(n, error, after, write) -> bool:
    """Write, and be stopped at call n; tell whether there were fewer calls."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        points = Points(monkeypatch, n, error, after)
        try:
            write()
        except (Stopped, MiplError):
            assert points.over
            return False
    # A failure may not be passed over in silence.
    assert not points.over
    return True


def write_again(name, folder, seen) -> None:
    """What a stopped writer has left is in nobody's way."""
    write(name, 1, folder)
    assert outcome(folder / name) == "new"
