"""NumPy archives: the layouts that are about, and what is wrong with them."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mipl import Dataset, MiplError
from mipl.io.arrays import npz

RAW = os.environ.get("MIPL_DATA", "")
needs_data = pytest.mark.skipif(not RAW, reason="MIPL_DATA points at no raw files")
X = np.arange(12, dtype=np.float32).reshape(6, 2)
OFFSETS = np.array([0, 1, 4, 6])


def saved(tmp_path: Path, **arrays: object) -> Path:
    np.savez_compressed(tmp_path / "a.npz", **arrays)
    return tmp_path / "a.npz"


def test_flat_bags_with_candidates(tmp_path: Path) -> None:
    sets = np.array([[1, 1, 0], [0, 1, 0], [0, 1, 1]])
    path = saved(tmp_path, instances=X, offsets=OFFSETS, candidates=sets, y=[0, 1, 2])
    data = npz.read(path)
    assert [bag.tolist() for bag in data.bags] == [
        [[0, 1]],
        [[2, 3], [4, 5], [6, 7]],
        [[8, 9], [10, 11]],
    ]
    assert data.candidates.matrix.tolist() == sets.astype(bool).tolist()
    assert data.labels is not None and data.labels.tolist() == [0, 1, 2]
    assert data.classes.tolist() == [0, 1, 2]
    assert data.name == "a"


def test_bags_with_true_labels_only(tmp_path: Path) -> None:
    data = npz.read(saved(tmp_path, X=X, offsets=OFFSETS, bag_labels=[7, 3, 7]))
    assert data.classes.tolist() == [3, 7]
    assert data.candidates.sizes.tolist() == [1, 1, 1]
    assert data.labels is not None and data.labels.tolist() == [7, 3, 7]


def test_whole_numbers_beside_class_names_are_positions(tmp_path: Path) -> None:
    names = np.array(["oak", "elm"])
    path = saved(
        tmp_path, X=X, offsets=OFFSETS, bag_labels=[1, 0, 1], class_names=names
    )
    data = npz.read(path)
    assert data.labels is not None and data.labels.tolist() == ["elm", "oak", "elm"]
    assert data.classes.tolist() == ["oak", "elm"]
    path = saved(
        tmp_path, X=X, offsets=OFFSETS, bag_labels=[1, 2, 1], class_names=names
    )
    with pytest.raises(MiplError, match=r"positions 0 to 1 .* they go from 1 to 2"):
        npz.read(path)


def test_partial_labels_are_bags_of_one(tmp_path: Path) -> None:
    sets = np.eye(6, dtype=bool) | (np.arange(6) == 0)
    data = npz.read(saved(tmp_path, X=X, candidates=sets, y=np.arange(6)))
    assert data.bags.sizes.tolist() == [1] * 6
    assert data.candidates.sizes.tolist() == [1, 2, 2, 2, 2, 2]


def test_votes_become_weights(tmp_path: Path) -> None:
    votes = np.array([[3.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
    data = npz.read(saved(tmp_path, X=X, offsets=OFFSETS, candidates=votes))
    assert data.candidates.weights is not None
    assert data.candidates.weights.tolist() == [[0.75, 0.25], [0, 1], [0.5, 0.5]]


def test_byte_and_column_order_do_not_matter(tmp_path: Path) -> None:
    swapped = np.asfortranarray(X.astype(">f8"))
    path = saved(tmp_path, X=swapped, offsets=OFFSETS.astype(">i2"), y=[0, 1, 1])
    data = npz.read(path)
    assert data.bags.instances.tolist() == X.tolist()
    assert data.bags.instances.dtype == np.float32
    assert data.bags.instances.dtype.isnative


def test_one_class_is_enough(tmp_path: Path) -> None:
    sets = np.ones((3, 1), dtype=bool)
    data = npz.read(saved(tmp_path, X=X, offsets=OFFSETS, candidates=sets))
    assert data.candidates.shape == (3, 1)


@pytest.mark.parametrize(
    ("arrays", "says"),
    [
        ({"Z": X, "y": [0]}, "has no instances; one of instances, X, x"),
        ({"X": X, "offsets": OFFSETS}, "has no labels"),
        ({"X": X, "x": X, "y": np.arange(6)}, "holds X and x; instances must be given"),
        ({"X": X, "offsets": [0, 9], "y": [1]}, "offsets must rise from 0 to"),
        ({"X": X, "offsets": [0, 6, 6], "y": [1, 1]}, "bag 1 has no instances"),
        ({"X": X, "offsets": OFFSETS, "y": [1, 2]}, "3 bags and 2 candidate sets"),
        ({"X": X * np.nan, "y": np.arange(6)}, "bag 0 .*NaN"),
        ({"X": X, "candidates": np.zeros((6, 2), bool)}, "set of bag 0 is empty"),
        (
            {"X": X, "candidates": np.ones((6, 2)), "y": [5] * 6},
            "label 5 .*is not among",
        ),
        ({"X": X, "candidates": -np.ones((6, 2))}, "weights must be finite and >= 0"),
        ({"X": X[0], "y": [1]}, "must be"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, arrays: dict[str, object], says: str
) -> None:
    with pytest.raises(MiplError, match=says):
        npz.read(saved(tmp_path, **arrays))


def test_arrays_added_to_our_file_are_noticed(trees: Dataset, tmp_path: Path) -> None:
    npz.write(trees, tmp_path / "t.npz")
    with np.load(tmp_path / "t.npz") as found:
        arrays = dict(found)
    np.savez(tmp_path / "more.npz", extra=np.zeros(1), **arrays)
    with pytest.raises(MiplError, match="arrays were added or are missing"):
        npz.read(tmp_path / "more.npz")
    for name in ("split0_train", "split0_train_offsets"):
        wrong = {**arrays, name: np.array(["a", "b", "c"])}
        np.savez(tmp_path / "wrong.npz", **wrong)
        with pytest.raises(MiplError):
            npz.read(tmp_path / "wrong.npz")


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("{", "is not JSON"),
        ("[1]", "must be a JSON object with schema"),
        ('{"schema": "mipl dataset", "version": 9}', "version 9; this program reads"),
        ('{"schema": "mipl dataset", "version": 1, "name": 3}', "is damaged"),
        ('{"schema": "mipl dataset", "facts": NaN}', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_wrong_record_is_told(tmp_path: Path, record: str, says: str) -> None:
    with pytest.raises(MiplError, match=says):
        npz.read(saved(tmp_path, X=X, y=np.arange(6), record=record))


def test_splits_without_names_are_told(trees: Dataset, tmp_path: Path) -> None:
    npz.write(trees, tmp_path / "t.npz")
    with np.load(tmp_path / "t.npz") as found:
        arrays = dict(found)
    record = str(arrays["record"]).replace('["default", "mine"]', "[3]")
    np.savez(tmp_path / "t.npz", **{**arrays, "record": record})
    with pytest.raises(MiplError, match="splits must be names"):
        npz.read(tmp_path / "t.npz")


def test_numpy_reads_what_we_write(trees: Dataset, tmp_path: Path) -> None:
    npz.write(trees, tmp_path / "t.npz")
    with np.load(tmp_path / "t.npz", allow_pickle=False) as found:
        assert np.array_equal(found["instances"], trees.bags.instances)
        assert found["offsets"].tolist() == [0, 3, 4, 6, 10, 12]
        assert found["labels"].tolist() == ["oak", "elm", "elm", "ash", "oak"]


def test_equal_sets_give_equal_files(trees: Dataset, tmp_path: Path) -> None:
    npz.write(trees, tmp_path / "a.npz")
    npz.write(trees, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_what_cannot_be_written_is_told(trees: Dataset, tmp_path: Path) -> None:
    odd = replace(trees, facts={"when": object()})
    with pytest.raises(MiplError, match="cannot be written as JSON"):
        npz.write(odd, tmp_path / "t.npz")
    odd = replace(trees, groups=np.array(["\ud800"] * 5))
    with pytest.raises(MiplError, match="groups holds text that is not Unicode"):
        npz.write(odd, tmp_path / "t.npz")
    assert not list(tmp_path.iterdir())


@needs_data
@pytest.mark.parametrize(
    ("name", "bags", "instances", "features", "classes"),
    [
        ("sival", 1499, 47355, 30, 25),
        ("mil_musk1", 92, 476, 166, 2),
        ("mil_corel20", 2000, 7947, 9, 20),
        ("pll_lost", 1122, 1122, 108, 16),
        ("pll_birdsong", 4998, 4998, 38, 13),
    ],
)
def test_real_files(
    name: str, bags: int, instances: int, features: int, classes: int
) -> None:
    data = npz.read(Path(RAW, f"{name}.npz"))
    assert len(data) == bags
    assert data.bags.instances.shape == (instances, features)
    assert len(data.classes) == classes
    assert data.candidates.contains(data.labels).all()
