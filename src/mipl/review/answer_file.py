"""Answers as they are given: a file that only grows, a line of JSON per answer.

An answer is on the disk when ``add`` returns. Who is killed meanwhile loses at most the
answer under way: the rest of its line is told apart and left where it is. Writers wait
for each other, also those of other processes.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from mipl.errors import BadFile, MiplError
from mipl.files import append_bytes
from mipl.runs.folder_lock import writing_alone

Kind = Literal["set", "skip", "undo"]
SET: Final = "set"
SKIP: Final = "skip"
UNDO: Final = "undo"

_LARGEST = 1 << 28
_LONGEST_WAIT = 10.0  # Seconds for other writers, who need a few milliseconds each.
_STEP = 0.01


class Answer(BaseModel):
    """What a person said of a bag.

    Attributes
    ----------
    number : int
        Its place among all answers of the file, from 1.
    bag : str
        Id of the bag, or its number where it has no id.
    kind : {"set", "skip", "undo"}
    classes : tuple of class names
        Of a set: the candidates that are left; one confirms it.
    by, at : str
        Who, and when in UTC.
    undoes : int or None
        Of an undo: the number of the answer that no longer stands.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    bag: str
    kind: Kind
    classes: tuple[bool | int | float | str, ...] = ()
    by: str = ""
    at: str = ""
    undoes: int | None = None


class AnswerFile:
    """The answers of a file, and those that stand.

    Parameters
    ----------
    path : path
        Of a file that need not be there yet.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = AnswerFile(Path(folder, "answers.jsonl"))
    ...     _ = file.add("p", "set", ["oak"], by="anna")
    ...     _ = file.add("q", "skip", by="anna")
    ...     undone = file.undo(by="anna")
    ...     print([one.bag for one in file.standing().values()], undone.undoes)
    ['p'] 2
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._read: list[Answer] = []
        self._damaged = 0
        self._offset = 0
        self._inode: int | None = None

    # -- reading -------------------------------------------------------------------

    def answers(self) -> list[Answer]:
        """Return all answers, also those that were undone, in their order."""
        self._refresh()
        return list(self._read)

    @property
    def damaged(self) -> int:
        """How many lines are no answer, as those whose writer was killed."""
        self._refresh()
        return self._damaged

    def standing(self) -> dict[str, Answer]:
        """Return the answer of each bag that stands, in the order in which they came.

        The last one of a bag counts; where that is undone, the one before it.
        """
        found: dict[str, Answer] = {}
        for one in self._standing():
            found.pop(one.bag, None)  # So that its new place is the last.
            found[one.bag] = one
        return found

    def _standing(self) -> Iterator[Answer]:
        self._refresh()
        undone = {one.undoes for one in self._read if one.kind == UNDO}
        for one in self._read:
            if one.kind != UNDO and one.number not in undone:
                yield one

    def _refresh(self) -> None:
        """Read what was added since the last look."""
        try:
            with self.path.open("rb") as handle:
                status = os.fstat(handle.fileno())
                if status.st_ino != self._inode or status.st_size < self._offset:
                    self._read, self._damaged, self._offset = [], 0, 0
                    self._inode = status.st_ino
                if status.st_size > _LARGEST:
                    raise BadFile(
                        f"{self.path} has {status.st_size:,} bytes; at most "
                        f"{_LARGEST:,} are read here."
                    )
                handle.seek(self._offset)
                new = handle.read(status.st_size - self._offset)
        except FileNotFoundError:
            self._read, self._damaged, self._offset, self._inode = [], 0, 0, None
            return
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise BadFile(f"cannot read {self.path}: {reason}.") from error
        whole = new[: new.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            self._take(line)

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            self._read.append(Answer.model_validate_json(line))
        except ValidationError:
            self._damaged += 1

    # -- writing -------------------------------------------------------------------

    def add(self, bag: str, kind: Kind, classes: Any = (), *, by: str = "") -> Answer:
        """Add an answer; when this returns, it is on the disk."""
        return self.decide(bag, lambda _: (kind, classes), by=by)

    def decide(
        self,
        bag: str,
        choose: Callable[[Answer | None], tuple[Kind, Any]],
        *,
        by: str = "",
    ) -> Answer:
        """Add what ``choose`` makes of the answer of a bag that stands, or of None.

        Nobody else answers in between: of two who remove a class each, none is lost.
        """
        with self._alone():
            kind, classes = choose(self.standing().get(bag))
            return self._put(bag=bag, kind=kind, classes=tuple(classes), by=by)

    def undo(self, *, by: str | None = None, bag: str | None = None) -> Answer:
        """Take back the last answer that stands, of this person or bag where told."""
        with self._alone():
            mine = [
                one
                for one in self._standing()
                if by in (None, one.by) and bag in (None, one.bag)
            ]
            if not mine:
                of = "" if bag is None else f" of bag {bag!r}"
                who = "" if by is None else f" by {by!r}"
                raise MiplError(f"there is no answer{of}{who} that could be undone.")
            last = mine[-1]
            return self._put(bag=last.bag, kind=UNDO, by=by or "", undoes=last.number)

    def _put(self, **values: Any) -> Answer:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        last = self._read[-1].number if self._read else 0
        try:
            one = Answer(number=last + 1, at=now, **values)
        except ValidationError as error:
            what = error.errors()[0]["msg"]
            raise MiplError(f"an answer cannot be kept: {what.lower()}.") from None
        kept = one.model_dump(exclude_defaults=True)
        line = json.dumps(kept, allow_nan=False).encode()
        append_bytes(self.path, line + b"\n")
        self._refresh()
        return one

    def _torn(self) -> bool:
        """Tell whether the file ends inside a line."""
        size = self.path.stat().st_size if self.path.exists() else 0
        return size > self._offset

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other writers away, having waited for those who are at it."""
        until = time.monotonic() + _LONGEST_WAIT
        lock = writing_alone(self.path)
        while True:
            try:
                lock.__enter__()
                break
            except MiplError:
                if time.monotonic() > until:
                    raise
                time.sleep(_STEP)
                lock = writing_alone(self.path)
        try:
            self._refresh()
            if self._torn():  # The line of a killed writer ends before ours begins.
                append_bytes(self.path, b"\n")
                self._refresh()
            yield
        finally:
            lock.__exit__(None, None, None)
