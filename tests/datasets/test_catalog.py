import json
import subprocess
import sys

import numpy as np
import pytest

from mipl.datasets import CATALOG, RECORDS, load_dataset
from mipl.datasets.places import cache_dir, data_dir, raw_dirs
from mipl.datasets.published_sets import SOURCES
from mipl.datasets.published_table import HERE
from mipl.errors import BadFile, MiplError, MissingData

NAMES = (
    "digits-mipl synthetic mnist-mipl fmnist-mipl sival-mipl birdsong-mipl lost "
    "birdsong-pll italian musk1 musk2 elephant fox tiger ucsb corel20 kmnist fmnist "
    "crc-mipl"
).split()
OF_THE_AUTHORS = [  # Read where the user has them.
    f"crc-mipl-{kind}"
    for kind in ("row", "sbn", "kmeansseg", "sift", "r34-16", "r34-25")
]


def test_the_catalog_holds_every_set():
    assert sorted(CATALOG) == sorted(NAMES + OF_THE_AUTHORS)
    for name, entry in CATALOG.items():
        assert entry.name == name
        assert entry.family in ("mipl", "mil", "pll")
        assert entry.title and entry.licence and entry.source
    assert set(RECORDS) <= set(CATALOG)
    assert CATALOG["mnist-mipl"].record.instances == 20664
    assert CATALOG["lost"].record is None


SLOW = ("crc-mipl-kmeansseg", "crc-mipl-sift", "crc-mipl-r34-16", "crc-mipl-r34-25")


@pytest.mark.parametrize(
    "id",
    [
        pytest.param(one, marks=[pytest.mark.slow] if one in SLOW else [])
        for one in HERE
    ],
)
def test_what_is_told_of_a_set_of_the_paper_is_so(id, loaded):
    source, record = SOURCES[id], HERE[id]
    data = loaded(source.name, **source.options)
    sizes, found = data.bags.sizes, data.candidates.sizes.mean()
    assert (len(data), sizes.sum()) == (record.bags, record.instances)
    assert (sizes.min(), sizes.max()) == (record.smallest, record.largest)
    assert data.bags.n_features == record.features
    assert len(data.classes) == record.classes
    assert record.candidates == ("r + 1" if source.counts else f"avg {found:.2f}")
    assert found == 2 or not source.counts  # r is 1.


def test_options_are_those_of_the_builder():
    assert CATALOG["birdsong-mipl"].options() == ["disjoint", "fold"]
    assert CATALOG["digits-mipl"].options() == []


@pytest.mark.parametrize("name", NAMES)
def test_every_set_tells_where_it_comes_from(loaded, name):
    data = loaded(name)
    assert data.name == name
    assert data.licence == CATALOG[name].licence
    assert data.source == CATALOG[name].source
    assert data.facts["seed"] == 0
    json.dumps(dict(data.facts))
    assert data.labels is not None
    assert np.isin(data.labels, data.classes).all()
    assert len(data.split(9)[0]) > len(data.split(9)[1])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("mnist",), {}, "unknown data set 'mnist'; did you mean"),
        ((3,), {}, "unknown data set '3'"),
        ((["lost"],), {}, "unknown data set"),
        (("digits-mipl", -1), {}, "r must be a whole number >= 0; got -1"),
        (("digits-mipl", 1.0), {}, "r must be a whole number"),
        (("digits-mipl", True), {}, "r must be a whole number"),
        (("digits-mipl", "2"), {}, "got '2'"),
        (("digits-mipl", 5), {}, "r must be 0 to 4 false labels for 5 classes; got 5"),
        (("digits-mipl", 1, -3), {}, "seed must be a whole number >= 0; got -3"),
        (("digits-mipl", 1, None), {}, "seed must be a whole number"),
        (("digits-mipl",), {"size": 3}, "digits-mipl takes no options; got 'size'"),
        (("birdsong-mipl",), {"fodl": 3}, "did you mean 'fold'"),
        (("digits-mipl",), {"folds": 1}, "folds must be a whole number from 2"),
        (("digits-mipl",), {"raw": "/no/such/folder"}, "does not exist"),
    ],
)
def test_wrong_arguments_are_told(arguments, options, message):
    with pytest.raises(MiplError, match=message):
        load_dataset(*arguments, **options)


@pytest.mark.parametrize(
    ("name", "file", "remedy"),
    [
        ("mnist-mipl", "mnist/train-images-idx3-ubyte", "run `make data`"),
        ("fmnist-mipl", "fashion-mnist/train-images-idx3-ubyte", "run `make data`"),
        ("sival-mipl", "sival.npz", "MIPL_DATA or --raw"),
        ("birdsong-mipl", "hja_birdsong_miml.npz", "MIPL_DATA or --raw"),
        ("kmnist", "kmnist_test.npz", "MIPL_DATA or --raw"),
        ("lost", "pll_lost.npz", "MIPL_DATA or --raw"),
        ("crc-mipl", "colorectal5_64px.npz", "MIPL_DATA or --raw"),
        ("crc-mipl-row", "CRC-MIPL-Row.mat", "mipl data fetch crc-mipl-row"),
        ("crc-mipl-r34-25", "CRC-MIPL-R34-25.mat", "ask its authors"),
        ("ucsb", "mil_ucsb_breast_cancer.npz", "MIPL_DATA or --raw"),
    ],
)
def test_missing_raw_files_are_told_with_the_remedy(nowhere, name, file, remedy):
    with pytest.raises(MissingData) as told:
        load_dataset(name)
    sentence = str(told.value)
    assert file in sentence and remedy in sentence and str(data_dir()) in sentence


