"""The PLL matrices, read and written."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array
from tests.io.toy import VERSIONS, assert_same, toy

from mipl.data import Dataset
from mipl.errors import BadFile, MiplError
from mipl.io.matlab import mat


def singles():
    data = toy()
    rows = np.stack([bag[0] for bag in data.bags])
    return Dataset(rows, data.candidates, labels=data.labels)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("labelled", [True, False])
def test_pll_written_and_read(tmp_path, version, labelled):
    data = singles()
    if not labelled:
        data = Dataset(data.bags, data.candidates)
    mat.write(data, tmp_path / "a.mat", layout="pll", version=version)
    found = mat.read(tmp_path / "a.mat")
    assert_same(found, data)
    assert found.bags.sizes.tolist() == [1] * 9


@pytest.mark.parametrize("form", [csc_array, np.asarray, lambda a: csc_array(a > 0)])
def test_pll_matrices_full_sparse_and_logical(tmp_path, form):
    data = singles()
    truth = (data.labels[None] == data.classes[:, None]).astype(float)  # (k, m)
    variables = {
        "data": np.asfortranarray(data.bags.instances, dtype=np.float64),
        "partial_target": form(data.candidates.matrix.T.astype(float)),
        "target": form(truth),
    }
    savemat(tmp_path / "lost.mat", variables)
    found = mat.read(tmp_path / "lost.mat", classes=data.classes)
    assert_same(found, data)
    assert mat.read(tmp_path / "lost.mat").classes.tolist() == [1, 2, 3]
    assert mat.read(tmp_path / "lost.mat", target=None).labels is None


def test_pll_other_names_and_wrong_matrices(tmp_path):
    data, file = singles(), tmp_path / "a.mat"
    sets = data.candidates.matrix.T.astype(float)
    rows = data.bags.instances
    savemat(file, {"X": rows, "P": sets, "Y": sets})
    with pytest.raises(BadFile, match="no variable 'data'"):
        mat.read(file)
    with pytest.raises(BadFile, match="no candidate matrix"):
        mat.read(file, variable="X", target="Y")
    with pytest.raises(BadFile, match="single one for each"):
        mat.read(file, variable="X", partial_target="P", target="Y")
    with pytest.raises(BadFile, match=r"no variable 'target' but 'Y' \(numeric\)"):
        mat.read(file, variable="X", partial_target="P")
    found = mat.read(file, variable="X", partial_target="P", target=None)
    assert found.candidates.shape == (9, 3)
    savemat(file, {"data": rows, "partial_target": sets.T})
    with pytest.raises(BadFile, match="column for each of the 9 instances"):
        mat.read(file)
    savemat(file, {"data": rows, "partial_target": 2 * sets})
    with pytest.raises(BadFile, match="zeros and ones"):
        mat.read(file)
    savemat(file, {"data": rows, "partial_target": sets})
    with pytest.raises(BadFile, match="3 classes, but 2 names"):
        mat.read(file, classes=["a", "b"])


def test_bags_of_several_instances_have_no_pll_form(tmp_path):
    with pytest.raises(MiplError, match="bag 1 has 2 instances"):
        mat.write(toy(), tmp_path / "a.mat", layout="pll")
    with pytest.raises(MiplError, match="unknown layout"):
        mat.write(toy(), tmp_path / "a.mat", layout="pl")
    with pytest.raises(MiplError, match="unknown version"):
        mat.write(toy(), tmp_path / "a.mat", version="7")
