"""Two names exchange what they stand for, or nothing happens."""

import errno
import sys

import pytest

from mipl import swap as module
from mipl.swap import swap


@pytest.fixture
def two(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    return tmp_path / "one", tmp_path / "other"


def contents(two):
    return [(folder / "file").read_text() for folder in two]


@pytest.mark.skipif(sys.platform != "linux", reason="a file system may not know it")
def test_folders_are_exchanged(two):
    assert swap(*two)
    assert contents(two) == ["other", "one"]


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP])
def test_a_system_that_cannot_is_told_apart_from_a_failure(two, code, monkeypatch):
    monkeypatch.setattr(module, "_call", lambda: lambda a, b: -1)
    monkeypatch.setattr(module.ctypes, "get_errno", lambda: code)
    assert not swap(*two)
    monkeypatch.setattr(module, "_call", lambda: None)
    assert not swap(*two)
    assert contents(two) == ["one", "other"]


def test_a_name_that_is_not_there_is_a_failure(two):
    with pytest.raises(FileNotFoundError):
        swap(two[0], two[1] / "absent")
    assert contents(two) == ["one", "other"]


def test_other_systems_are_asked_by_their_own_names(monkeypatch):
    monkeypatch.setattr(module.sys, "platform", "darwin")
    monkeypatch.setattr(module.ctypes, "CDLL", lambda *_, **__: object())
    assert module._call() is None
