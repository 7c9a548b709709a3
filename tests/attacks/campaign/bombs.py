"""Files that claim or unpack to absurd amounts: refused in a second, in 64 MiB."""

import struct
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from tests.attacks import test_fenced_bombs, test_npz_bombs

from mipl import MiplError, read_dataset
from mipl.images.pixels import read_pixels
from mipl.io.split_files import read_split_files
from mipl.runs.run_settings import read_tables

SECONDS, MEMORY = 1.0, 64 << 20


def png(path: Path, side: int) -> None:
    """Write a picture of zeros: a thousandth of what it unpacks to."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + check

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(min(side * (3 * side + 1), 200 << 20)), 9)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def picture_of_a_tenth_of_a_gigapixel(path: Path) -> None:
    png(path, 10_000)


def picture_that_claims_a_terapixel(path: Path) -> None:
    png(path, 1_000_000)


def deep_settings(path: Path) -> None:
    path.write_text("a = " + "[" * 100_000 + "]" * 100_000)


def settings_with_a_long_number(path: Path) -> None:
    path.write_text(f"split = {'9' * 1_000_000}")


def deep_splits(path: Path) -> None:
    path.write_text("[" * 1_000_000)


READERS: list[tuple[Callable[[Path], None], str, Callable[[Path], object]]] = [
    *((bomb, "bomb.npz", read_dataset) for bomb in test_npz_bombs.BOMBS),
    *((bomb, "bomb", read_dataset) for bomb in test_fenced_bombs.BOMBS),
    (picture_of_a_tenth_of_a_gigapixel, "a.png", read_pixels),
    (picture_that_claims_a_terapixel, "a.png", read_pixels),
    (deep_settings, "run.toml", read_tables),
    (settings_with_a_long_number, "run.toml", read_tables),
    (deep_splits, "splits.json", lambda path: read_split_files(path, None)),
]
BOMBS = {bomb.__name__: (bomb, name, read) for bomb, name, read in READERS}


def piece(name: str, seed: int, folder: Path, count: int = 1) -> Counter[str]:
    """Read a bomb; the first reading of a process pays for its helper."""
    bomb, file, read = BOMBS[name]
    bomb(folder / file)
    spent = []
    for _ in range(3):
        start = monotonic()
        tracemalloc.start()
        try:
            read(folder / file)
            return Counter({"accepted": 1})
        except MiplError as error:
            if "\n" in str(error) or len(str(error)) > 2000:
                return Counter({"refused, badly told": 1})
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        if peak >= MEMORY:
            return Counter({f"{peak >> 20} MiB": 1})
        spent.append(monotonic() - start)
    quickest = min(spent)
    return Counter({"refused" if quickest < SECONDS else f"{quickest:.1f} s": 1})
