"""Fetching against a local server that cuts, lies, refuses and changes its mind."""

import hashlib
import io
import json
import stat
import struct
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mipl.datasets import download as downloads
from mipl.datasets import fetch as fetching
from mipl.datasets.download import download
from mipl.datasets.fetch import PUBLISHED, PublishedArchive, fetch
from mipl.errors import BadFile, MiplError

# Incompressible, so that a cut falls inside the archive.
CONTENT = np.random.default_rng(0).bytes(300_000)


def git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(downloads, "_PAUSE", 0)


@pytest.fixture
def published(site, monkeypatch):
    """A set named "tiny" whose archive holds a file of known and one of any content."""
    files = {"tiny/tiny_r1.mat": CONTENT, "tiny/index/index1.mat": b"splits"}
    monkeypatch.setitem(
        PUBLISHED,
        "tiny",
        PublishedArchive("tiny.zip", {"tiny_r1.mat": git_id(CONTENT)}),
    )
    site.files["/tiny.zip"] = zipped(files)
    return files


def left(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_whole_fetch(site, published, tmp_path) -> None:
    seen = []
    got = fetch(
        "tiny", tmp_path, address=site.url, progress=lambda *now: seen.append(now)
    )
    size = len(site.files["/tiny.zip"])
    assert got.fresh and got.folder == tmp_path / "tiny"
    assert {f: (got.folder / f).read_bytes() for f in got.files} == published
    assert got.verified == ("tiny/tiny_r1.mat",)
    assert seen[0] == (0, size) and seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert left(tmp_path) == sorted(
        [f"tiny/{f}" for f in published] + ["tiny/fetched.json"]
    )


def test_good_files_are_neither_fetched_nor_touched_again(
    site, published, tmp_path
) -> None:
    fetch("tiny", tmp_path, address=site.url)
    before = (tmp_path / "tiny/tiny/tiny_r1.mat").stat().st_mtime_ns
    again = fetch("tiny", tmp_path, address=site.url)
    assert not again.fresh and again.verified == ("tiny/tiny_r1.mat",)
    assert len(site.asked) == 1
    assert (tmp_path / "tiny/tiny/tiny_r1.mat").stat().st_mtime_ns == before


def test_damaged_files_are_fetched_again(site, published, tmp_path) -> None:
    fetch("tiny", tmp_path, address=site.url)
    file = tmp_path / "tiny/tiny/tiny_r1.mat"
    file.write_bytes(CONTENT[:-1])
    assert fetch("tiny", tmp_path, address=site.url).fresh
    assert file.read_bytes() == CONTENT
    assert [place.name for place in tmp_path.iterdir()] == ["tiny"]


def test_a_folder_of_the_user_is_left_alone(site, published, tmp_path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/mine.txt").write_text("mine")
    with pytest.raises(MiplError, match="was not made by fetch; move it"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == ["tiny/mine.txt"] and not site.asked


def test_a_cut_connection_is_resumed_at_once(site, published, tmp_path) -> None:
    site.cut_after = [100_000, 50_000]
    fetch("tiny", tmp_path, address=site.url)
    assert [one["range"] for one in site.asked] == [
        None,
        "bytes=100000-",
        "bytes=150000-",
    ]
    assert [one["if-range"] for one in site.asked] == [None, '"v1"', '"v1"']
    assert (tmp_path / "tiny/tiny/tiny_r1.mat").read_bytes() == CONTENT


def test_an_interrupted_fetch_goes_on_in_the_next_call(
    site, published, tmp_path
) -> None:
    site.cut_after = [100_000] + [0] * 3
    with pytest.raises(MiplError, match=r"stopped after 100,000 bytes .* run the same"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == ["tiny.zip.part", "tiny.zip.part.json"]
    site.asked.clear()
    fetch("tiny", tmp_path, address=site.url)
    assert [one["range"] for one in site.asked] == ["bytes=100000-"]
    assert (tmp_path / "tiny/tiny/tiny_r1.mat").read_bytes() == CONTENT


def test_a_keyboard_interrupt_keeps_what_has_arrived(site, published, tmp_path) -> None:
    def stop(done: int, total: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("tiny", tmp_path, address=site.url, progress=stop)
    arrived = (tmp_path / "tiny.zip.part").stat().st_size
    assert 0 < arrived < len(site.files["/tiny.zip"])
    site.asked.clear()
    fetch("tiny", tmp_path, address=site.url)
    assert [one["range"] for one in site.asked] == [f"bytes={arrived}-"]


def test_an_interrupt_while_unpacking_keeps_the_archive(
    site, published, tmp_path, monkeypatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(fetching, "unpack", lambda *_: (_ for _ in ()).throw(OSError))
        with pytest.raises(OSError):
            fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == ["tiny.zip"]
    assert fetch("tiny", tmp_path, address=site.url).fresh
    assert len(site.asked) == 1


def test_a_file_that_changed_on_the_server_starts_anew(site, tmp_path) -> None:
    site.files["/a"] = b"old" * 1000
    site.cut_after = [100] + [0] * 3
    with pytest.raises(MiplError):
        download(f"{site.url}/a", tmp_path / "a")
    site.files["/a"], site.etag = b"new!" * 1000, '"v2"'
    download(f"{site.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"new!" * 1000


@pytest.mark.parametrize(
    ("etag", "modified", "asked"),
    [
        ('W/"weak"', None, None),
        (None, "Sun, 15 Nov 2026 08:00:00 GMT", "Sun, 15 Nov 2026 08:00:00 GMT"),
        (None, None, None),
    ],
)
def test_the_version_is_asked_for_as_far_as_it_is_known(
    site, tmp_path, etag, modified, asked
) -> None:
    site.etag, site.modified = etag, modified
    site.files["/a"], site.cut_after = CONTENT, [1000]
    download(f"{site.url}/a", tmp_path / "a")
    assert site.asked[1] == {"range": "bytes=1000-", "if-range": asked}
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_server_without_ranges_starts_anew(site, tmp_path) -> None:
    site.ranges, site.cut_after = False, [1000]
    site.files["/a"] = CONTENT
    download(f"{site.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert left(tmp_path) == ["a"]


def test_a_server_that_tells_no_length(site, published, tmp_path) -> None:
    site.tell_length = False
    totals = set()
    fetch(
        "tiny", tmp_path, address=site.url, progress=lambda _, total: totals.add(total)
    )
    assert totals == {None}


def test_a_part_that_is_already_whole(site, tmp_path) -> None:
    site.files["/a"] = CONTENT
    (tmp_path / "a.part").write_bytes(CONTENT)
    (tmp_path / "a.part.json").write_text(json.dumps({"url": f"{site.url}/a"}))
    download(f"{site.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_dropped(site, tmp_path) -> None:
    site.files["/a"] = CONTENT
    (tmp_path / "a.part").write_bytes(CONTENT + b"more")
    (tmp_path / "a.part.json").write_text(json.dumps({"url": f"{site.url}/a"}))
    download(f"{site.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT


@pytest.mark.parametrize(
    "note", ['{"url": "http://elsewhere"}', "[1]", "no json", None]
)
def test_a_part_of_something_else_is_not_continued(site, tmp_path, note) -> None:
    site.files["/a"] = CONTENT
    (tmp_path / "a.part").write_bytes(b"something else")
    if note is not None:
        (tmp_path / "a.part.json").write_text(note)
    download(f"{site.url}/a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == CONTENT
    assert site.asked[0]["range"] is None


def test_a_range_that_was_not_asked_for_is_refused(site, tmp_path) -> None:
    site.files["/a"], site.cut_after, site.wrong_range = CONTENT, [1000], True
    with pytest.raises(MiplError, match="where bytes 1000- were asked for"):
        download(f"{site.url}/a", tmp_path / "a")


def test_a_missing_file_is_told_at_once(site, tmp_path) -> None:
    with pytest.raises(MiplError, match=r"/SIVAL_MIPL.zip answered 404 Not Found; ch"):
        fetch("sival-mipl", tmp_path, address=f"{site.url}/")
    assert len(site.asked) == 1 and left(tmp_path) == []


def test_a_server_in_trouble_is_asked_again(site, tmp_path) -> None:
    site.files["/a"], site.failures = CONTENT, [503, 500]
    download(f"{site.url}/a", tmp_path / "a")
    assert len(site.asked) == 3
    site.failures = [503] * 9
    with pytest.raises(MiplError, match=r"stopped after 0 bytes \(503 Service"):
        download(f"{site.url}/a", tmp_path / "b")


def test_nobody_listens(site, tmp_path) -> None:
    with pytest.raises(MiplError, match=r"refused\); run the same again"):
        download("http://127.0.0.1:9/a", tmp_path / "a")


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://a/b", "data:,x", "a"])
def test_only_web_addresses(site, tmp_path, url) -> None:
    with pytest.raises(MiplError, match="must begin with http:// or https://"):
        download(url, tmp_path / "a")


def test_a_redirection_to_a_local_file_is_not_followed(site, tmp_path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    site.redirect = secret.as_uri()
    with pytest.raises(MiplError):
        download(f"{site.url}/a", tmp_path / "a")
    assert left(tmp_path) == ["secret"]


def test_a_file_too_large_is_refused_by_its_length_and_by_its_bytes(
    site, tmp_path
) -> None:
    site.files["/a"] = CONTENT
    with pytest.raises(MiplError, match="has 300,000 bytes; at most 1,000"):
        download(f"{site.url}/a", tmp_path / "a", most=1000)
    site.tell_length = False
    with pytest.raises(MiplError, match="more than 1,000 bytes"):
        download(f"{site.url}/a", tmp_path / "a", most=1000)


def test_other_content_than_published_is_refused(site, published, tmp_path) -> None:
    site.files["/tiny.zip"] = zipped({"tiny_r1.mat": CONTENT + b"!"})
    with pytest.raises(BadFile, match=r"tiny_r1.mat of tiny.zip has other content"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []
    site.files["/tiny.zip"] = zipped({"other.mat": CONTENT})
    with pytest.raises(BadFile, match=r"tiny_r1.mat of tiny.zip is missing; it must"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def test_the_id_of_a_large_file_pointer_counts_too(
    site, published, tmp_path, monkeypatch
) -> None:
    digest = hashlib.sha256(CONTENT).hexdigest()
    pointer = (
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{digest}\nsize {len(CONTENT)}\n"
    )
    known = replace(
        PUBLISHED["tiny"], git_ids={"tiny_r1.mat": git_id(pointer.encode())}
    )
    monkeypatch.setitem(PUBLISHED, "tiny", known)
    assert fetch("tiny", tmp_path, address=site.url).verified == ("tiny/tiny_r1.mat",)


def test_a_page_instead_of_an_archive(site, published, tmp_path) -> None:
    site.files["/tiny.zip"] = b"<html>log in first</html>"
    with pytest.raises(BadFile, match="damaged or no zip archive"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def test_one_changed_byte_is_found(site, published, tmp_path) -> None:
    content = bytearray(site.files["/tiny.zip"])
    content[150_000] ^= 1
    site.files["/tiny.zip"] = bytes(content)
    with pytest.raises(BadFile):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def claiming(content: bytes, size: int) -> bytes:
    """Return an archive whose one member claims to have ``size`` bytes."""
    packed = bytearray(zipped({"tiny_r1.mat": content}))
    for record, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = packed.index(record) + place
        packed[start : start + 4] = struct.pack("<I", size)
    return bytes(packed)


def test_a_bomb_is_refused_before_it_is_unpacked(site, published, tmp_path) -> None:
    site.files["/tiny.zip"] = claiming(bytes(1000), 4 * 10**9)
    with pytest.raises(BadFile, match=r"claims to hold 4,000,000,000; more than"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def test_a_member_that_is_longer_than_it_claims(site, published, tmp_path) -> None:
    site.files["/tiny.zip"] = claiming(bytes(20 << 20), 1000)
    with pytest.raises(BadFile, match="damaged or no zip archive: Bad CRC-32"):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def test_too_many_members(site, published, tmp_path) -> None:
    site.files["/tiny.zip"] = zipped({f"{i}": b"" for i in range(1001)})
    with pytest.raises(BadFile, match="holds 1,001 members"):
        fetch("tiny", tmp_path, address=site.url)
    # So many that their list alone would fill the memory.
    site.files["/tiny.zip"] = zipped({f"{i:0100}": b"" for i in range(9000)})
    with pytest.raises(BadFile, match="bytes of members"):
        fetch("tiny", tmp_path, address=site.url)


@pytest.mark.parametrize(
    "name",
    [
        "../evil.mat",
        "a/../../evil.mat",
        "/evil.mat",
        "C:/evil.mat",
        "..\\evil.mat",
        "\\\\host\\share\\evil.mat",
        "x" * 2000,
        "a/" * 600 + "b",
    ],
)
def test_names_that_leave_the_folder(site, published, tmp_path, name) -> None:
    site.files["/tiny.zip"] = zipped({"tiny_r1.mat": CONTENT, name: b"evil"})
    with pytest.raises(MiplError):
        fetch("tiny", tmp_path / "root", address=site.url)
    assert "evil" not in " ".join(left(tmp_path))
    assert not (tmp_path / "root/tiny").exists()


def test_links_are_refused(site, published, tmp_path) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(link, "/etc")
    site.files["/tiny.zip"] = packed.getvalue()
    with pytest.raises(BadFile, match="'link' is a link or a device"):
        fetch("tiny", tmp_path, address=site.url)


@pytest.mark.parametrize("names", [("a.mat", "A.mat"), ("a", "a/b")])
def test_names_that_some_systems_take_for_one(site, published, tmp_path, names) -> None:
    site.files["/tiny.zip"] = zipped({name: b"x" for name in names})
    with pytest.raises(BadFile):
        fetch("tiny", tmp_path, address=site.url)
    assert left(tmp_path) == []


def test_encrypted_and_unusual_members(site, published, tmp_path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.mat", b"x")
    site.files["/tiny.zip"] = packed.getvalue()
    with pytest.raises(BadFile, match="encrypted or packed by an unusual method"):
        fetch("tiny", tmp_path, address=site.url)


def test_folders_in_an_archive_are_no_files(site, published, tmp_path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.mkdir("tiny")
        archive.writestr("tiny/tiny_r1.mat", CONTENT)
    site.files["/tiny.zip"] = packed.getvalue()
    assert fetch("tiny", tmp_path, address=site.url).files == ("tiny/tiny_r1.mat",)


def test_an_unknown_name_gets_a_guess() -> None:
    with pytest.raises(MiplError, match="did you mean 'mnist-mipl'"):
        fetch("mnist_mipl")


def test_a_folder_that_cannot_be_made(site, published, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MiplError, match="cannot make the folder"):
        fetch("tiny", tmp_path / "file/below", address=site.url)
