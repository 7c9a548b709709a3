"""A file of HDF5 whose disk is full keeps all that was written to it."""

import errno
import os

import numpy as np
import pytest

from mipl.io import hdf5_target
from mipl.seeds import stream


@pytest.fixture
def target(tmp_path):
    handle = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    yield hdf5_target._Target(handle)
    os.close(handle)


@pytest.mark.parametrize("room", [0, 40, 10**6])
def test_what_the_disk_did_not_take_is_read_back_all_the_same(
    target, room, monkeypatch
):
    """A walk of writes, cuts and reads, against bytes in memory."""
    real = os.pwrite

    def pwrite(handle, data, place):
        if place + len(data) > room:
            raise OSError(errno.ENOSPC, "no space")
        return real(handle, data, place)

    monkeypatch.setattr(os, "pwrite", pwrite)
    rng, memory = stream(0, "walk"), bytearray()
    for _ in range(60):
        place, size = (int(n) for n in rng.integers(0, 80, 2))
        data = rng.bytes(size)
        target.seek(place)
        target.write(data)
        memory.extend(b"\0" * (place + size - len(memory)))
        memory[place : place + size] = data
        assert target.tell() == place + size
        start = int(rng.integers(0, len(memory)))
        found = np.zeros(len(memory) - start, np.uint8)
        target.seek(start)
        target.readinto(found)
        assert found.tobytes() == memory[start:]
    if room < 100:
        with pytest.raises(OSError, match="no space"):
            target.check()
    else:
        target.check()
