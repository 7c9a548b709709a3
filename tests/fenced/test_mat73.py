"""Version 7.3 files whose entries are not what MATLAB writes."""

import h5py
import numpy as np
import pytest
from tests.io.toy import toy

from mipl.errors import BadFile
from mipl.io.matlab import mat


def test_a_73_file_whose_cells_share_one_bag_is_refused(tmp_path):
    file = tmp_path / "a.mat"
    mat.write(toy(), file, version="7.3")
    with h5py.File(file, "r+") as top:
        references = top["data"][()]
        references[0, 1] = references[0, 0]
        top["data"][...] = references
    with pytest.raises(BadFile, match="same bag twice"):
        mat.read(file)


def test_73_entries_of_other_kinds_are_refused(tmp_path):
    file = tmp_path / "a.mat"

    def changed(change):
        mat.write(toy(), file, version="7.3")
        with h5py.File(file, "r+") as top:
            change(top)
        return file

    def rename(top):
        top["data"].attrs["MATLAB_class"] = np.bytes_("table")

    def null(top):
        references = top["data"][()]
        references[1, 1] = h5py.Reference()
        top["data"][...] = references

    def link(top):
        del top["data"]
        top["data"] = h5py.SoftLink("/classes")

    def text(top):
        top[top["data"][0, 1]].attrs["MATLAB_class"] = np.bytes_("struct")

    for change, sentence in (
        (rename, "holds a table"),
        (null, "refers to nothing"),
        (link, "link to somewhere else"),
        (text, "holds a struct"),
    ):
        with pytest.raises(BadFile, match=sentence):
            mat.read(changed(change))
