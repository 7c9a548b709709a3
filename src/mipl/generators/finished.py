"""A file of finished bags: what was computed once is not computed again."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mipl.errors import BadFile
from mipl.generators.instance_bag import InstanceBag

_TABLE = (
    "CREATE TABLE IF NOT EXISTS bags "
    "(key TEXT PRIMARY KEY, n INTEGER, features BLOB, boxes BLOB, seal BLOB)"
)
_PATIENCE = 60.0  # Seconds to wait for another who writes.


class Finished:
    """Bags by a key, in one SQLite file that survives a kill.

    The key is a hash of the item's content and of the generator's settings, so a
    file can serve several generators and never gives a bag of another item. Any
    number of processes may use it at once. A bag that differs from what was put is
    taken for absent, and so computed again.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> bag = InstanceBag(np.ones((2, 3), np.float32), np.zeros((2, 4), np.float32))
    >>> with TemporaryDirectory() as folder, Finished.open(f"{folder}/f") as finished:
    ...     finished.put([("a", bag)])
    ...     finished.get("a").features.shape, finished.get("b")
    ((2, 3), None)
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def open(cls, path: str | Path) -> Iterator["Finished"]:
        """Open a file of finished bags, made where it is absent."""
        connection = None
        try:
            connection = sqlite3.connect(path, timeout=_PATIENCE)
            connection.execute(_TABLE)
            yield cls(connection)
        except sqlite3.Error as error:
            raise BadFile(
                f"{path} cannot be used as a file of finished bags: {error}; "
                "delete it, or give another name."
            ) from None
        finally:
            if connection is not None:
                connection.close()

    def get(self, key: str) -> InstanceBag | None:
        """Return the bag of a key, None where it is not finished."""
        rows = self._connection.execute(
            "SELECT seal, n, features, boxes FROM bags WHERE key = ?", (key,)
        )
        found = rows.fetchone()
        if found is None:
            return None
        seal, n, features, boxes = found
        if seal != _seal(key, n, features, boxes):
            return None
        return InstanceBag(_array(features, n), _array(boxes, n))

    def put(self, bags: Iterable[tuple[str, InstanceBag]]) -> None:
        """Keep bags, all of them or none."""
        rows = [
            (key, *parts, _seal(key, *parts))
            for key, bag in bags
            for parts in [(len(bag.places), _bytes(bag.features), _bytes(bag.places))]
        ]
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO bags VALUES (?, ?, ?, ?, ?)", rows
            )


def _seal(*parts: object) -> bytes:
    return sha256(repr(parts).encode()).digest()


def _bytes(array: npt.NDArray[np.float32]) -> bytes:
    return np.ascontiguousarray(array, "<f4").tobytes()


def _array(data: bytes, n: int) -> npt.NDArray[np.float32]:
    return np.frombuffer(data, "<f4").reshape(n, -1).astype(np.float32)
