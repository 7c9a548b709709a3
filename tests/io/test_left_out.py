"""Bags that cannot be used: every reader tells of all of them, or leaves them out."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from tests.io.toy import cells_of, toy

from mipl import MiplError, read_bags, read_dataset
from mipl.errors import BadBags
from mipl.io import BagsLeftOut

GOOD = np.arange(6.0).reshape(3, 2)


def folder_of(root: Path) -> tuple[Path, set[str]]:
    """Slides of which one each is fine, empty, damaged, NaN, wide, and missing."""
    root.mkdir()
    slides = {
        "fine": GOOD,
        "also": GOOD + 1,
        "empty": np.zeros((0, 2)),
        "holes": np.array([[1.0, np.nan]]),
        "wide": np.ones((2, 5)),
        "nobody": GOOD,
        "unsure": GOOD,
    }
    for name, array in slides.items():
        np.save(root / f"{name}.npy", array)
    (root / "torn.npy").write_bytes(b"no array")
    rows = [f"{name},x|y" for name in slides if name not in ("nobody", "unsure")]
    text = "\n".join(["bag_id,candidates", *rows, "torn,x", "gone,y", "unsure,", ""])
    (root / "labels.csv").write_text(text)
    return root, {"empty", "holes", "wide", "nobody", "unsure", "torn", "gone"}


def table_of(root: Path) -> tuple[Path, set[str]]:
    root.mkdir()
    rows = [
        "bag_id,a,b",
        "fine,1,2",
        "also,2,2",
        "holes,1,",
        "nobody,1,2",
        "unsure,1,1",
    ]
    (root / "t.csv").write_text("\n".join(rows) + "\n")
    labels = ["bag_id,candidates", "fine,x|y", "also,x", "holes,x", "gone,y", "unsure,"]
    (root / "t.labels.csv").write_text("\n".join(labels) + "\n")
    return root / "t.csv", {"holes", "nobody", "gone", "unsure"}


def archive_of(root: Path) -> tuple[Path, set[str]]:
    root.mkdir()
    sets = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]], bool)
    np.savez(
        root / "a.npz",
        X=np.array([[1.0, 2], [3, 4], [np.inf, 1], [5, 6]]),
        offsets=[0, 1, 2, 3, 4, 4],
        candidates=sets,
    )
    # Bags 0 and 1 are fine; 2 has inf, 3 no candidate, 4 no instances.
    return root / "a.npz", {"bag 2", "bag 3", "bag 4"}


def cells_in(root: Path) -> tuple[Path, set[str]]:
    root.mkdir()
    cells = cells_of(toy(names=(1, 2, 3)))
    cells[1, 0] = np.zeros((0, 3))
    cells[3, 0] = np.full((2, 3), np.nan)
    cells[5, 1] = np.zeros((0, 0))
    cells[7, 0] = np.ones((2, 4))
    savemat(root / "a.mat", {"data": cells})
    return root / "a.mat", {"bag 1", "bag 3", "bag 5", "bag 7"}


def matrices_in(root: Path) -> tuple[Path, set[str]]:
    root.mkdir()
    data = np.arange(10.0).reshape(5, 2)
    data[1, 1] = np.nan
    sets = np.array([[1, 1, 0, 1, 0], [1, 0, 0, 1, 1]], float)
    savemat(root / "a.mat", {"data": data, "partial_target": sets})
    return root / "a.mat", {"bag 1", "bag 2"}


READERS = [folder_of, table_of, archive_of, cells_in, matrices_in]


@pytest.mark.parametrize("make", READERS)
def test_one_sentence_tells_of_all(tmp_path: Path, make) -> None:
    path, bad = make(tmp_path / "data")
    with pytest.raises(MiplError) as told:
        read_dataset(path)
    sentence = str(told.value)
    assert sentence.startswith(f"{len(bad)} of ") and sentence.count("\n") == 0
    assert all(name in sentence for name in bad)
    assert sentence.endswith("leave them out by on_bad='skip' (--skip-bad).")


@pytest.mark.parametrize("make", READERS)
def test_the_others_are_read_on_request(tmp_path: Path, make) -> None:
    path, bad = make(tmp_path / "data")
    with pytest.warns(BagsLeftOut) as caught:
        data = read_dataset(path, on_bad="skip")
    assert len(caught) == 1 and set(caught[0].message.reasons) == bad
    assert set(data.facts["left_out"]) == bad
    names = [data.bags.name(i) for i in range(len(data))]
    if data.bags.bag_ids is not None:
        assert sorted(data.bags.bag_ids.tolist()) == ["also", "fine"]
    assert len(names) >= 2 and np.isfinite(data.bags.load().instances).all()


def test_the_others_keep_their_labels_and_numbers(tmp_path: Path) -> None:
    path, _ = cells_in(tmp_path / "data")
    kept, whole = [0, 2, 4, 6, 8], toy(names=(1, 2, 3))
    (tmp_path / "data" / "index").mkdir()
    fold = {"trainIndex": [[1, 2, 3, 5, 6]], "testIndex": [[7, 8, 9]]}
    savemat(tmp_path / "data" / "index" / "index1.mat", fold)
    with pytest.warns(BagsLeftOut):
        data = read_dataset(path, on_bad="skip")
    expected = whole[kept]
    np.testing.assert_array_equal(data.bags.instances, expected.bags.instances)
    np.testing.assert_array_equal(data.candidates.matrix, expected.candidates.matrix)
    assert data.labels.tolist() == expected.labels.tolist()
    (split,) = data.splits["default"]  # Bags 1, 3, 5, 7 and 9 of the file are left.
    assert split.train.tolist() == [0, 1, 2] and split.test.tolist() == [3, 4]


@pytest.mark.parametrize("make", [folder_of, table_of])
def test_bags_to_predict(tmp_path: Path, make) -> None:
    path, _ = make(tmp_path / "data")
    with pytest.raises(MiplError, match=r"holes"):
        read_bags(path)
    with pytest.warns(BagsLeftOut) as caught:
        bags = read_bags(path, on_bad="skip")
    assert {"fine", "also", "unsure"} <= set(
        bags.bag_ids.tolist()
    )  # It needs no label.
    assert "holes" in caught[0].message.reasons


def test_nothing_left_is_told(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("bag_id,label\np,x\nq,y\n")
    np.save(tmp_path / "p.npy", np.zeros((0, 2)))
    with pytest.raises(MiplError, match=r"no bag of .* can be used; the first because"):
        read_dataset(tmp_path, on_bad="skip")


def test_one_kind_of_fault_is_a_finding(tmp_path: Path) -> None:
    path, _ = table_of(tmp_path / "data")
    path.write_text("bag_id,a,b\nfine,1,2\nalso,,3\nunsure,2,\ngone,1,1\n")
    rows = ["bag_id,candidates", "fine,x", "also,x", "unsure,y", "gone,y"]
    (path.parent / "t.labels.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(BadBags) as told:
        read_dataset(path)
    assert told.value.fault == "non-finite" and told.value.count == 2


def test_an_unknown_way_is_told(tmp_path: Path) -> None:
    with pytest.raises(MiplError, match="unknown on_bad 'skp'; did you mean 'skip'"):
        read_dataset(tmp_path, on_bad="skp")
