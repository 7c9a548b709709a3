"""Folders that appear whole: the old one or the new one, never a mixture."""

import errno
from pathlib import Path

import pytest

from mipl.errors import MiplError
from mipl.files import FileCalls, atomic_folder, previous

NAMES = ("one", "two")


class PowerCut(BaseException):
    """Ends the program between two calls, as no except clause expects."""


class Failing(FileCalls):
    """Raises at the n-th call."""

    def __init__(self, n, error):
        self.left, self.error = n, error

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
    found = folder if folder.exists() else previous(folder)
    if not found.exists():
        return None
    return {path.name: path.read_bytes() for path in found.iterdir()}


OLD, NEW = (dict.fromkeys(NAMES, text) for text in (b"old", b"new"))


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "no space"), PowerCut()])
def test_whatever_call_fails_a_reader_finds_old_or_new(tmp_path, exists, error):
    target = tmp_path / "folder"
    outcomes = []
    for n in range(20):
        if exists:
            write(target, b"old")
        calls = Failing(n, error)
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

    with pytest.raises(MiplError, match=r"cannot write .*: input/output error"):
        write(target, b"new", SecondRename())
    assert {path.name: path.read_bytes() for path in target.iterdir()} == OLD
    assert not previous(target).exists()


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
