"""Files that belong together: written as one, and read as one.

A record, a JSON file, is written last. It holds the sha256 of each member, by its role,
and a token by which a member is found that has its name not yet: new members lie beside
their places until the record, in one rename, makes them the ones to read. So a reader
finds the old set or the new one, whenever the writer was stopped, and a member that was
changed by itself is noticed. Files without a record are read as they are.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from mipl.errors import BadFile, MiplError
from mipl.files import (
    CALLS,
    FileCalls,
    beside,
    read_bounded,
    sha256,
    stamp,
    steadily,
    write_bytes,
    write_errors,
    writeable,
)

FILES, TOKEN = "files", "token"
LARGEST_RECORD = 1 << 28
_HASH, _NAME = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{16}")
_Read = TypeVar("_Read")


class NewSet:
    """The members of a set that is being written.

    Attributes
    ----------
    about : dict
        What else the record shall hold.
    """

    def __init__(self, record: Path) -> None:
        self.record = record
        self.token = token_hex(8)
        self.targets: dict[str, Path] = {}
        self.about: dict[str, Any] = {}

    def place(self, role: str, path: Path) -> Path:
        """Return where to write a member; it becomes ``path`` with all the others.

        Its folder is made with it, where there is none.
        """
        target = writeable(path) if path.parent.is_dir() else path
        if target.is_dir():
            raise MiplError(f"cannot write {path}: it is a folder; give a file name.")
        self.targets[role] = target
        return self.staged()[role]

    def staged(self) -> dict[str, Path]:
        """Return the members where they lie before they have their names."""
        return {
            role: _staged(path, self.record, self.token)[not path.parent.is_dir()]
            for role, path in self.targets.items()
        }


@contextmanager
def written_together(
    path: Path, record: Path, calls: FileCalls = CALLS
) -> Iterator[NewSet]:
    """Write several files of which ``path`` is the one that users name, or none."""
    new = NewSet(record)
    try:
        with write_errors(path):
            writeable(path)
            yield new
            staged = new.staged()
            for place in staged.values():
                calls.fsync(place)
            hashes = {role: sha256(place) for role, place in staged.items()}
            text = json.dumps(
                {**new.about, FILES: hashes, TOKEN: new.token}, allow_nan=False
            )
            with _alone(path.parent):
                left = _left_by_others(record, new)
                for folder in {place.parent for place in staged.values()}:
                    calls.fsync_dir(folder)
                write_bytes(record, text.encode(), calls)  # From here on it is new.
                _give_names(new.targets, staged, calls)
                for place in left:
                    place.unlink(missing_ok=True)
    finally:
        if _token(record) != new.token:
            for place in new.staged().values():
                with suppress(OSError):  # What the failure was is being raised.
                    place.unlink()


def read_together(
    record: Path,
    members: Mapping[str, Path],
    read: Callable[[Mapping[str, Path]], _Read],
) -> _Read:
    """Read members of one set, given the place of each; refuse what was mixed up.

    Parameters
    ----------
    record : path
        There need be none: then the members are read as they are.
    members : mapping of role to path
    read : callable
        Given the mapping with the place of each member as it now is.
    """
    paths = [record, *members.values()]
    return steadily(
        lambda: read(places_of(record, members)),
        lambda: [stamp(path) for path in paths],
        next(iter(members.values()), record),
    )


def roles(record: Path) -> set[str]:
    """Return the roles of the members that a record knows."""
    return set(_content(record)[0])


def places_of(record: Path, members: Mapping[str, Path]) -> dict[str, Path]:
    """Return where each member is now; refuse one that was changed by itself."""
    hashes, token = _content(record)
    found = {}
    for role, path in members.items():
        known = hashes.get(role)
        places = [path, *_staged(Path(os.path.realpath(path)), record, token)]
        whole = [p for p in places if stamp(p) and p.is_file() and sha256(p) == known]
        if known is None:
            found[role] = path
        elif whole:  # Beside its place where the writer was stopped before the rename.
            found[role] = whole[0]
        elif path.exists():
            raise BadFile(
                f"{path} is not the file that was written with {record.name}; if the "
                f"change is meant, delete {record.name} beside it, else write the data "
                "again."
            )
        else:
            found[role] = path  # Whether it may be absent, its reader knows.
    return found


def _content(record: Path) -> tuple[dict[str, str], str]:
    """Return the hashes and the token of a record; none where it has none."""
    if stamp(record) is None:
        return {}, ""
    try:
        content = json.loads(read_bounded(record, LARGEST_RECORD).decode())
    except UnicodeDecodeError:
        raise BadFile(f"{record} is not UTF-8 text; it is damaged.") from None
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{record} is not JSON: {str(error)[:100]}.") from None
    if not isinstance(content, dict) or FILES not in content:
        return {}, ""  # Of an earlier version, which kept no hashes.
    hashes, token = content[FILES], str(content.get(TOKEN))
    whole = (
        isinstance(hashes, dict)
        and all(isinstance(h, str) and _HASH.fullmatch(h) for h in hashes.values())
        and _NAME.fullmatch(token)
    )
    if not whole:
        raise BadFile(f"{record} is damaged: its hashes are wrong; write it again.")
    return hashes, token


def _token(record: Path) -> str:
    try:
        return _content(record)[1]
    except MiplError:
        return ""


def _staged(target: Path, record: Path, token: str) -> tuple[Path, Path]:
    """Return where a member may lie that has not its name: beside it, or the record."""
    place = beside(target, token)
    return place, record.parent / place.name


def _give_names(
    targets: Mapping[str, Path], staged: Mapping[str, Path], calls: FileCalls
) -> None:
    for role, target in targets.items():
        target.parent.mkdir(exist_ok=True)
        calls.replace(staged[role], target)
    for folder in {target.parent for target in targets.values()}:
        calls.fsync_dir(folder)


def _left_by_others(record: Path, new: NewSet) -> list[Path]:
    """Return members that a stopped writer has left without their names."""
    token, targets = _token(record), new.targets.values()
    return [p for t in targets for p in _staged(t, record, token)] if token else []


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time give names in a folder, where the system can."""
    try:
        from fcntl import LOCK_EX, flock  # noqa: PLC0415 - not on every system
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # Some network file systems have no locks.
            flock(handle, LOCK_EX)
        yield
    finally:
        os.close(handle)
