"""Bags whose instances stay on disk: a small class that keeps the Rows protocol."""

import pickle
from itertools import pairwise

import numpy as np
import pytest

from mipl import Bags, Mean, MiplError, PerInstance
from mipl.data.bags import Rows


class MappedRows:
    """Runs of rows of a .npy file, opened anew for each read; counts what is read."""

    def __init__(self, path, runs=None):
        self.path = path
        self.runs = runs or [(0, len(np.load(path, mmap_mode="r")))]
        self.read = 0

    @property
    def shape(self):
        width = np.load(self.path, mmap_mode="r").shape[1]
        return (sum(stop - start for start, stop in self.runs), width)

    @property
    def dtype(self):
        return np.load(self.path, mmap_mode="r").dtype

    def __getitem__(self, rows):
        table = np.load(self.path, mmap_mode="r")
        wanted = self._places()[rows]
        self.read += len(wanted)
        return np.array(table[wanted])

    def select(self, starts, stops):
        places = self._places()
        taken = [places[a:b] for a, b in zip(starts, stops, strict=True)]
        runs = [(int(t[0]), int(t[-1]) + 1) for t in taken if len(t)]
        return MappedRows(self.path, runs or [(0, 0)])

    def _places(self):
        parts = [np.arange(start, stop) for start, stop in self.runs]
        return np.concatenate(parts)


SIZES = (3, 1, 4, 2)
OFFSETS = np.cumsum([0, *SIZES])


@pytest.fixture
def table():
    return np.random.default_rng(0).normal(3, 2, (10, 3)).astype(np.float32)


@pytest.fixture
def on_disk(tmp_path, table):
    np.save(tmp_path / "rows.npy", table)
    return Bags(MappedRows(tmp_path / "rows.npy"), OFFSETS, bag_ids=list("abcd"))


def test_rows_keep_the_protocol_and_are_not_read_when_bags_are_made(on_disk):
    assert isinstance(on_disk.instances, Rows)
    assert on_disk.on_disk and len(on_disk) == 4 and on_disk.n_features == 3
    assert repr(on_disk).endswith("1-4 per bag, on disk)")
    assert on_disk[1:3].on_disk and on_disk[[3, 0]].on_disk and Bags(on_disk).on_disk
    assert on_disk.instances.read == 0


KEYS = [0, -1, slice(1, 3), slice(None, None, -1), [2, 0, 2], [True, False] * 2, []]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_on_disk_and_in_memory_select_the_same(on_disk, table, key):
    in_memory = Bags(table, OFFSETS, bag_ids=list("abcd"))[key]
    chosen = on_disk[key]
    assert chosen.offsets.tolist() == in_memory.offsets.tolist()
    assert chosen.bag_ids.tolist() == in_memory.bag_ids.tolist()
    np.testing.assert_array_equal(chosen.load().instances, in_memory.instances)
    assert not chosen.load().on_disk


def test_only_what_is_asked_for_is_read(on_disk, table):
    part = on_disk[2]
    np.testing.assert_array_equal(part.bag(0), table[4:8])
    for bag, (a, b) in zip(on_disk, pairwise(OFFSETS), strict=True):
        np.testing.assert_array_equal(bag, table[a:b])
    assert on_disk.instances.read == 0, "the parts read, not the whole"


def test_what_is_loaded_is_frozen_and_of_one_digest(on_disk, table):
    loaded = on_disk.load()
    assert loaded.instances.dtype == np.float32
    assert not loaded.instances.flags.writeable
    assert on_disk.digest() == loaded.digest() == Bags(table, OFFSETS).digest()
    again = pickle.loads(pickle.dumps(on_disk))
    assert again.on_disk and again.digest() == on_disk.digest()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_what_is_not_finite_is_named_when_it_is_read(tmp_path, table, value):
    table = table.astype(np.float64)
    table[5, 1] = value
    np.save(tmp_path / "rows.npy", table)
    bags = Bags(MappedRows(tmp_path / "rows.npy"), OFFSETS, bag_ids=list("abcd"))
    np.testing.assert_allclose(bags.bag(1), table[3:4])
    with pytest.raises(MiplError, match=r"bag 2 \('c'\) holds .* at instance 1, feat"):
        bags.load()
    with pytest.raises(MiplError, match=r"\('c'\) holds"):
        Mean().fit_transform(bags)


def test_on_disk_needs_offsets_that_fit(on_disk):
    with pytest.raises(MiplError, match="instances on disk need offsets"):
        Bags(on_disk.instances)
    with pytest.raises(MiplError, match="number of instances 10"):
        Bags(on_disk.instances, [0, 9])


def test_any_rows_are_read_by_their_numbers(on_disk, table):
    for which in (slice(2, 5), slice(None), np.array([1, 2, 8]), np.array([9, 0])):
        rows = on_disk.rows(which)
        np.testing.assert_array_equal(rows, table[which])
        np.testing.assert_array_equal(Bags(table, OFFSETS).rows(which), table[which])
        assert rows.dtype == np.float32 and not rows.flags.writeable


@pytest.mark.parametrize("which", [slice(4, 8), np.array([9, 5, 7])], ids=str)
def test_bad_rows_are_named_by_their_place_in_all_bags(tmp_path, table, which):
    table[[5, 7], 2] = np.nan
    np.save(tmp_path / "rows.npy", table)
    bags = Bags(MappedRows(tmp_path / "rows.npy"), OFFSETS)
    with pytest.raises(MiplError, match="bag 2 holds NaN at instance 1, feature 2"):
        bags.rows(which)
    with pytest.raises(MiplError, match="bag 2 holds NaN at instance 1, feature 2"):
        list(bags.pieces(4))


def test_scaling_block_by_block_equals_scaling_in_memory(on_disk, table, monkeypatch):
    monkeypatch.setattr("mipl.data.blocks.BLOCK", 9)
    scaled = PerInstance().fit(on_disk).transform(on_disk)
    wide = table.astype(np.float64)
    expected = (wide - wide.mean(axis=0)) / wide.std(axis=0)
    np.testing.assert_allclose(scaled.instances, expected, atol=1e-6)
    assert scaled.bag_ids.tolist() == list("abcd") and not scaled.on_disk
