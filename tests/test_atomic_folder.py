"""Folders that appear whole: the old one or the new one, never a mixture."""

import errno
from pathlib import Path

import pytest

from mipl.atomic_folders import atomic_folder, read_whole, standing
from mipl.errors import MiplError
from mipl.files import FileCalls

NAMES = ("one", "two")


class PowerCut(BaseException):
    """Ends the program between two calls, as no except clause expects."""


class Failing(FileCalls):
    """Raises at the n-th call; may be of a system that cannot exchange names."""

    def __init__(self, n, error, swaps=True):
        self.left, self.error, self.swaps = n, error, swaps

    def _count(self):
        self.left -= 1
        if self.left < 0:
            raise self.error

    def open(self, path):
        self._count()
        return super().open(path)

    def write(self, handle, data):
        self._count()
        super().write(handle, data)

    def fsync(self, path):
        self._count()
        super().fsync(path)

    def replace(self, source, target):
        self._count()
        super().replace(source, target)

    def swap(self, first, second):
        self._count()
        return self.swaps and super().swap(first, second)

    def fsync_dir(self, folder):
        self._count()
        super().fsync_dir(folder)


def write(folder, text, calls=None):
    calls = calls or FileCalls()
    with atomic_folder(folder, NAMES, calls) as temporary:
        for name in NAMES:
            with calls.open(temporary / name) as handle:
                calls.write(handle, text)


def content(folder):
    """What a reader finds who knows where an earlier folder lies."""
    found = standing(folder)
    if not found.exists():
        return None
    return {path.name: path.read_bytes() for path in found.iterdir()}


OLD, NEW = (dict.fromkeys(NAMES, text) for text in (b"old", b"new"))


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no space"), PowerCut()])
@pytest.mark.parametrize("swaps", [True, False])
def test_whatever_call_fails_a_reader_finds_old_or_new(tmp_path, exists, error, swaps):
    target = tmp_path / "folder"
    outcomes = []
    for n in range(20):
        if exists:
            write(target, b"old")
        calls = Failing(n, error, swaps)
        try:
            write(target, b"new", calls)
        except (MiplError, PowerCut):
            outcomes.append(content(target))
        else:
            assert content(target) == NEW
            break
        finally:
            write(target, b"old")  # Works again after any failure.
            assert content(target) == OLD
            assert [path.name for path in tmp_path.iterdir()] == ["folder"]
            if not exists:
                for path in target.iterdir():
                    path.unlink()
                target.rmdir()
    assert n > 7  # Two files, two folders and at least one rename.
    before = OLD if exists else None
    assert all(outcome in (before, NEW) for outcome in outcomes)
    assert before in outcomes


def test_a_failed_rename_puts_the_old_folder_back(tmp_path):
    target = tmp_path / "folder"
    write(target, b"old")

    class SecondRename(FileCalls):
        renames = 0

        def replace(self, source, target):
            self.renames += 1
            if self.renames == 2:
                raise OSError(errno.EIO, "input/output error")
            super().replace(source, target)

        def swap(self, first, second):
            return False

    with pytest.raises(MiplError, match=r"cannot write .*: input/output error"):
        write(target, b"new", SecondRename())
    assert {path.name: path.read_bytes() for path in target.iterdir()} == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_failure_inside_leaves_nothing(tmp_path):
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "a", NAMES):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_written_through(tmp_path):
    write(tmp_path / "real", b"old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "real") == NEW


def test_what_is_not_ours_is_never_replaced(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(MiplError, match="it is a file; give a folder's name"):
        write(tmp_path / "file", b"new")
    write(tmp_path / "a", b"old")
    (tmp_path / "a" / "notes.txt").write_text("mine")
    with pytest.raises(MiplError, match=r"holds other files \(notes\.txt\)"):
        write(tmp_path / "a", b"new")
    assert (tmp_path / "a" / "notes.txt").read_text() == "mine"
    with pytest.raises(MiplError, match="does not exist; create it"):
        write(tmp_path / "none" / "a", b"new")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MiplError, match="it is in use; give another folder"):
        write(Path(), b"new")


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "a").mkdir()
    write(tmp_path / "a", b"new")
    assert content(tmp_path / "a") == NEW


def test_a_folder_may_hold_a_folder(tmp_path) -> None:
    for content in ("old", "new"):
        with atomic_folder(tmp_path / "run", ("file", "inner")) as place:
            (place / "file").write_text(content)
            with atomic_folder(place / "inner", ("deep",)) as inner:
                (inner / "deep").write_text(content)
    assert (tmp_path / "run/file").read_text() == "new"
    assert (tmp_path / "run/inner/deep").read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run"]


def test_an_exchange_leaves_no_moment_without_a_folder(tmp_path):
    write(tmp_path / "a", b"old")
    seen = []

    class Watching(FileCalls):
        def swap(self, first, second):
            done = super().swap(first, second)
            seen.append((done, content(tmp_path / "a"), content(first)))
            return done

    write(tmp_path / "a", b"new", Watching())
    if not seen[0][0]:
        pytest.skip("this file system cannot exchange names")
    assert seen == [(True, NEW, OLD)]


def test_a_reader_gets_one_writing_when_the_folder_is_replaced_meanwhile(tmp_path):
    target = tmp_path / "a"
    write(target, b"old")
    turns = []

    def read(folder):
        first = (folder / "one").read_bytes()
        if not turns:
            write(target, b"new")
        turns.append(first)
        return first, (folder / "two").read_bytes()

    assert read_whole(target, read) == (b"new", b"new")
    assert turns == [b"old", b"new"]


def test_a_file_in_a_folder_in_the_folder_is_forced_to_the_disk(tmp_path):
    forced = []

    class Noting(FileCalls):
        def fsync(self, path):
            forced.append(path.name)
            super().fsync(path)

    with atomic_folder(tmp_path / "a", (), Noting()) as place:
        (place / "features").mkdir()
        (place / "features" / "bag.npy").write_bytes(b"1")
    assert forced == ["bag.npy"]
