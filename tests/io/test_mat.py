"""The MIPL cell layout, read and written, in both versions of MATLAB's files."""

import h5py
import numpy as np
import pytest
from scipy.io import loadmat, savemat
from tests.io.toy import VERSIONS, assert_same, cells_of, toy

from mipl.data import Bags, Dataset
from mipl.errors import BadFile, MiplError
from mipl.io.matlab import mat
from mipl.io.matlab.mat_write import put


@pytest.mark.parametrize("compressed", [False, True])
def test_the_cell_layout_of_scipy(tmp_path, compressed):
    data = toy(names=(1, 2, 3))
    file = tmp_path / "MNIST_MIPL_r1.mat"
    savemat(file, {"data": cells_of(data)}, do_compression=compressed)
    found = mat.read(file)
    assert mat.sniff(file)
    assert_same(found, data)
    assert found.name == "MNIST_MIPL_r1" and found.classes.tolist() == [1, 2, 3]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("names", [("elm", "oak", "ash"), (10, 20, 5)])
def test_written_and_read(tmp_path, version, names):
    folds = [(np.arange(6), np.arange(6, 9)), (np.arange(3, 9), np.arange(3))]
    labels = np.array(["x", "y"])[np.arange(21) % 2]
    data = toy(names, instance_labels=labels, splits={"default": folds})
    mat.write(data, tmp_path / "toy.mat", version=version)
    found = mat.read(tmp_path / "toy.mat")
    assert mat.sniff(tmp_path / "toy.mat")
    assert_same(found, data)
    assert found.bags.instance_labels.tolist() == labels.tolist()
    for split, (train, test) in zip(found.splits["default"], folds, strict=True):
        assert split.train.tolist() == train.tolist()
        assert split.test.tolist() == test.tolist()
    train, test = found.split(1)
    assert (len(train), len(test)) == (6, 3)


@pytest.mark.parametrize("version", VERSIONS)
def test_unknown_labels_are_empty_cells(tmp_path, version):
    data = toy()
    data = Dataset(data.bags, data.candidates)
    mat.write(data, tmp_path / "toy.mat", version=version)
    assert_same(mat.read(tmp_path / "toy.mat"), data)


def test_scipy_reads_what_we_write(tmp_path):
    data = toy(splits={"default": [(np.arange(6), np.arange(6, 9))]})
    mat.write(data, tmp_path / "toy.mat")
    cells = loadmat(tmp_path / "toy.mat")["data"]
    assert cells.shape == (9, 3)
    np.testing.assert_array_equal(cells[4, 0], data.bags.bag(4))
    assert cells[0, 1].ravel().tolist() == [1, 2] and cells[0, 2].item() == 1
    index = loadmat(tmp_path / "index" / "index1.mat")
    assert index["trainIndex"].tolist() == [[1, 2, 3, 4, 5, 6]]
    assert index["testIndex"].tolist() == [[7, 8, 9]]


def test_class_numbers_can_be_used_as_indices(tmp_path):
    """The published programs index a row of zeros by the cells, less one."""
    data = toy()
    mat.write(data, tmp_path / "toy.mat")
    cells = loadmat(tmp_path / "toy.mat")["data"]
    for i, row in enumerate(data.candidates.matrix):
        flags = np.zeros(3, bool)
        flags[cells[i, 1] - 1] = True
        assert flags.tolist() == row.tolist()
        assert data.classes[cells[i, 2] - 1].item() == data.labels[i]
    mat.write(data, tmp_path / "toy73.mat", version="7.3")
    with h5py.File(tmp_path / "toy73.mat") as top:
        numbers = top[top["data"][1, 0]]
        assert numbers.dtype.kind == "i" and numbers.attrs["MATLAB_class"] == b"int64"


def test_files_of_earlier_versions_had_other_numbers(tmp_path):
    data = toy(names=(1, 2, 3))
    cells = cells_of(data)
    for i in range(9):
        cells[i, 1], cells[i, 2] = cells[i, 1].astype(float), cells[i, 2].astype(float)
    savemat(tmp_path / "a.mat", {"data": cells})
    assert_same(mat.read(tmp_path / "a.mat"), data)


def test_version_73_looks_as_matlab_writes_it(tmp_path):
    mat.write(toy(), tmp_path / "toy.mat", version="7.3")
    raw = (tmp_path / "toy.mat").read_bytes()
    assert raw.startswith(b"MATLAB 7.3 MAT-file") and raw[124:128] == b"\x00\x02IM"
    with h5py.File(tmp_path / "toy.mat") as top:
        assert top["data"].attrs["MATLAB_class"] == b"cell"
        assert top["data"].shape == (3, 9)  # MATLAB's axes lie in reverse.
        bag = top[top["data"][0, 3]]
        assert bag.attrs["MATLAB_class"] == b"single" and bag.shape == (3, 4)


def test_the_fourth_column(tmp_path):
    data = toy(names=(1, 2, 3))
    cells = cells_of(data, columns=4)
    for i in range(9):
        cells[i, 3] = np.arange(len(cells[i, 0]))[None]
    savemat(tmp_path / "a.mat", {"data": cells})
    expected = np.concatenate([np.arange(n) for n in data.bags.sizes])
    found = mat.read(tmp_path / "a.mat")
    assert found.bags.instance_labels.tolist() == expected.tolist()
    cells[2, 3] = np.zeros((1, 7))  # Then it is something else, and is left out.
    savemat(tmp_path / "b.mat", {"data": cells})
    assert mat.read(tmp_path / "b.mat").bags.instance_labels is None


