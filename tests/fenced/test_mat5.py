"""The strict reader of version 5, against scipy and against files made by hand."""

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io.matlab
from scipy.io import loadmat
from scipy.sparse import issparse

from mipl.errors import BadFile
from mipl.fenced.frames import ARRAY, OTHER, SHAPE
from mipl.io.fence.reading import fenced


def published_files():
    """The files that MATLAB wrote for scipy's own tests, where they are installed."""
    folder = Path(scipy.io.matlab.__file__).parent / "tests" / "data"
    wanted = "test{matrix,double,minus,3dmatrix,cell,emptycell,sparse,string,unicode}"
    stems = wanted[5:-1].split(",")
    return [
        file
        for stem in stems
        for file in sorted(folder.glob(f"test{stem}_[67].*"))
        if "7.3" not in file.name
    ]


@pytest.mark.parametrize("file", published_files(), ids=lambda file: file.name)
def test_files_written_by_matlab_read_as_scipy_reads_them(file):
    expected = loadmat(file)
    names = [name for name in expected if not name.startswith("__")]
    frames = list(fenced(file, "mat", wanted=names))
    assert {frame.name for frame in frames} == set(names)
    for name in names:
        mine = [frame for frame in frames if frame.name == name]
        whole = expected[name]
        if mine[0].kind == SHAPE:
            assert mine.pop(0).shape == whole.shape
            parts = list(whole.ravel(order="F"))
        else:
            parts = [whole]
        for frame, part in zip(mine, parts, strict=True):
            part = part.toarray() if issparse(part) else part
            if frame.kind == ARRAY:
                np.testing.assert_array_equal(frame.array, part)
            else:
                assert frame.text == (part.item() if part.size else "")


def element(kind, content, order="<"):
    raw = struct.pack(order + "II", kind, len(content)) + content
    return raw + bytes(-len(raw) % 8)


def matrix(kind, shape, *parts, name=b"data", flags=0, order="<"):
    content = element(6, struct.pack(order + "II", kind | flags, 0), order)
    content += element(5, struct.pack(order + "i" * len(shape), *shape), order)
    content += element(1, name, order) + b"".join(parts)
    return element(14, content, order)


def put_mat(path, *elements, order="<"):
    head = b"MATLAB 5.0 MAT-file, by hand".ljust(116) + bytes(8)
    ending = b"\x00\x01IM" if order == "<" else b"\x01\x00MI"
    path.write_bytes(head + ending + b"".join(elements))
    return path


def frames_of(path, *wanted, **options):
    return list(fenced(path, "mat", wanted=wanted or ("data",), **options))


@pytest.mark.parametrize("order", "<>")
def test_doubles_stored_as_bytes_and_both_byte_orders(tmp_path, order):
    numbers = element(2, bytes([1, 2, 3, 4, 5, 6]), order)
    file = put_mat(
        tmp_path / "a.mat", matrix(6, (2, 3), numbers, order=order), order=order
    )
    (frame,) = frames_of(file)
    assert frame.array.tolist() == [[1, 3, 5], [2, 4, 6]]
    wide = element(9, struct.pack(order + "2d", 0.5, -1.5), order)
    put_mat(file, matrix(6, (1, 2), wide, order=order), order=order)
    assert frames_of(file)[0].array.tolist() == [[0.5, -1.5]]


def test_small_elements_lie_in_their_tag(tmp_path):
    small = struct.pack("<HH4s", 2, 3, bytes([7, 8, 9, 0]))
    (frame,) = frames_of(put_mat(tmp_path / "a.mat", matrix(6, (1, 3), small)))
    assert frame.array.tolist() == [[7, 8, 9]]


def test_unwanted_variables_are_named_only(tmp_path):
    file = put_mat(
        tmp_path / "a.mat",
        matrix(2, (1, 1), b"nothing readable", name=b"s"),
        matrix(6, (1, 1), element(9, struct.pack("<d", 4.0))),
    )
    other, data = frames_of(file)
    assert (other.kind, other.name, other.text) == (OTHER, "s", "struct")
    assert data.array.tolist() == [[4.0]]


