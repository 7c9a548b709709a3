"""Files: old or new and never a mixture; no name leaves its folder."""

import errno
import hashlib
import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from mipl.atomic_folders import atomic_folder
from mipl.errors import BadFile, MiplError
from mipl.files import (
    FileCalls,
    atomic_path,
    clear_temporaries,
    existing,
    git_blob_id,
    make_folder,
    read_bounded,
    sha256,
    together,
    write_bytes,
    write_text,
)

CALLS = ("open", "write", "fsync", "replace", "fsync_dir")
ERRORS = [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EXDEV]
OLD, NEW = b"old" * 1000, b"new!" * 1000


class PowerCut(BaseException):
    """Ends the program between two calls, as no except clause expects."""


class Faulty(FileCalls):
    """Fails one call: before it, half-way (a torn write), or after it."""

    def __init__(self, call, when, error):
        self.call, self.when, self.error = call, when, error

    def _around(self, name, *arguments):
        if name == self.call and self.when == "half-way":
            handle, data = arguments
            super().write(handle, data[: len(data) // 2])
        if name != self.call or self.when == "after":
            result = getattr(super(), name)(*arguments)
        if name == self.call:
            if name == "open" and self.when == "after":
                result.close()
            raise self.error
        return result

    def open(self, path):
        return self._around("open", path)

    def write(self, handle, data):
        return self._around("write", handle, data)

    def fsync(self, path):
        return self._around("fsync", path)

    def replace(self, source, target):
        return self._around("replace", source, target)

    def fsync_dir(self, folder):
        return self._around("fsync_dir", folder)


def names(folder):
    return [path.name for path in folder.iterdir()]


POINTS = [(call, when) for call in CALLS for when in ("before", "after")]
POINTS += [("write", "half-way")]


@pytest.mark.parametrize("code", [*ERRORS, None], ids=errno.errorcode.get)
@pytest.mark.parametrize(("call", "when"), POINTS)
@pytest.mark.parametrize("exists", [True, False], ids=["old file", "no file"])
def test_whatever_fails_the_reader_sees_old_or_new(tmp_path, call, when, code, exists):
    path = tmp_path / "result.json"
    if exists:
        path.write_bytes(OLD)
    error = PowerCut() if code is None else OSError(code, os.strerror(code))
    expected = PowerCut if code is None else MiplError
    with pytest.raises(expected) as caught:
        write_bytes(path, NEW, Faulty(call, when, error))
    renamed = call == "fsync_dir" or (call, when) == ("replace", "after")
    if renamed:
        assert path.read_bytes() == NEW
    elif exists:
        assert path.read_bytes() == OLD
    assert names(tmp_path) == (["result.json"] if renamed or exists else [])
    if code is not None:
        assert os.strerror(code).lower() in str(caught.value)
        assert f"cannot write {path}" in str(caught.value)
    write_bytes(path, b"next")
    assert path.read_bytes() == b"next", (
        "a failure does not stand in the next one's way"
    )


def test_the_five_calls_come_in_the_safe_order(tmp_path):
    order = []

    class Counting(FileCalls):
        def __getattribute__(self, name):
            if name in CALLS:
                order.append(name)
            return super().__getattribute__(name)

    write_bytes(tmp_path / "a", NEW, Counting())
    assert order == list(CALLS) and (tmp_path / "a").read_bytes() == NEW


def test_an_error_of_the_writer_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(OLD)
    with pytest.raises(ZeroDivisionError), atomic_path(path) as temporary:
        temporary.write_bytes(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == OLD and names(tmp_path) == ["a.csv"]


def test_the_file_has_usual_rights_and_the_text_is_utf8(tmp_path):
    old = os.umask(0o022)
    try:
        write_text(tmp_path / "a.txt", "é\n")
    finally:
        os.umask(old)
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\n"
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o644


def test_two_writers_of_one_file_do_not_mix(tmp_path):
    path = tmp_path / "a"
    texts = [bytes([65 + i]) * 200_000 for i in range(4)]
    threads = [
        threading.Thread(target=lambda t=t: [write_bytes(path, t) for _ in range(5)])
        for t in texts
    ]
    for thread in threads:
        thread.start()
    seen = set()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            seen.add(path.read_bytes())
    assert seen <= set(texts) and names(tmp_path) == ["a"]


def test_the_longest_name_can_be_written(tmp_path):
    path = tmp_path / ("n" * 255)
    write_bytes(path, NEW)
    assert path.read_bytes() == NEW


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_bytes(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == NEW


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(MiplError, match=r"the folder .*none does not exist; create it"):
        write_bytes(tmp_path / "none" / "a", NEW)
    with pytest.raises(MiplError, match="it is a folder; give a file name"):
        write_bytes(tmp_path, NEW)
    with pytest.raises(MiplError, match="it is a device"):
        write_bytes("/dev/null", NEW)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(MiplError, match=r"circle|too many levels"):
        write_bytes(tmp_path / "a", NEW)


# -- reading --------------------------------------------------------------------------


def test_reading_is_bounded(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(BadFile, match="has 5 bytes; at most 4 are read"):
        read_bounded(path, 4)
    os.mkfifo(tmp_path / "pipe")
    for name, text in (("none", "does not exist"), ("pipe", "is not a file")):
        for read in (lambda p: read_bounded(p, 9), sha256, git_blob_id):
            with pytest.raises(MiplError, match=text):
                read(tmp_path / name)
    with pytest.raises(MiplError, match="is not a file"):
        read_bounded(tmp_path, 9)
    assert existing(str(tmp_path)) == tmp_path


def test_what_cannot_be_read_is_said():
    path = Path("/proc/self/mem")  # A file whose first page nobody can read.
    if not path.exists():
        pytest.skip("this system has no /proc")
    with pytest.raises(BadFile, match=r"cannot read .*: input/output error"):
        read_bounded(path, 9)


@pytest.mark.parametrize(
    ("content", "blob"),
    [
        (b"", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
        (b"hello world\n", "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"),
    ],
)
def test_ids_are_git_s_and_sha256_is_sha256(tmp_path, content, blob):
    path = tmp_path / "a"
    path.write_bytes(content)
    assert git_blob_id(path) == blob
    assert sha256(path) == hashlib.sha256(content).hexdigest()


def test_ids_of_long_files_are_git_s(tmp_path, program):
    path = tmp_path / "long"
    path.write_bytes(os.urandom(3_000_001))
    done = subprocess.run(
        [program("git"), "hash-object", "--no-filters", path],
        capture_output=True,
        check=True,
    )
    assert git_blob_id(path) == done.stdout.decode().strip()
    assert sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_folder_is_made_with_its_parents_or_told(tmp_path) -> None:
    assert make_folder(tmp_path / "a/b").is_dir()
    assert make_folder(tmp_path / "a/b").is_dir()
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file/inside"):
        with pytest.raises(MiplError, match="cannot make the folder"):
            make_folder(path)


def test_what_a_killed_writer_left_is_cleared_and_nothing_else(tmp_path):
    path, other = tmp_path / ("é" * 120), tmp_path / "other"
    with atomic_path(other) as kept, pytest.raises(PowerCut):
        kept.write_bytes(b"alive")
        with atomic_path(path) as left:
            left.write_bytes(b"half")
            copy = left.with_name(left.name.replace(left.name[-12:], "0.tmp"))
            copy.write_bytes(b"left by a kill")
            raise PowerCut
    folder = tmp_path / "run"
    with atomic_folder(folder, ["a"]) as left:
        (left / "a").write_bytes(NEW)
        dead = left.with_name(left.name.replace(left.name[-12:], "0.tmp"))
        dead.mkdir()
        (dead / "a").write_bytes(b"left by a kill")
    assert set(names(tmp_path)) == {"other", "run", copy.name, dead.name}
    clear_temporaries(path)
    clear_temporaries(folder)
    clear_temporaries(tmp_path / "never written")
    assert set(names(tmp_path)) == {"other", "run"}


def test_files_written_together_get_their_names_at_the_end_or_not_at_all(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    write_text(old, "old")
    with pytest.raises(MiplError, match="cannot write"), together():
        write_text(old, "new")
        write_text(new, "new")
        assert old.read_text() == "old" and not new.exists()
        write_text(tmp_path / "no" / "folder", "")
    assert names(tmp_path) == ["old"] and old.read_text() == "old"
    with together():
        write_text(old, "new")
        write_text(new, "new")
    assert sorted(names(tmp_path)) == ["new", "old"]
    assert old.read_text() == new.read_text() == "new"
