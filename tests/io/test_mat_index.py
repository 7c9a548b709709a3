"""The published index files, which become the stored splits."""

import numpy as np
import pytest
from scipy.io import savemat
from tests.io.toy import cells_of, toy

from mipl.errors import MiplError
from mipl.io.matlab import mat


def put_index(folder, number, train, test, **more):
    folder.mkdir(exist_ok=True)
    content = {"trainIndex": np.array([train], np.uint16), **more}
    if test is not None:
        content["testIndex"] = np.array([test], np.uint16)
    savemat(folder / f"index{number}.mat", content)


def test_the_published_index_files(tmp_path):
    savemat(tmp_path / "a.mat", {"data": cells_of(toy(names=(1, 2, 3)))})
    for number in range(1, 11):
        test = [1 + number % 9]
        train = [i for i in range(1, 10) if i not in test]
        put_index(tmp_path / "index", number, train, test)
    found = mat.read(tmp_path / "a.mat")
    tests = [split.test.tolist() for split in found.folds()]
    assert tests == [[number % 9] for number in range(1, 11)]
    assert mat.read(tmp_path / "a.mat", index=False).splits == {}
    (tmp_path / "index").rename(tmp_path / "elsewhere")
    assert mat.read(tmp_path / "a.mat").splits == {}
    found = mat.read(tmp_path / "a.mat", index=tmp_path / "elsewhere")
    assert len(found.folds()) == 10


@pytest.mark.parametrize(
    ("number", "train", "test", "sentence"),
    [
        (1, [1, 2], [2, 3], "twice"),
        (1, [1, 2], [10], "index=False"),
        (1, [0, 2], [3], "count from 1"),
        (1, [1, 2], None, "must hold trainIndex and testIndex"),
        (3, [1, 2], [3], "without gaps"),
    ],
)
def test_wrong_index_files_are_told(tmp_path, number, train, test, sentence):
    savemat(tmp_path / "a.mat", {"data": cells_of(toy(names=(1, 2, 3)))})
    put_index(tmp_path / "index", number, train, test)
    with pytest.raises(MiplError, match=sentence):
        mat.read(tmp_path / "a.mat")


def test_an_empty_index_folder_is_told(tmp_path):
    savemat(tmp_path / "a.mat", {"data": cells_of(toy(names=(1, 2, 3)))})
    (tmp_path / "index").mkdir()
    with pytest.raises(MiplError, match=r"no files index1\.mat"):
        mat.read(tmp_path / "a.mat")


def test_data_is_not_written_beside_foreign_index_files(tmp_path):
    data = toy(splits={"default": [(np.arange(6), np.arange(6, 9))]})
    mat.write(data, tmp_path / "a.mat")
    mat.write(data, tmp_path / "b.mat")  # The same splits are shared.
    others = {"default": [(np.arange(5), np.arange(5, 9))]}
    for other in (toy(splits=others), toy()):
        with pytest.raises(MiplError, match="index files of other data"):
            mat.write(other, tmp_path / "c.mat")
    assert not (tmp_path / "c.mat").exists()
