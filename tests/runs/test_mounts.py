"""Stores are kept on disks of the machine."""

from pathlib import Path

import pytest

from mipl.errors import MiplError
from mipl.runs import database
from mipl.runs.mounts import remote_kind
from mipl.runs.store import Store

LINE = "36 35 98:0 /x {mount} rw,noatime master:1 - {kind} source rw\n"


def table(tmp_path, *mounts):
    path = tmp_path / "mountinfo"
    path.write_text("".join(LINE.format(mount=m, kind=k) for m, k in mounts))
    return path


def test_the_nearest_mount_decides(tmp_path):
    found = table(
        tmp_path,
        ("/", "ext4"),
        ("/home", "nfs4"),
        ("/home/local", "xfs"),
        ("/mnt/a\\040share", "cifs"),
    )
    for place, kind in (
        ("/home/me/results.db", "nfs4"),
        ("/homes/results.db", ""),
        ("/home/local/results.db", ""),
        ("/mnt/a share/results.db", "cifs"),
        ("/results.db", ""),
    ):
        assert remote_kind(Path(place), found) == kind


def test_a_later_mount_covers_an_earlier_one(tmp_path):
    found = table(tmp_path, ("/data", "ext4"), ("/data", "nfs"))
    assert remote_kind(Path("/data/results.db"), found) == "nfs"


def test_where_no_table_is_nothing_is_known(tmp_path):
    assert remote_kind(tmp_path, tmp_path / "absent") == ""


def test_a_store_on_another_machine_is_refused_for_writing(tmp_path, monkeypatch):
    Store(tmp_path / "results.db", create=True)
    monkeypatch.setattr(database, "remote_kind", lambda path: "nfs4")
    with pytest.raises(MiplError, match=r"lies on a network file system \(nfs4\)"):
        Store(tmp_path / "results.db", create=True)
    assert Store(tmp_path / "results.db").results() == []
