"""A full disk is one sentence, the old file stays, and the process goes on."""

import errno
import os
import shutil
import subprocess
import sys
from collections import Counter, namedtuple
from pathlib import Path

import pytest
from tests.crash import full_disk

from mipl import MiplError, write_dataset
from mipl.io.hdf5_target import new_hdf5


def test_whatever_the_disk_takes_the_writer_survives(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.full_disk", tmp_path],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    refused = Counter(line.split()[0] for line in done.stdout.splitlines())
    assert set(refused) == set(full_disk.NAMES)
    assert refused["t.bags.h5"] >= 3 and refused["t73.mat"] >= 3


def test_space_is_looked_for_before_anything_is_written(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 9, 1))
    with pytest.raises(MiplError, match=r"no space for 6,400 bytes .*make room"):
        write_dataset(full_disk.data(0, 50), tmp_path / "t.bags.h5")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fails", range(12))
def test_whichever_write_of_an_hdf5_file_fails_it_is_raised(
    tmp_path, monkeypatch, fails
):
    real, left = os.pwrite, [fails]

    def pwrite(*arguments):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.EIO, "input/output error")
        return real(*arguments)

    monkeypatch.setattr(os, "pwrite", pwrite)
    with pytest.raises(OSError, match="input/output error"):
        with new_hdf5(tmp_path / "a.h5", libver="latest") as (top, _):
            for name in "abcdefgh":
                top.create_dataset(name, data=range(1000), chunks=(100,))
    assert left[0] < 0
