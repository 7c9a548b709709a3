"""Native files of other programs, wrong ones and damaged ones."""

import os
import time

import h5py
import numpy as np
import pytest

from mipl.errors import BadFile, MiplError
from mipl.io.native import hdf5


@pytest.fixture
def file(trees, tmp_path):
    path = tmp_path / "trees.bags.h5"
    hdf5.write(trees, path)
    return path


def plain(path, **changes):
    """A file as another program may write it: no checksums, no fingerprint."""
    parts = {
        "features": np.arange(8.0).reshape(4, 2),
        "offsets": np.array([0, 1, 4]),
        "candidates": np.array([[True, False], [True, True]]),
        "classes": np.array([b"a", b"b"]),
        **changes,
    }
    with h5py.File(path, "w") as top:
        top.attrs["schema"] = "mipl dataset"
        top.attrs["version"] = 1
        for name, value in parts.items():
            if value is not None:
                top[name] = value
    return path


def test_files_of_other_programs_are_read(tmp_path):
    found = hdf5.read(plain(tmp_path / "a.h5", label=np.array([-1, -1])))
    assert found.bags.load().instances.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert found.labels is None and found.name == "not stated"
    text = np.array(["p", "q"], dtype=h5py.string_dtype())
    found = hdf5.read(plain(tmp_path / "b.h5", bag_id=text, group=np.array([4, 5])))
    assert found.bags.bag_ids.tolist() == ["p", "q"]
    assert found.groups.tolist() == [4, 5]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"features": None}, r"no \*\.bags\.h5 file"),
        ({"offsets": None}, "lacks 'offsets'"),
        ({"classes": None}, "lacks 'classes'"),
        ({"features": np.zeros(4)}, r"must be \(N, d\)"),
        ({"features": np.zeros((4, 2), int)}, r"must be \(N, d\)"),
        ({"features": np.zeros((4, 0))}, r"must be \(N, d\)"),
        ({"features": np.zeros((4, 2), complex)}, r"must be \(N, d\)"),
        ({"offsets": np.array([0, 2])}, "offsets must rise from 0 to"),
        ({"offsets": np.array([0, 0, 4])}, "bag 0 has no instances"),
        ({"offsets": np.array([b"x", b"y"])}, "offsets"),
        ({"candidates": np.zeros((2, 2), bool)}, "candidate set of bag 0 is empty"),
        ({"candidates": np.ones((2, 3), bool)}, "2 columns"),
        ({"candidates": np.ones((3, 2), bool)}, "2 bags and 3 candidate sets"),
        ({"label": np.array([0, -1])}, "of 1 of 2 bags is unknown"),
        ({"label": np.array([0, 2])}, "'label' must be 0 to 1"),
        ({"label": np.array([0.0, 1.0])}, "list of class numbers"),
        ({"facts": np.frombuffer(b"{no", np.uint8)}, "damaged"),
        ({"splits/a/0/train": np.array([0])}, "no array"),
        ({"splits/a": np.array([0])}, "no group"),
        (
            {"splits/a/x/train": np.array([0]), "splits/a/x/test": np.array([1])},
            "must be a number",
        ),
        (
            {"splits/a/1/train": np.array([0]), "splits/a/1/test": np.array([1])},
            "count from 0",
        ),
    ],
)
def test_wrong_files_are_told(tmp_path, changes, sentence):
    with pytest.raises(MiplError, match=sentence):
        hdf5.read(plain(tmp_path / "a.h5", **changes))


def test_a_newer_version_is_told(tmp_path):
    file = plain(tmp_path / "a.h5")
    with h5py.File(file, "r+") as top:
        top.attrs["version"] = 2
    with pytest.raises(BadFile, match="update mipl"):
        hdf5.read(file)


def test_links_out_of_the_file_are_not_followed(tmp_path):
    other = plain(tmp_path / "other.h5")
    file = plain(tmp_path / "a.h5", features=None)
    with h5py.File(file, "r+") as top:
        top["features"] = h5py.ExternalLink(str(other), "features")
    with pytest.raises(BadFile, match="link to somewhere else"):
        hdf5.read(file)


def test_a_changed_number_does_not_match_the_fingerprint(file):
    with h5py.File(file, "r+") as top:  # HDF5 renews its own checksums.
        top["label"][0] = 1
    with pytest.raises(BadFile, match="does not match its sha256"):
        hdf5.read(file)


def damaged(file):
    """Change one byte among the features, which their checksum covers."""
    with h5py.File(file) as top:
        place = top["features"].id.get_chunk_info(0).byte_offset
    content = bytearray(file.read_bytes())
    content[place + 5] ^= 1
    file.write_bytes(content)


def test_damaged_features_are_found_before_they_are_used(file):
    damaged(file)
    with pytest.raises(BadFile, match="damaged"):
        hdf5.read(file)
    unread = hdf5.read(file, verify=False)
    with pytest.raises(BadFile, match="rows of 'features' cannot be read"):
        unread.bags.load()


def test_a_file_is_read_through_once_until_it_changes(file, monkeypatch):
    asked = []
    whole = hdf5.fenced

    def counted(path, task, **options):
        asked.append(options["verify"])
        return whole(path, task, **options)

    monkeypatch.setattr(hdf5, "fenced", counted)
    hdf5.read(file)
    hdf5.read(file)  # It was changed a moment ago, which is not yet trusted.
    past = time.time() - 100
    os.utime(file, (past, past))
    hdf5.read(file)
    hdf5.read(file)
    damaged(file)
    with pytest.raises(BadFile):
        hdf5.read(file)
    assert asked == [True, True, True, False, True]


def test_a_file_that_changes_or_goes_is_told(trees, file):
    bags = hdf5.read(file).bags
    hdf5.write(trees[:3], file)
    with pytest.raises(BadFile, match="changed since it was read"):
        bags.load()
    bags = hdf5.read(file).bags
    file.unlink()
    with pytest.raises(BadFile, match="is gone"):
        bags.load()


def test_files_that_are_no_hdf5(tmp_path):
    file = tmp_path / "a.bags.h5"
    for content in (b"", b"text", b"\x89HDF\r\n\x1a\n" + bytes(100)):
        file.write_bytes(content)
        assert hdf5.sniff(file) == content.startswith(b"\x89HDF")
        with pytest.raises(BadFile, match="no readable HDF5 file"):
            hdf5.read(file)
    assert not hdf5.sniff(tmp_path)