def test_raw_folders_in_order(nowhere, monkeypatch):
    monkeypatch.setenv("MIPL_DATA", str(nowhere / "shared"))
    assert raw_dirs(nowhere) == (nowhere, nowhere / "shared", data_dir())
    assert raw_dirs() == (nowhere / "shared", data_dir())
    assert cache_dir() == nowhere / "mipl_cache"
    monkeypatch.delenv("MIPL_CACHE")
    assert cache_dir().is_relative_to(nowhere / "xdg_cache_home")
    assert cache_dir().is_dir()


def test_an_impossible_cache_is_told(nowhere, monkeypatch):
    (nowhere / "file").write_text("")
    monkeypatch.setenv("MIPL_CACHE", str(nowhere / "file" / "cache"))
    with pytest.raises(MiplError, match="set MIPL_CACHE to another one"):
        cache_dir()


def musk(path, labels):
    x = np.arange(12.0).reshape(6, 2)
    np.savez(path, X=x, offsets=[0, 2, 3, 6], bag_labels=labels)


def test_the_folder_named_first_wins(nowhere, monkeypatch):
    for name, labels in (("a", [0, 1, 0]), ("b", [1, 1, 0])):
        (nowhere / name).mkdir()
        musk(nowhere / name / "mil_musk1.npz", labels)
    monkeypatch.setenv("MIPL_DATA", str(nowhere / "a"))
    assert load_dataset("musk1").labels.tolist() == [0, 1, 0]
    assert load_dataset("musk1", raw=nowhere / "b").labels.tolist() == [1, 1, 0]
    assert load_dataset("musk1", raw=str(nowhere)).labels.tolist() == [0, 1, 0]


HJA = {
    "X": np.zeros((3, 38)),
    "instance_labels": np.array([0, -1, 1]),
    "class_names": np.array([f"s{c}" for c in range(13)]),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.zeros(3)}, "'X' of 2 axes"),
        ({"instance_labels": np.array([0, 99, 1])}, "from -1 to 12"),
        ({"instance_labels": np.array([0, -2, 1])}, "from -1 to 12"),
        ({"instance_labels": np.array([0.5, 0, 1])}, "from -1 to 12"),
        ({"instance_labels": np.array([0])}, "each of its 3 instances"),
        ({}, "the complete files"),
    ],
)
def test_foreign_birdsong_arrays_are_refused(nowhere, change, message):
    np.savez(nowhere / "hja_birdsong_miml.npz", **{**HJA, **change})
    with pytest.raises(MiplError, match=message):
        load_dataset("birdsong-mipl", raw=nowhere)


@pytest.mark.parametrize("name", ["sival-mipl", "kmnist", "lost", "birdsong-mipl"])
def test_damaged_raw_files_are_refused(nowhere, name):
    for file in (
        "sival.npz",
        "kmnist_test.npz",
        "pll_lost.npz",
        "hja_birdsong_miml.npz",
    ):
        (nowhere / file).write_bytes(b"PK\x03\x04 not an archive")
    with pytest.raises(BadFile):
        load_dataset(name, raw=nowhere)


def test_foreign_kmnist_is_refused(nowhere):
    np.savez(nowhere / "kmnist_test.npz", x_test=np.zeros((2, 28, 28)), y_test=[0, 10])
    with pytest.raises(BadFile, match="from 0 to 9"):
        load_dataset("kmnist", raw=nowhere)


def test_listing_loads_neither_torch_nor_sklearn():
    code = (
        "import sys; from mipl.datasets import CATALOG; "
        "print(len(CATALOG), 'torch' in sys.modules, 'sklearn' in sys.modules); "
        "from mipl.datasets import load_dataset; load_dataset('digits-mipl'); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(len(CATALOG)), "False", "False", "False"]


def test_folds_stand_in_the_place_of_the_ten_splits():
    data = load_dataset("digits-mipl", r=0, seed=1, folds=5)
    again = load_dataset("digits-mipl", r=0, seed=1, folds=5)
    assert data.facts["folds"] == len(data.folds()) == 5
    tested = np.concatenate([fold.test for fold in data.folds()])
    assert sorted(tested.tolist()) == list(range(len(data)))
    assert np.array_equal(data.fold(4).test, again.fold(4).test)
    plain = load_dataset("digits-mipl", r=0, seed=1)
    assert len(plain.folds()) == 10 and "folds" not in plain.facts


def test_folds_do_not_tear_splits_that_keep_recordings_whole(loaded):
    loaded("birdsong-mipl")
    with pytest.raises(MiplError, match="folds would tear"):
        load_dataset("birdsong-mipl", disjoint=True, fold=0, folds=3)


def test_within_the_training_bags_of_a_split_no_test_bag_is_seen():
    whole = load_dataset("digits-mipl", r=1)
    train, _ = whole.split(3)
    part = load_dataset("digits-mipl", r=1, within=3, folds=5)
    assert np.array_equal(part.bags.instances, train.bags.instances)
    assert np.array_equal(part.candidates.matrix, train.candidates.matrix)
    assert part.facts["within"] == 3 and len(part.folds()) == 5
    for fold in part.folds():
        assert len(fold.train) + len(fold.test) == len(train)
    assert len(load_dataset("digits-mipl", within=3).folds()) == 10
    for wrong in (10, -1, True, 1.0, "1"):
        with pytest.raises(MiplError, match="within must be a split from 0 to 9"):
            load_dataset("digits-mipl", within=wrong)