def test_other_variable_names_and_class_names(tmp_path):
    data = toy()
    file = tmp_path / "a.mat"
    savemat(file, {"bags": cells_of(data), "note": "made by hand"})
    with pytest.raises(BadFile, match=r"no variable 'data'.*'bags' \(cell\)"):
        mat.read(file)
    found = mat.read(file, variable="bags", classes=["elm", "oak", "ash"])
    assert_same(found, data)


def test_candidates_as_flags(tmp_path):
    data = toy(names=(1, 2, 3))
    cells = cells_of(data)
    for i, row in enumerate(data.candidates.matrix):
        cells[i, 1] = row[None].astype(np.uint8)
    file = tmp_path / "a.mat"
    savemat(file, {"data": cells})
    with pytest.raises(BadFile, match="candidates='flags'"):
        mat.read(file)
    assert_same(mat.read(file, candidates="flags"), data)
    with pytest.raises(MiplError, match="'numbers' or 'flags'"):
        mat.read(file, candidates="bits")


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ((2, 0), np.zeros((2, 4)), "bag 2 has instances of shape"),
        ((2, 0), np.zeros((0, 3)), "bag 2 has instances of shape"),
        ((2, 0), np.zeros((2, 3, 1)), "bag 2 has instances of shape"),
        ((2, 0), np.full((2, 3), np.nan), "bag 2 holds NaN"),
        ((2, 0), np.full((2, 3), 1e300), "bag 2 holds inf"),
        ((2, 0), "text", "column 1 of bag 2 holds no numbers"),
        ((2, 0), 1j * np.ones((2, 3)), "complex"),
        ((2, 1), np.zeros((0, 0)), "candidates of bag 2 are empty"),
        ((2, 1), np.array([[1.5]]), "candidates of bag 2 must be whole"),
        ((2, 1), np.array([[np.nan]]), "candidates of bag 2 must be whole"),
        ((2, 1), np.array([[0, 1]]), "candidates of bag 2 hold 0 to 1"),
        ((2, 1), np.array([[1e15]]), "candidates of bag 2 hold"),
        ((2, 1), np.array([[60]]), "class number 60, but number 4 never occurs"),
        ((2, 2), np.array([[-1]]), "labels hold -1"),
        ((2, 2), np.array([[1, 2]]), "one true label"),
        ((2, 2), np.zeros((0, 0)), "one true label"),
    ],
)
def test_wrong_cells_are_told(tmp_path, place, value, sentence):
    cells = cells_of(toy(names=(1, 2, 3)))
    cells[place] = value
    savemat(tmp_path / "a.mat", {"data": cells})
    with pytest.raises(MiplError, match=sentence):
        mat.read(tmp_path / "a.mat")


def test_wrong_shapes_of_the_cell_array(tmp_path):
    cells = cells_of(toy(names=(1, 2, 3)))
    for wrong in (cells[:, :2], cells[:0], cells[:, [0, 1, 2, 2, 2]]):
        savemat(tmp_path / "a.mat", {"data": wrong})
        with pytest.raises(BadFile, match="3 or 4 columns"):
            mat.read(tmp_path / "a.mat")


def test_too_few_class_names(tmp_path):
    savemat(tmp_path / "a.mat", {"data": cells_of(toy())})
    with pytest.raises(BadFile, match="class number 3, but there are 2"):
        mat.read(tmp_path / "a.mat", classes=["a", "b"])
    assert len(mat.read(tmp_path / "a.mat", classes=list("abcde")).classes) == 5


def test_files_that_are_not_matlab(tmp_path):
    file = tmp_path / "a.mat"
    for content in (b"", b"text", bytes(200), b"\x89HDF\r\n\x1a\n" + bytes(200)):
        file.write_bytes(content)
        assert not mat.sniff(file)
        with pytest.raises(BadFile, match=r"not a MATLAB file of version 5 or 7\.3"):
            mat.read(file)
    assert not mat.sniff(tmp_path) and not mat.sniff(tmp_path / "absent")


def test_max_bytes_is_the_way_out_and_in(tmp_path):
    data = toy(names=(1, 2, 3))
    file = tmp_path / "a.mat"
    savemat(file, {"data": cells_of(data)})
    with pytest.raises(BadFile, match="max_bytes"):
        mat.read(file, max_bytes=100)
    assert_same(mat.read(file, max_bytes=10_000), data)


def test_too_large_for_version_5_is_told(tmp_path):
    rows = np.broadcast_to(np.float32(0), (1 << 20, 600))  # 2.3 GiB of one number.
    cells = np.empty((1, 3), dtype=object)
    cells[0] = [rows, np.ones((1, 1)), np.ones((1, 1))]
    with pytest.raises(MiplError, match=r"version='7\.3' or a \*\.bags\.h5"):
        put({"data": cells}, tmp_path / "a.mat", "5")
    assert list(tmp_path.iterdir()) == []


def test_what_the_layout_cannot_hold_is_told(tmp_path) -> None:
    weighted = Dataset(
        Bags([np.ones((2, 3)), np.zeros((1, 3))], bag_ids=["a", "b"]),
        np.array([[3.0, 1.0], [0.0, 2.0]]),
        groups=["north", "south"],
    )
    with pytest.warns(UserWarning, match="label weights, groups, bag ids, which were"):
        mat.write(weighted, tmp_path / "x.mat")
    assert mat.read(tmp_path / "x.mat").candidates.matrix.tolist() == [[1, 1], [0, 1]]


def test_nothing_is_told_where_nothing_is_left_out(tmp_path, recwarn) -> None:
    mat.write(Dataset([np.ones((2, 3))], [{"oak", "elm"}]), tmp_path / "x.mat")
    assert not recwarn.list
