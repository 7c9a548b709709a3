"""The SQLite file under a store: how it is opened, checked and spoken of.

Rollback journal and full synchronisation: a commit that was acknowledged survives a
kill and a power cut, and the write-ahead log of SQLite before 3.51.3 can lose one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep

from mipl.errors import BadFile, MiplError
from mipl.files import existing_file, stamp
from mipl.runs import seals
from mipl.runs.mounts import remote_kind

_OURS = 0x6D69706C  # "mipl", by which a file says whose it is.
_VERSION = 1
_PATIENCE = 60.0  # Seconds to wait while others write.
_PAUSE = 0.005  # Seconds between two tries.
_COURTESY = 0.01  # Seconds in which others have their turn after a write.
_REMEDIES = {
    sqlite3.SQLITE_BUSY: "wait for the program that holds it, or end that",
    sqlite3.SQLITE_FULL: "make room on its disk",
}


class NotNow(MiplError):
    """A store that is locked by another program, or whose disk is full."""


_TABLES = (
    """CREATE TABLE results (
        key TEXT PRIMARY KEY,
        question TEXT NOT NULL,
        method TEXT NOT NULL,
        arguments TEXT NOT NULL,
        data TEXT NOT NULL,
        options TEXT NOT NULL,
        content TEXT NOT NULL,
        r INTEGER NOT NULL,
        split INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        versions TEXT NOT NULL,
        state TEXT NOT NULL,
        accuracy REAL,
        seconds REAL NOT NULL,
        figures TEXT NOT NULL,
        message TEXT NOT NULL,
        ended TEXT NOT NULL
    )""",
    "CREATE INDEX results_by_question ON results (question)",
    "CREATE TABLE curves (key TEXT PRIMARY KEY, curves TEXT NOT NULL)",
    "CREATE TABLE predictions (key TEXT PRIMARY KEY, predictions TEXT NOT NULL)",
    """CREATE TABLE leases (
        question TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        renewed REAL NOT NULL
    )""",
)


def prepare(path: Path, create: bool) -> None:
    """Check that a file is a store of this version; make one where there is none."""
    if create and not path.parent.is_dir():
        raise MiplError(
            f"cannot write {path}: the folder {path.parent} does not exist; create it."
        )
    if not create or path.exists():
        existing_file(path)
    kind = remote_kind(path) if create else ""  # Reading needs no lasting locks.
    if kind:
        raise MiplError(
            f"{path} lies on a network file system ({kind}), where SQLite can lose "
            "results; keep the store on a disk of this machine."
        )
    with _told(path), closing(_connect(path, "rwc" if create else "rw")) as file:
        if create:
            with _transaction(file):  # Another process may be doing the same.
                if _empty(file):
                    for statement in (*_TABLES, seals.TABLE):
                        file.execute(statement)
                    file.execute(f"PRAGMA application_id = {_OURS}")
                    file.execute(f"PRAGMA user_version = {_VERSION}")
                _check(path, file)
        else:
            _begin_reading(file)
            _check(path, file)
            _check_quickly(path, file)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection that sees one state of the file."""
    # Not read-only: what a kill has left half written must be taken back first.
    with _told(path), closing(_connect(path, "rw")) as file:
        _patiently(file, "PRAGMA query_only = ON")
        _begin_reading(file)
        yield file


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection whose changes are made together or not at all."""
    with _told(path), closing(_connect(path, "rw")) as file, _transaction(file):
        file.execute(seals.TABLE)  # A store of an earlier version has none.
        yield file
    sleep(_COURTESY)


def _begin_reading(file: sqlite3.Connection) -> None:
    file.execute("BEGIN")
    # The first look takes the lock; all that follow see the same state.
    _patiently(file, "SELECT count(*) FROM sqlite_master")


@contextmanager
def _transaction(file: sqlite3.Connection) -> Iterator[None]:
    _patiently(file, "BEGIN IMMEDIATE")
    try:
        yield
        _patiently(file, "COMMIT")
    except BaseException:
        if file.in_transaction:
            file.execute("ROLLBACK")
        raise


def _patiently(file: sqlite3.Connection, statement: str) -> None:
    """Wait until others let the file go.

    SQLite's own way of waiting tries ever more seldom, so that of many writers some
    are never served; and whoever has just written would be the first again.
    """
    end = monotonic() + _PATIENCE
    while True:
        try:
            file.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or monotonic() > end:
                raise
        sleep(_PAUSE)


def _code(error: sqlite3.OperationalError) -> int:
    """Return the kind of an error, without the details of it."""
    # Python's own, such as bytes that are no text, have none.
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_text_fault(error: sqlite3.Error) -> bool:
    """Tell whether a cell holds bytes that are no UTF-8 text."""
    return "UTF-8" in str(error)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    file = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
    file.row_factory = sqlite3.Row
    _patiently(file, "PRAGMA synchronous = FULL")
    return file


# Stores that were looked through in this process, as they were then.
_LOOKED_THROUGH: set[tuple[int, ...] | None] = set()


def _check_quickly(path: Path, file: sqlite3.Connection) -> None:
    """Look through a store that has changed since, without its indices."""
    now = stamp(path)
    if now in _LOOKED_THROUGH:
        return
    (line,) = file.execute("PRAGMA quick_check(1)").fetchone()
    if line != "ok":
        raise BadFile(
            f"{path} is damaged: {str(line)[:100]}; mipl runs check tells more, and "
            "mipl runs repair keeps what is whole."
        )
    _LOOKED_THROUGH.add(now)


def _pragma(file: sqlite3.Connection, name: str) -> int:
    return int(file.execute(f"PRAGMA {name}").fetchone()[0])


def _known(file: sqlite3.Connection) -> bool:
    return _pragma(file, "application_id") == _OURS


def _empty(file: sqlite3.Connection) -> bool:
    (count,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return bool(count == 0) and _pragma(file, "application_id") == 0


def _check(path: Path, file: sqlite3.Connection) -> None:
    if not _known(file):
        raise BadFile(f"{path} is not a store of results; give another name.")
    version = _pragma(file, "user_version")
    if version != _VERSION:
        raise BadFile(
            f"{path} is a store of version {version}, and this mipl knows version "
            f"{_VERSION}; use the mipl that wrote it, or give another name."
        )
    (journal,) = file.execute("PRAGMA journal_mode").fetchone()
    if journal == "wal":
        raise BadFile(
            f"{path} was switched to a write-ahead log, which can lose results; switch "
            f"it back: sqlite3 {path} 'PRAGMA journal_mode=DELETE'."
        )


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Tell in a sentence what SQLite refuses."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if is_text_fault(error):
            raise BadFile(
                f"{path} is damaged: {str(error)[:80]!r}; mipl runs repair keeps what "
                "is whole."
            ) from error
        remedy = _REMEDIES.get(_code(error))
        kind = MiplError if remedy is None else NotNow
        raise kind(
            f"the store {path} cannot be used: {error}; {remedy or 'check the place'}."
        ) from error
    except sqlite3.DatabaseError as error:
        raise BadFile(
            f"{path} is no store of results, or is damaged: {error}; restore a copy, "
            "give another name, or keep what is whole with mipl runs repair."
        ) from error
    except (UnicodeDecodeError, IndexError) as error:
        # SQLite hands on names of tables and columns as they are in the file.
        raise BadFile(
            f"{path} is damaged: {str(error)[:80]!r}; mipl runs repair keeps what is "
            "whole."
        ) from error
