"""The user's own split files, and the published index files."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from mipl import Bags, MiplError
from mipl.io import read_split_files

Sides = list[tuple[list[int], list[int]]]


@pytest.fixture
def bags() -> Bags:
    return Bags(np.zeros((4, 1)), bag_ids=["p", "q", "r", "s"])


def read(path: Path, bags: Bags) -> Sides:
    return [(s.train.tolist(), s.test.tolist()) for s in read_split_files(path, bags)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"train": ["s", "q"], "test": ["p"]}], [([3, 1], [0])]),
        ({"train": [2, 0], "test": [1, 3]}, [([2, 0], [1, 3])]),
        (
            [{"train": [0], "test": [1]}, {"train": ["p"], "test": ["s"]}],
            [([0], [1]), ([0], [3])],
        ),
    ],
)
def test_json(tmp_path: Path, bags: Bags, content: object, expected: Sides) -> None:
    (tmp_path / "s.json").write_text(json.dumps(content))
    assert read(tmp_path / "s.json", bags) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bag_id,split\ns,test\np,train\nr,val\nq,train\n", [([0, 1], [3])]),
        (
            "bag_id,fold\np,0\nq,0\nr,1\ns,2\n",
            [([2, 3], [0, 1]), ([0, 1, 3], [2]), ([0, 1, 2], [3])],
        ),
        (
            "bag_id,split_0,split_1\np,train,test\nq,test,train\nr,train,\ns,test,train\n",
            [([0, 2], [1, 3]), ([1, 3], [0])],
        ),
        (
            "fold,bag_id,split\n10,s,train\n10,p,test\n9,p,train\n9,q,test\n",
            [([0], [1]), ([3], [0])],
        ),
        (",train,val,test\n0,p,r,q\n1,s,,\n", [([0, 3], [1])]),
    ],
)
def test_csv(tmp_path: Path, bags: Bags, text: str, expected: Sides) -> None:
    (tmp_path / "s.csv").write_text(text)
    assert read(tmp_path / "s.csv", bags) == expected


def test_bags_without_ids_go_by_number(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("train,test\n0,1\n2,\n")
    assert read(tmp_path / "s.csv", Bags(np.zeros((3, 1)))) == [([0, 2], [1])]


def test_a_folder_of_files_by_their_numbers(tmp_path: Path, bags: Bags) -> None:
    for number, name in enumerate(("splits_2.csv", "splits_10.csv")):
        (tmp_path / name).write_text(f"train,test\np,{'qs'[number]}\n")
    (tmp_path / "splits_2_descriptor.csv").write_text("other,things\n1,2\n")
    assert read(tmp_path, bags) == [([0], [1]), ([0], [3])]
    (tmp_path / "splits_2.csv").write_text("bag_id,fold\np,0\nq,0\nr,1\ns,2\n")
    with pytest.raises(MiplError, match=r"splits_2\.csv must hold one fold; it has 3"):
        read(tmp_path, bags)


def test_the_published_index_files(tmp_path: Path, bags: Bags) -> None:
    for number in range(1, 4):
        test = np.array([[number]], dtype=np.uint16)
        train = np.setdiff1d([1, 2, 3, 4], test)[None].astype(np.uint16)
        arrays = {"trainIndex": train, "testIndex": test}
        savemat(tmp_path / f"index{number}.mat", arrays)
    assert read(tmp_path, bags) == [
        ([1, 2, 3], [0]),
        ([0, 2, 3], [1]),
        ([0, 1, 3], [2]),
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("s.json", "{", "is not JSON"),
        ("s.json", "3", "fold 0 of .* must be an object with lists train and test"),
        ("s.json", '[{"train": [0]}]', "must be an object with lists train and test"),
        ("s.json", '{"train": [0], "test": ["q"]}', None),
        ("s.json", '{"train": [0, "q"], "test": [1]}', "by id .* or by number, not by"),
        (
            "s.json",
            '{"train": [0], "test": [9]}',
            "names bag 4; bags are numbered 0 to 3",
        ),
        ("s.json", '{"train": [0], "test": [-9]}', "names bag -1"),
        ("s.json", '{"train": [0], "test": [0]}', "names bag 0 twice"),
        ("s.json", '{"train": [0], "test": []}', "at least one training and one test"),
        ("s.json", '{"train": ["z"], "test": [0]}', "names bag 'z', which is not in"),
        ("s.csv", "a,b\n1,2\n", "must have the columns bag_id and split, or train and"),
        ("s.csv", "bag_id,split\np,test\nq,train\n", "must name each of 4 bags in one"),
        ("s.csv", "train,test\np,z\n", "column 'test' names bag 'z'"),
        (
            "s.csv",
            "bag_id,x\np,1\nq,1\nr,1\ns,1\n",
            "must hold one set of splits; it has 0",
        ),
        ("s.csv", "bag_id,split\np,a\nq,a\nr,a\ns,a\n", "must be train, test or val"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, bags: Bags, name: str, text: str, says: str | None
) -> None:
    (tmp_path / name).write_text(text)
    if says is None:  # Ids on one side and numbers on the other are clear enough.
        assert read(tmp_path / name, bags) == [([0], [1])]
        return
    with pytest.raises(MiplError, match=says):
        read(tmp_path / name, bags)


def test_an_empty_folder_is_told(tmp_path: Path, bags: Bags) -> None:
    with pytest.raises(MiplError, match=r"holds no files index1\.mat"):
        read(tmp_path, bags)
