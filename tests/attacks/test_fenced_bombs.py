"""MATLAB and HDF5 files that claim or unpack to absurd sizes: refused at no cost."""

import struct
import tracemalloc
import zlib

import h5py
import numpy as np
import pytest
from tests.fenced.test_mat5 import element, matrix, put_mat

from mipl import MiplError, read_dataset
from mipl.fenced.bags_file import SCHEMA

GIB = 1 << 30
SPARED = 64 << 20


def packed(content: bytes) -> bytes:
    return struct.pack("<II", 15, len(content)) + content


def cut_tag(kind: int, nbytes: int) -> bytes:
    return struct.pack("<II", kind, nbytes)


def mat_of_a_gibibyte(path):
    """An honest head of a matrix of 1 GiB of zeros, of which 128 MiB are there."""
    head = matrix(6, (1 << 17, 1 << 10), b"")[8:] + cut_tag(9, GIB)
    start = cut_tag(14, len(head) + GIB) + head
    put_mat(path, packed(zlib.compress(start + bytes(GIB >> 3))))


def mat_that_never_ends(path):
    """A small matrix, then many zeros in the same stream."""
    small = matrix(6, (1, 1), element(9, bytes(8)))
    put_mat(path, packed(zlib.compress(small + bytes(GIB >> 4))))


def mat_with_a_long_tag(path):
    put_mat(path, cut_tag(14, 2**32 - 8) + bytes(64))


def mat_with_long_numbers(path):
    content = matrix(6, (2**15, 2**16), b"")[8:] + cut_tag(9, 2**32 - 8)
    put_mat(path, packed(zlib.compress(cut_tag(14, 2**32 - 8) + content)))


def mat_with_many_axes(path):
    put_mat(path, matrix(6, (2**31 - 1,) * 8, element(9, bytes(8))))


def mat_with_many_cells(path):
    put_mat(path, matrix(1, (2**31 - 1, 3), element(9, bytes(8))))


def mat_with_a_million_real_cells(path):
    cell = matrix(6, (1, 1), element(2, bytes(1)), name=b"")
    content = matrix(1, (400_000, 3), cell * 1_200_000)
    put_mat(path, packed(zlib.compress(content)))


def mat_with_a_wide_sparse_array(path):
    starts = element(5, struct.pack("<2i", 0, 0))
    put_mat(path, matrix(5, (2**31 - 1, 1), element(5, b""), starts, element(9, b"")))


def user_block(path):
    with path.open("r+b") as handle:
        handle.write(b"MATLAB 7.3".ljust(116) + bytes(8) + b"\x00\x02IM")


def mat73_with_an_empty_claim(path):
    with h5py.File(path, "w", userblock_size=512) as top:
        item = top.create_dataset("data", (2**40, 2**18), "f8", chunks=(1, 1024))
        item.attrs["MATLAB_class"] = np.bytes_("double")
    user_block(path)


def mat73_of_zeros(path):
    with h5py.File(path, "w", userblock_size=512) as top:
        item = top.create_dataset(
            "data", (1 << 7, 1 << 17), "f8", chunks=(1, 1 << 17), compression="gzip"
        )
        for row in range(item.shape[0]):
            item[row] = 0
        item.attrs["MATLAB_class"] = np.bytes_("double")
    user_block(path)


def native(path, **changes):
    parts = {
        "offsets": np.array([0, 1]),
        "candidates": np.ones((1, 1), bool),
        "classes": np.array([0]),
    }
    with h5py.File(path, "w") as top:
        top.attrs["schema"] = SCHEMA
        top.attrs["version"] = 1
        for name, value in parts.items():
            if name not in changes:
                top[name] = value
        for name, (shape, dtype) in {"features": ((1, 1), "f4"), **changes}.items():
            filled = shape == (1, 1)
            chunks = None if filled else tuple(min(side, 1024) for side in shape)
            item = top.create_dataset(name, shape, dtype, chunks=chunks)
            if filled:
                item[...] = 0


def native_with_many_rows(path):
    native(path, features=((2**50, 512), "f4"))


def native_with_many_bags(path):
    native(path, offsets=((2**55,), "i8"))


def native_with_many_classes(path):
    native(path, candidates=((1, 2**55), "b1"))


BOMBS = [
    mat_of_a_gibibyte,
    mat_that_never_ends,
    mat_with_a_long_tag,
    mat_with_long_numbers,
    mat_with_many_axes,
    mat_with_many_cells,
    mat_with_a_million_real_cells,
    mat_with_a_wide_sparse_array,
    mat73_with_an_empty_claim,
    mat73_of_zeros,
    native_with_many_rows,
    native_with_many_bags,
    native_with_many_classes,
]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_bombs_are_refused_and_cost_no_memory(tmp_path, bomb):
    path = tmp_path / "bomb"
    bomb(path)
    assert path.stat().st_size < 3 << 20
    tracemalloc.start()
    try:
        with pytest.raises(MiplError) as caught:
            read_dataset(path)
        assert tracemalloc.get_traced_memory()[1] < SPARED
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
