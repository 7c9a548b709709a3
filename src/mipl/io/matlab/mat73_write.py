"""Writing of MATLAB version 7.3 files, which are HDF5 behind a block of 512 bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from mipl.fenced.hdf5_library import h5py
from mipl.io.hdf5_target import new_hdf5

_USER_BLOCK = 512
_CLASSES = {
    "f8": "double", "f4": "single", "b1": "logical", "i1": "int8", "u1": "uint8",
    "i2": "int16", "u2": "uint16", "i4": "int32", "u4": "uint32", "i8": "int64",
    "u8": "uint64",
}  # fmt: skip


def save73(path: Path, variables: dict[str, Any]) -> None:
    """Write variables: arrays, sparse matrices and cell arrays of arrays or texts."""
    with new_hdf5(path, userblock_size=_USER_BLOCK) as (top, check):
        for name, value in variables.items():
            check()
            if issparse(value):
                _put_sparse(top, name, value)
            elif value.dtype == object:
                _put_cells(top, name, value)
            else:
                _put(top, name, value)
    text = b"MATLAB 7.3 MAT-file, written by mipl"
    with path.open("r+b") as handle:
        handle.write(text.ljust(116) + bytes(8) + b"\x00\x02IM")


def _put(group: h5py.Group, name: str, value: Any) -> h5py.Dataset:
    """Write one array or text; MATLAB sees the axes in reverse."""
    text = isinstance(value, str)
    array = np.frombuffer(value.encode("utf-16-le"), "<u2")[None] if text else value
    empty = array.size == 0
    data = np.array(array.shape, np.uint64) if empty else array.T
    if data.dtype == bool:
        data = data.astype(np.uint8)
    packed = {"compression": "gzip"} if data.size > 256 else {}
    item = group.create_dataset(name, data=data, **packed)
    kind = "char" if text else _CLASSES[array.dtype.str[1:]]
    item.attrs["MATLAB_class"] = np.bytes_(kind)
    if text:
        item.attrs["MATLAB_int_decode"] = np.int32(2)
    if empty:
        item.attrs["MATLAB_empty"] = np.uint8(1)
    return item


def _put_cells(top: h5py.File, name: str, cells: Any) -> None:
    group = top.require_group("#refs#")
    references = np.empty(cells.T.shape, dtype=h5py.ref_dtype)
    for place, cell in np.ndenumerate(cells.T):
        references[place] = _put(group, f"{name}_{len(group)}", cell).ref
    item = top.create_dataset(name, data=references, dtype=h5py.ref_dtype)
    item.attrs["MATLAB_class"] = np.bytes_("cell")


def _put_sparse(top: h5py.File, name: str, matrix: Any) -> None:
    group = top.create_group(name)
    group.attrs["MATLAB_class"] = np.bytes_("double")
    group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
    group["jc"] = matrix.indptr.astype(np.uint64)
    if matrix.nnz:
        group["ir"] = matrix.indices.astype(np.uint64)
        group["data"] = matrix.data
