"""The native file: what is written and what comes back."""

import json
import os
import pickle

import h5py
import numpy as np
import pytest

from mipl.data import Bags, Candidates, Dataset
from mipl.errors import MiplError
from mipl.io.native import hdf5
from mipl.seeds import stream


@pytest.fixture
def file(trees, tmp_path):
    path = tmp_path / "trees.bags.h5"
    hdf5.write(trees, path)
    return path


def test_every_array_has_the_documented_form(trees, file):
    with h5py.File(file) as top:
        np.testing.assert_array_equal(top["features"], trees.bags.instances)
        assert top["features"].dtype == np.float32
        assert top["offsets"][()].tolist() == [0, 3, 4, 6, 10, 12]
        assert top["candidates"].dtype == bool
        assert top["candidates"][0].tolist() == [True, True, False]
        assert top["classes"].asstr()[()].tolist() == ["oak", "elm", "ash"]
        assert top["label"][()].tolist() == [0, 1, 1, 2, 0]
        assert top["bag_id"].asstr()[3] == "d10"
        assert top["splits/mine/0/train"][()].tolist() == [4]
        assert json.loads(top["facts"][()].tobytes()) == {"r": 1, "gaps": [None, "x"]}
        assert top.attrs["licence"].decode() == "CC0-1.0"
        assert top.attrs["instance_shape"].tolist() == [2, 2]
        assert len(top.attrs["sha256"]) == 64


def test_every_array_has_checksums(file):
    found = []

    def look(name, item):
        if isinstance(item, h5py.Dataset):
            found.append(name)
            assert item.fletcher32, name

    with h5py.File(file) as top:
        top.visititems(look)
    assert len(found) > 12


def test_reading_leaves_the_instances_on_disk(trees, file):
    found = hdf5.read(file)
    assert found.bags.on_disk
    assert found.bags.instances.shape == (12, 4)
    assert found.bags.instances.dtype == np.float32
    loaded = found.bags.load()
    np.testing.assert_array_equal(loaded.instances, trees.bags.instances)
    assert found.bags.digest() == trees.bags.digest()


@pytest.mark.parametrize("compression", [None, "gzip", "lzf"])
def test_float16_stays_on_disk_and_is_float32_in_memory(trees, tmp_path, compression):
    first, second = tmp_path / "a.bags.h5", tmp_path / "b.bags.h5"
    hdf5.write(trees, first, dtype="float16", compression=compression)
    found = hdf5.read(first)
    hdf5.write(found, second)  # The copy keeps the type.
    expected = trees.bags.instances.astype(np.float16).astype(np.float32)
    for bags in (found.bags, hdf5.read(second).bags):
        assert bags.instances.dtype == np.float16
        loaded = bags.load().instances
        assert loaded.dtype == np.float32
        np.testing.assert_array_equal(loaded, expected)


def test_numbers_too_large_for_float16_are_told(tmp_path):
    data = Dataset([np.ones((2, 1)), np.full((1, 1), 1e6)], [0, 1])
    with pytest.raises(MiplError, match="bag 1 holds a number too large for float16"):
        hdf5.write(data, tmp_path / "a.bags.h5", dtype="float16")
    assert list(tmp_path.iterdir()) == []


def test_any_choice_of_bags_reads_the_same_rows(tmp_path):
    rng = stream(0, "choice")
    rows = [rng.normal(size=(n, 3)) for n in rng.integers(1, 6, 40)]
    data = Dataset(rows, rng.integers(0, 3, 40))
    hdf5.write(data, tmp_path / "a.bags.h5")
    bags = hdf5.read(tmp_path / "a.bags.h5").bags
    for _ in range(30):
        chosen = rng.integers(0, 40, 12)
        start, stop = sorted(rng.integers(0, 13, 2).tolist())
        part = bags[chosen][start:stop]
        expected = [data.bags.bag(i) for i in chosen[start:stop]]
        if expected:
            np.testing.assert_array_equal(
                part.load().instances, np.concatenate(expected)
            )
        again = pickle.loads(pickle.dumps(bags[chosen]))
        np.testing.assert_array_equal(again.bag(3), data.bags.bag(int(chosen[3])))


