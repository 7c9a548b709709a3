"""The fence holds: whatever happens to the child, the caller gets a sentence."""

import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl.errors import BadFile, MiplError
from mipl.fenced.frames import Frame, Refused, read_frame, write_frame
from mipl.io.fence import pool as fence_server
from mipl.io.fence.pool import Server
from mipl.io.fence.reading import Limits, fenced, fenced_arrays

LIMITS = {"total": 1 << 16, "memory": 256 << 20, "cpu": 1, "options": {}}


@pytest.fixture(scope="module")
def rogue():
    """A running server with tasks that misbehave."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent / "rogue")
        server = Server("rogue_server")
    yield server
    assert server.alive
    server.close()


def ask(server, path, task, wall=30, **changes):
    """Run a task on a file and return its frames."""
    order = {**LIMITS, "task": task, **changes}
    file = os.open(path, os.O_RDONLY)
    try:
        return list(server.frames(file, order, wall))
    finally:
        os.close(file)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.bin"
    path.write_bytes(b"some bytes")
    return path


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        ("crash", r"crashed the child process \(SIGSEGV\)"),
        ("leave", "ended early"),
        ("spin", "took too long"),
        ("bloat", "more than 268,435,456 bytes of memory"),
        ("overclaim", "more than the 65,536 bytes that max_bytes allows"),
        ("drip", "more than the 224 bytes that max_bytes allows"),
        ("garble", "answer is garbled"),
        ("object_type", "answer is garbled"),
        ("long_header", "a header of 50"),
        ("stumble", r"damaged \(KeyError: 'a mistake of the parser'\)"),
        ("open_many", "damaged"),
    ],
)
def test_each_misdeed_is_one_sentence_and_the_next_file_is_read(
    rogue, small, task, sentence
):
    with pytest.raises(Refused, match=sentence):
        ask(rogue, small, task)
    (frame,) = ask(rogue, small, "whole")
    assert frame.array.tobytes() == b"some bytes"


def test_waiting_ends_at_the_deadline(rogue, small):
    with pytest.raises(Refused, match="took more than 1 seconds"):
        ask(rogue, small, "sleep", wall=1)


def test_the_child_can_write_no_file(tmp_path, small):
    target = tmp_path / "litter.txt"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent / "rogue")
        environment = fence_server._environment()
        patch.setattr(
            fence_server, "_environment", lambda: {**environment, "LITTER": str(target)}
        )
        server = Server("rogue_server")
    try:
        with pytest.raises(Refused):
            ask(server, small, "litter")
    finally:
        server.close()
    assert not target.exists() or target.stat().st_size == 0


def test_the_child_loads_nothing_heavy():
    code = (
        "import sys, mipl.fenced.server; "
        "print(*{'torch', 'scipy', 'sklearn', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


@pytest.fixture
def one_array(tmp_path):
    path = tmp_path / "one.h5"
    with h5py.File(path, "w") as top:
        top["features"] = np.arange(6.0).reshape(2, 3)
    return path


def read_features(path):
    return fenced_arrays(path, "hdf5", wanted=["features", "coords"])


def test_arrays_of_an_hdf5_file(one_array):
    arrays = read_features(one_array)
    assert list(arrays) == ["features"]
    assert arrays["features"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_hdf5_arrays_outside_the_file_are_not_followed(tmp_path, one_array):
    linked = tmp_path / "linked.h5"
    with h5py.File(linked, "w") as top:
        top["features"] = h5py.ExternalLink(str(one_array), "features")
        top.create_dataset(
            "coords", (8,), "u1", external=[(str(one_array), 0, h5py.h5f.UNLIMITED)]
        )
    with pytest.raises(BadFile, match="link to somewhere else"):
        fenced_arrays(linked, "hdf5", wanted=["features"])
    with pytest.raises(BadFile, match="lies in other files"):
        fenced_arrays(linked, "hdf5", wanted=["coords"])


def test_no_descriptor_is_left_open(one_array):
    read_features(one_array)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        read_features(one_array)
    unfinished = fenced(one_array, "hdf5", wanted=["features"])
    next(unfinished)
    unfinished.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_dead_server_is_replaced(one_array):
    read_features(one_array)
    for server in fence_server._IDLE[os.getpid()]:
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert "features" in read_features(one_array)


def test_threads_and_nested_reads_have_servers_of_their_own(one_array):
    outer = fenced(one_array, "hdf5", wanted=["features", "features"])
    next(outer)
    with ThreadPoolExecutor(3) as pool:
        shapes = [
            arrays["features"].shape
            for arrays in pool.map(read_features, [one_array] * 9)
        ]
    assert shapes == [(2, 3)] * 9
    assert next(outer).name == "features"


def test_a_forked_process_starts_its_own_server(one_array):
    read_features(one_array)
    ours = [server.process.pid for server in fence_server._IDLE[os.getpid()]]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        shape, theirs = pool.apply(_read_in_fork, (one_array,))
    assert shape == (2, 3)
    assert not set(theirs) & set(ours)


def _read_in_fork(path):
    shape = read_features(path)["features"].shape
    servers = [server.process.pid for server in fence_server._IDLE[os.getpid()]]
    fence_server.close_all()
    return shape, servers


def test_a_server_that_does_not_start_is_told(tmp_path):
    with pytest.raises(MiplError, match="could not be started"):
        Server("no_such_module")


def test_what_is_no_file_is_told(tmp_path):
    with pytest.raises(MiplError, match="does not exist"):
        read_features(tmp_path / "absent.h5")
    with pytest.raises(MiplError, match="is not a file"):
        read_features(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MiplError, match="is not a file"):
        read_features(tmp_path / "pipe")


def test_limits_grow_with_the_file():
    small, large = Limits.of(1000), Limits.of(1 << 30)
    assert small.total < 100 << 20 and large.total > 50 << 30
    assert small.memory <= 1 << 30 and small.cpu <= 10
    assert large.memory > 6 << 30 and large.cpu > 200
    assert Limits.of(1000, max_bytes=1 << 30).memory > 4 << 30


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_breach(raw):
    place = 0

    def fill(buffer):
        nonlocal place
        if place + len(buffer) > len(raw):
            raise EOFError
        buffer[:] = raw[place : place + len(buffer)]
        place += len(buffer)

    try:
        frame = read_frame(fill, 100)
    except (Refused, EOFError):
        return
    assert frame.nbytes <= 100 or not frame.has_bytes


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=">i4").reshape(2, 3).T,
        np.zeros((0, 4), np.float16),
        np.array([[True, False]]),
        np.array(3.5),
    ],
)
def test_frames_come_back_as_they_were(array, tmp_path):
    path = tmp_path / "frames"
    with path.open("wb") as out:
        write_frame(out, Frame.of_array("größe", array))
        write_frame(out, Frame.of_text("t", "naïve"))
    with path.open("rb") as source:

        def fill(buffer):
            assert source.readinto(buffer) == len(buffer)

        first, second = read_frame(fill, 1000), read_frame(fill, 1000)
    assert first.name == "größe" and first.array.dtype.isnative
    np.testing.assert_array_equal(first.array, array)
    assert second.text == "naïve"


@pytest.mark.parametrize(
    "header",
    [
        b"[" * 4000,
        b'["array", "x", "f8", [4611686018427387904, 4611686018427387904]]',
        b'["array", "x", "f8", [-1]]',
        b'["array", 1, "f8", [1]]',
        b'["array", "x", "f8", {}]',
        b'["array", "x", ["f8"], [1]]',
        b'["array", "x", "f8", [1,1,1,1,1,1,1,1,1]]',
        b"\xff",
    ],
)
def test_garbled_headers_are_breaches(header):
    raw = len(header).to_bytes(4, "little") + header

    def fill(buffer, place=[0]):  # noqa: B006
        buffer[:] = raw[place[0] : place[0] + len(buffer)]
        place[0] += len(buffer)

    with pytest.raises(Refused, match="garbled"):
        read_frame(fill, 1 << 20)
