"""Archives from strangers: no member leaves its folder, no claim takes memory."""

import hashlib
import io
import os
import stat
import warnings
import zipfile
from pathlib import Path

import pytest

from mipl.errors import BadFile, MiplError
from mipl.io.arrays.zip_file import opened, unpack

HOSTILE = ["..", "../x", "a/../../x", "a/..", "..\\x", "a\\..\\..\\x", ".", "./", ""]
HOSTILE += ["/etc/passwd", "//x", "/", "\\x", "\\\\host\\share\\x", "//host/share/x"]
HOSTILE += ["C:\\x", "C:x", "c:/x", "Z:", "\\\\?\\C:\\x", "\\\\.\\PIPE\\x"]
HOSTILE += ["a\nb", "a\rb", "\x1b[2J", "x\x7f", "x" * 1025, "a/" * 600 + "x"]
HOSTILE += ["../" * 100 + "etc/passwd", "\uff0e\uff0e/x", "\u2025/x", "\u2024\u2024/x"]
HOSTILE += ["\uff0fetc/passwd", ".. /x", "... /x", "a/... ", "a/.. /../x", " "]
HOSTILE += ["a/ /b", "..\uff0fx", "x/../../decoy/x", "../folder2/x", "a/./../../x"]


@pytest.fixture
def place(tmp_path):
    """A folder to unpack into, beside decoys whose names begin alike."""
    for name in ("folder", "folder2", "decoy"):
        (tmp_path / "all" / name).mkdir(parents=True)
    (tmp_path / "all/decoy/x").write_bytes(b"decoy")
    (tmp_path / "all/folder2/x").write_bytes(b"twin")
    return tmp_path / "all/folder"


def checksum(root: Path) -> str:
    """Return a hash of every name and content below a folder."""
    total = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        total.update(f"{path}{path.is_symlink()}".encode())
        total.update(path.read_bytes() if path.is_file() else b"")
    return total.hexdigest()


def archive_of(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of names that occur twice.
        for name, content in members:
            archive.writestr(name, content)
    return path


def test_there_are_forty_hostile_names() -> None:
    assert len(set(HOSTILE)) >= 40


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_nothing_is_written_outside(place, tmp_path, name) -> None:
    members = [("good.mat", b"good"), (zipfile.ZipInfo("placeholder"), b"evil")]
    members[1][0].filename = name  # As given: the constructor tidies names.
    path = archive_of(tmp_path / "a.zip", *members)
    before = checksum(place.parent)
    try:
        unpack(path, place)
    except MiplError:
        assert checksum(place.parent) == before
    else:  # It is a folder, of which nothing is made.
        assert name.endswith("/")
        assert [p.name for p in place.iterdir()] == ["good.mat"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(place, tmp_path, kind) -> None:
    member = zipfile.ZipInfo("x")
    member.external_attr = (kind | 0o777) << 16
    path = archive_of(tmp_path / "a.zip", (member, b"/etc/passwd"))
    with pytest.raises(BadFile, match="'x' is a link or a device"):
        unpack(path, place)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("names", [("x", "x"), ("x", "X"), ("a/x", "A/x"), ("ß", "SS")])
def test_names_that_some_systems_take_for_one(place, tmp_path, names) -> None:
    path = archive_of(tmp_path / "a.zip", *((name, b"") for name in names))
    with pytest.raises(BadFile, match="two files of the same name"):
        unpack(path, place)
    assert list(place.iterdir()) == []


def test_a_file_below_a_file(place, tmp_path) -> None:
    path = archive_of(tmp_path / "a.zip", ("a", b""), ("a/b", b""))
    with pytest.raises(BadFile):
        unpack(path, place)


def test_an_archive_inside_is_a_plain_file(place, tmp_path) -> None:
    inner = archive_of(tmp_path / "inner.zip", ("../x", b"evil")).read_bytes()
    path = archive_of(tmp_path / "a.zip", ("inner.zip", inner))
    assert unpack(path, place) == ["inner.zip"]
    assert (place / "inner.zip").read_bytes() == inner


@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"PK\x03\x04" + bytes(100)]
)
def test_what_is_no_archive(tmp_path, content) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(BadFile), opened(tmp_path / "a.zip"):
        raise AssertionError("was opened")


def test_every_cut_of_an_archive_is_refused(place, tmp_path) -> None:
    whole = archive_of(tmp_path / "a.zip", ("x", os.urandom(300))).read_bytes()
    for length in range(len(whole)):
        (tmp_path / "a.zip").write_bytes(whole[:length])
        with pytest.raises(BadFile):
            unpack(tmp_path / "a.zip", place)
        (place / "x").unlink(missing_ok=True)


def test_an_encrypted_member(tmp_path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x", b"secret")
    content = bytearray(packed.getvalue())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(BadFile, match="encrypted"), opened(tmp_path / "a.zip"):
        pass


def test_a_full_disk_is_not_called_damage(place, tmp_path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = archive_of(tmp_path / "a.zip", ("x", b"x"))
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(MiplError, match=r"cannot unpack .*No space left") as caught:
        unpack(path, place)
    assert not isinstance(caught.value, BadFile)