def test_bags_larger_than_a_piece_are_copied_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("mipl.io.native.hdf5_write._PIECE", 1000)
    monkeypatch.setattr("mipl.io.native.hdf5_write._CHUNK", 300)
    rng = stream(0, "pieces")
    sizes = rng.integers(1, 60, 50)
    data = Dataset([rng.normal(size=(n, 5)) for n in sizes], rng.integers(0, 2, 50))
    hdf5.write(data, tmp_path / "a.bags.h5")
    hdf5.write(hdf5.read(tmp_path / "a.bags.h5"), tmp_path / "b.bags.h5")
    found = hdf5.read(tmp_path / "b.bags.h5").bags
    with h5py.File(tmp_path / "b.bags.h5") as top:
        assert top["features"].chunks == (15, 5)
    np.testing.assert_array_equal(found.load().instances, data.bags.instances)


@pytest.mark.parametrize(
    "classes", [["b", "a"], [7, -2], [0.5, 1.5], ["naïve", "数"]], ids=str
)
def test_class_names_of_any_kind(tmp_path, classes):
    sets = Candidates(np.array([[True, False], [True, True]]), classes)
    data = Dataset(np.zeros((2, 1)), sets, labels=sets.classes[[0, 1]])
    hdf5.write(data, tmp_path / "a.bags.h5")
    found = hdf5.read(tmp_path / "a.bags.h5")
    assert found.classes.tolist() == found.labels.tolist() == classes


def test_twelve_folds_stay_in_order(tmp_path):
    folds = [([i], [(i + 1) % 12]) for i in range(12)]
    data = Dataset(np.zeros((12, 1)), np.arange(12) % 2, splits={"dozen": folds})
    hdf5.write(data, tmp_path / "a.bags.h5")
    found = hdf5.read(tmp_path / "a.bags.h5").splits["dozen"]
    assert [(s.train.tolist(), s.test.tolist()) for s in found] == folds


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"dtype": "float64"}, "unknown type of features"),
        ({"compression": "zip"}, "unknown compression"),
    ],
)
def test_unknown_options_are_told(trees, tmp_path, changes, sentence):
    with pytest.raises(MiplError, match=sentence):
        hdf5.write(trees, tmp_path / "a.bags.h5", **changes)


def test_what_cannot_be_written_is_told(tmp_path):
    data = Dataset(np.zeros((2, 1)), [0, 1], splits={"a/b": [([0], [1])]})
    with pytest.raises(MiplError, match="'a/b' must be text without '/'"):
        hdf5.write(data, tmp_path / "a.bags.h5")
    with pytest.raises(MiplError, match="no bags to write"):
        hdf5.write(data[[]], tmp_path / "a.bags.h5")
    assert list(tmp_path.iterdir()) == []


def test_bags_on_disk_are_read_in_forked_processes(trees, file):
    bags = hdf5.read(file).bags
    first = bags.bag(0)  # The file is open here before the fork.
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, bags.bag(3).tobytes())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == trees.bags.bag(3).tobytes()
    assert os.waitpid(pid, 0)[1] == 0
    np.testing.assert_array_equal(first, bags.bag(0))


def test_scattered_rows_are_read_together_where_they_lie_near(tmp_path, monkeypatch):
    monkeypatch.setattr("mipl.io.native.hdf5_write._CHUNK", 40)
    monkeypatch.setattr("mipl.io.native.file_rows._JOINED", 300)
    rng = stream(0, "scattered")
    rows = rng.normal(size=(400, 2)).astype(np.float32)
    data = Dataset(Bags(rows, np.arange(0, 401, 100)), [0, 1, 0, 1])
    hdf5.write(data, tmp_path / "a.bags.h5")
    bags = hdf5.read(tmp_path / "a.bags.h5").bags
    for n in (1, 5, 60, 390):
        chosen = rng.permutation(400)[:n]
        for which in (chosen, np.sort(chosen)):
            np.testing.assert_array_equal(bags.rows(which), rows[which])
    found = list(
        bags.instances.select(np.r_[0, 3, 50], np.r_[1, 5, 90])
        ._runs.spans(0, 43)
        .groups(near=5, most=1000)
    )
    assert [len(group) for group in found] == [2, 1]