EIGHT = element(9, struct.pack("<d", 1.0))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (matrix(6, (1, 2), EIGHT), r"shape \(1, 2\) with 1 numbers"),
        (matrix(6, (1, 1), EIGHT, EIGHT), "longer than its content"),
        (matrix(6, (1, -1), EIGHT), "dimensions"),
        (matrix(6, (1,), EIGHT), "dimensions"),
        (matrix(6, (1,) * 9, EIGHT), "dimensions"),
        (matrix(8, (1, 8), EIGHT), "numbers stored as float64"),
        (matrix(7, (1, 1), EIGHT), "numbers stored as float64"),
        (matrix(6, (1, 1), element(99, bytes(8))), "numbers of type 99"),
        (matrix(6, (1, 1), element(9, bytes(7))), "a broken number"),
        (matrix(6, (1, 1), EIGHT, EIGHT, flags=0x0800), "complex"),
        (matrix(2, (1, 1), EIGHT), "a struct where numbers"),
        (matrix(200, (1, 1), EIGHT), "a unknown where numbers"),
        (matrix(1, (1, 9), EIGHT), "cell array of shape"),
        (matrix(1, (1, 1), EIGHT), "a cell that is no matrix"),
        (matrix(1, (1, 1), matrix(1, (1, 1), EIGHT)), "a cell where numbers"),
        (matrix(4, (2, 2), element(16, b"abcd")), "text of several rows"),
        (matrix(6, (1, 1), EIGHT)[:-8], "truncated"),
        (matrix(6, (1, 1), EIGHT) + b"rest", "truncated"),
        (element(9, bytes(8)), "an element of type 9 at the top"),
        (element(14, struct.pack("<II", 6, 100) + bytes(8)), "past its matrix"),
        (element(14, struct.pack("<HHI", 6, 9, 0)), "more than 4 bytes"),
        (matrix(5, (2, 1), EIGHT), "row numbers of type 9"),
    ],
)
def test_elements_that_do_not_fit_are_refused(tmp_path, content, sentence):
    with pytest.raises(BadFile, match=sentence):
        frames_of(put_mat(tmp_path / "a.mat", content))


def sparse(rows, starts, values, shape=(3, 2)):
    return matrix(
        5,
        shape,
        element(5, struct.pack(f"<{len(rows)}i", *rows)),
        element(5, struct.pack(f"<{len(starts)}i", *starts)),
        element(9, struct.pack(f"<{len(values)}d", *values)),
    )


def test_sparse_by_hand(tmp_path):
    file = put_mat(tmp_path / "a.mat", sparse([0, 2, 1], [0, 2, 3], [5, 6, 7]))
    assert frames_of(file)[0].array.tolist() == [[5, 0], [0, 7], [6, 0]]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (sparse([0, 3, 1], [0, 2, 3], [5, 6, 7]), "a row outside"),
        (sparse([0, -1, 1], [0, 2, 3], [5, 6, 7]), "a row outside"),
        (sparse([0, 2, 1], [0, 2, 4], [5, 6, 7]), "too few numbers"),
        (sparse([0, 2, 1], [0, 3, 2], [5, 6, 7]), "columns of a sparse"),
        (sparse([0, 2, 1], [1, 2, 3], [5, 6, 7]), "columns of a sparse"),
        (sparse([0, 2, 1], [0, 3], [5, 6, 7]), "columns of a sparse"),
        (sparse([0], [0] + [1] * 40000, [5], (40000, 40000)), "max_bytes allows"),
    ],
)
def test_wrong_sparse_arrays_are_refused(tmp_path, content, sentence):
    with pytest.raises(BadFile, match=sentence):
        frames_of(put_mat(tmp_path / "a.mat", content))


def test_compressed_data_must_end_with_the_matrix(tmp_path):
    whole = matrix(6, (1, 1), EIGHT)
    file = tmp_path / "a.mat"
    packed = zlib.compress(whole)

    def put(content):
        put_mat(file, struct.pack("<II", 15, len(content)) + content)

    put(packed)
    assert frames_of(file)[0].array.tolist() == [[1.0]]
    for wrong in (packed[:-1], zlib.compress(whole + b"more"), packed + b"more"):
        put(wrong)
        with pytest.raises(BadFile, match="compressed data"):
            frames_of(file)
    put(packed[:-1] + bytes([packed[-1] ^ 1]))
    with pytest.raises(BadFile, match="incorrect data check"):
        frames_of(file)
