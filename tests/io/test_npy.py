"""The .npy form: headers of other programs, and content that is not as claimed."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from mipl import MiplError
from mipl.io.arrays.npy import read_array
from mipl.io.folders.bag_files import read_array as read_file


def saved(array: np.ndarray, version: tuple[int, int] | None = None) -> bytes:
    buffer = BytesIO()
    np.lib.format.write_array(buffer, array, version, allow_pickle=False)
    return buffer.getvalue()


def read(content: bytes) -> np.ndarray:
    return read_array(BytesIO(content), len(content), "it")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype="<f4").reshape(2, 3),
        np.arange(6, dtype=">i2").reshape(3, 2, order="F"),
        np.array(["oak", "é", ""]),
        np.array([True, False]),
        np.array(3.5),
        np.zeros((0, 4), np.float16),
        np.arange(4, dtype=np.uint64),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_every_version_and_kind(array: np.ndarray, version: tuple[int, int]) -> None:
    found = read(saved(array, version))
    assert found.dtype == array.dtype.newbyteorder("=")
    assert np.array_equal(found, array)


def test_headers_as_other_programs_write_them() -> None:
    head = b"{'shape':(2,1),'fortran_order':True,'descr':'|i1'}\n"
    content = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\7\3"
    assert read(content).tolist() == [[7], [3]]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "it is not in NumPy's .npy form"),
        (b"\x93NUMPY\x09\x00ab", "it is not in NumPy's .npy form"),
        (saved(np.zeros(3))[:-1], "claims 24 bytes of numbers and holds 23"),
        (saved(np.zeros(3)) + b"!", "claims 24 bytes of numbers and holds 25"),
        (saved(np.zeros(3)).replace(b"'<f8'", b"'|O8'"), "plain numbers or text"),
        (saved(np.zeros(3)).replace(b"(3,)", b"(-3)"), "plain numbers or text"),
        (saved(np.zeros(3)).replace(b"descr", b"dtype"), "plain numbers or text"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f{", "claims a header of 2,147,483,647"),
    ],
)
def test_what_is_wrong_is_told(content: bytes, says: str) -> None:
    with pytest.raises(MiplError, match=says):
        read(content)


def test_content_of_another_length_than_told() -> None:
    content = saved(np.zeros(3))
    with pytest.raises(MiplError, match="ends after 23 of 24 bytes"):
        read_array(BytesIO(content[:-1]), len(content), "it")
    with pytest.raises(MiplError, match="goes on after its last number"):
        read_array(BytesIO(content + b"!"), len(content), "it")


def test_more_than_there_is_memory_for(tmp_path: Path) -> None:
    path, size = tmp_path / "a.npy", 1 << 43
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "|u1", "fortran_order": False, "shape": (size,)}
        )
        try:
            file.truncate(file.tell() + size)
        except OSError:
            pytest.skip("this file system has no files of 8 TB")
    with pytest.raises(MiplError, match="needs 8,796,093,022,208 bytes of memory"):
        read_file(path)
