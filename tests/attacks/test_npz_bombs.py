"""Archives that claim or hold absurd amounts: refused before memory is taken."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mipl import MiplError, read_dataset
from mipl.io.arrays.archive import read_arrays


def npy(header: str, body: bytes = b"") -> bytes:
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def stored(path: Path, **members: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)


def header(descr: str, shape: str) -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"


def zip_of(path: Path, packed: bytes, size: int, entries: int = 1) -> None:
    """Write a zip file by hand: one packed member, and a list that names it."""
    name = b"X.npy"
    fields = (20, 0, 8, 0, 33, 0, min(len(packed), 2**32 - 1), min(size, 2**32 - 1))
    extra = struct.pack("<HHQQ", 1, 16, size, len(packed))
    local = struct.pack("<4s5H3I2H", b"PK\3\4", *fields[:5], *fields[5:], 5, 0) + name
    fields = (*fields[:6], 2**32 - 1, 2**32 - 1)
    central = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, *fields[:5], *fields[5:], 5, 20, 0, 0, 0, 0, 0
    )
    directory = (central + name + extra) * entries
    end = struct.pack(
        "<4s4H2IH",
        b"PK\5\6",
        0,
        0,
        entries % 65536,
        entries % 65536,
        len(directory),
        len(local) + len(packed),
        0,
    )
    path.write_bytes(local + packed + directory + end)


def zeros(path: Path, runs: int) -> None:
    """Write ten million zeros a run, a thousand times smaller; runs can be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    run = packer.compress(bytes(10**7)) + packer.flush(zlib.Z_FULL_FLUSH)
    start = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = npy(header("'|u1'", f"({runs * 10**7},)"))
    packed = start.compress(head) + start.flush(zlib.Z_FULL_FLUSH)
    packed += run * runs + packer.flush()
    zip_of(path, packed, runs * 10**7 + len(head))


def forty_gigabytes(path: Path) -> None:
    zeros(path, 4000)


def half_a_gigabyte(path: Path) -> None:
    zeros(path, 50)


def too_many_items(path: Path) -> None:
    stored(path, X=npy(header("'<f8'", "(9223372036854775807,)"), bytes(64)))


def product_wraps_to_the_right_size(path: Path) -> None:
    # 2**61 rows of 8 columns of 8 bytes: 0 in 64-bit arithmetic.
    stored(path, X=npy(header("'<f8'", "(2305843009213693952, 8)")))


def more_digits_than_a_number_has(path: Path) -> None:
    stored(path, X=npy(header("'<f8'", f"({'9' * 5000},)"), bytes(64)))


def endless_header(path: Path) -> None:
    start = b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1)
    stored(path, X=start + b"{" * 1000)


def deep_header(path: Path) -> None:
    stored(path, X=npy(header("'<f8'", "(" * 20_000)))


def text_of_millions_of_letters(path: Path) -> None:
    stored(path, X=npy(header("'<U999999999'", "(1,)"), bytes(64)))


def list_of_many_members(path: Path) -> None:
    zip_of(path, b"", 0, entries=200_000)


def thousands_of_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1200):
            archive.writestr(f"{number}.npy", b"")


def zip_in_a_zip(path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", bytes(10**6))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", npy(header("'|u1'", "(1,)"), b"a"))
        archive.writestr("inner.zip", inner.getvalue())


def the_same_bytes_again_and_again(path: Path) -> None:
    zip_of(path, zlib.compress(bytes(10**6))[2:-4], 10**6, entries=900)


BOMBS = [
    forty_gigabytes,
    half_a_gigabyte,
    too_many_items,
    product_wraps_to_the_right_size,
    more_digits_than_a_number_has,
    endless_header,
    deep_header,
    text_of_millions_of_letters,
    list_of_many_members,
    thousands_of_members,
    zip_in_a_zip,
    the_same_bytes_again_and_again,
]


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_is_refused_within_little_memory(
    tmp_path: Path, bomb: Callable[[Path], None]
) -> None:
    path = tmp_path / "bomb.npz"
    bomb(path)
    tracemalloc.start()
    try:
        with pytest.raises(MiplError):
            read_dataset(path)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_a_pickled_object_is_never_built(tmp_path: Path) -> None:
    built = []

    class Attack:
        def __reduce__(self) -> tuple[object, ...]:
            return built.append, (1,)

    np.savez(tmp_path / "a.npz", X=np.array([Attack()], dtype=object))
    with pytest.raises(MiplError, match="plain numbers or text"):
        read_dataset(tmp_path / "a.npz")
    assert not built


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]),
        np.zeros(2, dtype="M8[s]"),
        np.zeros(2, dtype=complex),
        np.zeros(2, dtype="S3"),
        np.zeros(2, dtype="V4"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_kinds_of_arrays_are_refused(tmp_path: Path, array: np.ndarray) -> None:
    np.savez(tmp_path / "a.npz", X=array)
    with pytest.raises(MiplError, match="plain numbers or text"):
        read_arrays(tmp_path / "a.npz")


def test_letters_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    for point in (0x110000, 0xD800, 2**32 - 1):
        body = struct.pack("<I", point)
        stored(tmp_path / "a.npz", X=npy(header("'<U1'", "(1,)"), body))
        with pytest.raises(MiplError, match="not Unicode"):
            read_arrays(tmp_path / "a.npz")


def test_truth_values_are_zero_or_one(tmp_path: Path) -> None:
    stored(tmp_path / "a.npz", X=npy(header("'|b1'", "(3,)"), b"\0\1\7"))
    found = read_arrays(tmp_path / "a.npz")["X"]
    assert found.dtype == bool
    assert found.view(np.uint8).tolist() == [0, 1, 1]


def test_encrypted_and_oddly_packed_members_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("X.npy", npy(header("'|u1'", "(1,)"), b"a"))
    with pytest.raises(MiplError, match="packed by an unusual method"):
        read_arrays(path)
    stored(path, X=npy(header("'|u1'", "(1,)"), b"a"))
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(MiplError, match="encrypted"):
        read_arrays(path)
