"""Review: the answers that people give about one data set, kept in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from mipl.data.dataset import Dataset
from mipl.errors import BadFile, MiplError, counted
from mipl.files import holds_file, make_folder, read_bounded, write_text
from mipl.review.answer_file import SET, SKIP, Answer, AnswerFile, Kind
from mipl.review.answer_table import write_labels
from mipl.review.answered_data import (
    apply_answers,
    bag_numbers,
    class_named,
    class_names,
)

ABOUT, GIVEN = "review.json", "answers.jsonl"
_LONGEST = 1 << 24


class _About(BaseModel):
    """What a review is of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: str = "mipl review"
    version: int = 1
    data: str
    bags: int
    whole: str
    classes: tuple[Any, ...]


class Review:
    """The answers about the bags of one data set, saved as they are given.

    A folder with ``review.json``, what it is of, and ``answers.jsonl``, one line per
    answer. Several people and programs may answer at once; what two say of one bag is
    kept, and the last counts.

    Parameters
    ----------
    folder : path
        Begun where it is absent.
    data : Dataset
        Another than the review was begun with is refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> data = Dataset(np.zeros((3, 1)), [{"oak", "elm", "fir"}] * 3)
    >>> with TemporaryDirectory() as folder:
    ...     review = Review(folder, data)
    ...     _ = review.confirm("0", "oak", by="anna")
    ...     _ = review.remove("1", "fir", by="anna")
    ...     _ = review.skip("2", by="ben")
    ...     print([sorted(one) for one in review.dataset().candidates])
    [['oak'], ['elm', 'oak'], ['elm', 'fir', 'oak']]
    """

    def __init__(self, folder: str | Path, data: Dataset) -> None:
        self.folder, self.data = Path(folder), data
        self._numbers, self._known = bag_numbers(data), class_names(data)
        about = _about(data)
        if holds_file(self.folder / ABOUT):
            _check_same(self.folder, _read(self.folder / ABOUT), about)
        else:
            make_folder(self.folder)
            text = json.dumps(about.model_dump(), ensure_ascii=False, indent=1)
            write_text(self.folder / ABOUT, text + "\n")
        self.file = AnswerFile(self.folder / GIVEN)

    # -- answering -----------------------------------------------------------------

    def confirm(self, bag: str, name: Any, *, by: str = "") -> Answer:
        """Say which class is the true one."""
        return self.give(bag, [name], by=by)

    def give(self, bag: str, names: Iterable[Any], *, by: str = "") -> Answer:
        """Say which classes may be the true one; there must be one at least."""
        classes = self._classes(bag, names)
        return self.file.add(self._bag(bag), SET, classes, by=by)

    def add(self, bag: str, *names: Any, by: str = "") -> Answer:
        """Add candidates to those that a bag has now."""
        more = self._classes(bag, names)
        return self._change(bag, lambda now: [*now, *more], by)

    def remove(self, bag: str, *names: Any, by: str = "") -> Answer:
        """Take candidates away; the last one cannot be."""
        fewer = set(self._classes(bag, names))
        return self._change(bag, lambda now: [c for c in now if c not in fewer], by)

    def skip(self, bag: str, *, by: str = "") -> Answer:
        """Say that one cannot tell, or does not want to."""
        return self.file.add(self._bag(bag), SKIP, by=by)

    def undo(self, *, by: str | None = None, bag: str | None = None) -> Answer:
        """Take back the last answer, of this person or bag where told."""
        return self.file.undo(by=by, bag=bag)

    def _change(self, bag: str, change: Any, by: str) -> Answer:
        def chosen(standing: Answer | None) -> tuple[Kind, list[Any]]:
            now = self._now(bag, standing)
            return SET, self._classes(bag, change(now))

        return self.file.decide(self._bag(bag), chosen, by=by)

    # -- looking -------------------------------------------------------------------

    def standing(self) -> dict[str, Answer]:
        """Return the answer of each bag that stands."""
        return self.file.standing()

    def candidates(self, bag: str) -> list[Any]:
        """Return the candidates that a bag has now, in the order of the classes."""
        return self._now(bag, self.standing().get(self._bag(bag)))

    def dataset(self) -> Dataset:
        """Return the data set with the answers; its facts tell whence they come."""
        return apply_answers(self.data, self.standing().values())

    def export(self, path: str | Path) -> None:
        """Write all bags as a label table, which ``mipl data import`` reads."""
        write_labels(path, self.dataset())

    def _now(self, bag: str, standing: Answer | None) -> list[Any]:
        if standing is not None and standing.kind == SET:
            return self._classes(bag, standing.classes)
        row = self.data.candidates.matrix[self._numbers[self._bag(bag)]]
        return list(self.data.classes[row].tolist())

    def _bag(self, bag: str) -> str:
        if str(bag) not in self._numbers:
            raise MiplError(
                f"there is no bag {bag!r} in {self.data.name}; bags are called by "
                f"their {'number' if self.data.bags.bag_ids is None else 'id'}."
            )
        return str(bag)

    def _classes(self, bag: str, names: Iterable[Any]) -> list[Any]:
        """Return classes in the order of the data set, each once."""
        chosen = {class_named(name, self._known) for name in names}
        if not chosen:
            raise MiplError(
                f"bag {bag!r} must keep at least one candidate; skip it if none fits."
            )
        return [name for name in self.data.classes.tolist() if name in chosen]

    @classmethod
    def of(cls, folder: str | Path, data: Dataset) -> Self:
        """Open a review that was begun before; refuse to begin one."""
        if not holds_file(Path(folder) / ABOUT):
            raise MiplError(
                f"{folder} is no review: {ABOUT} is absent; check the name."
            )
        return cls(folder, data)


def _about(data: Dataset) -> _About:
    ids = data.bags.bag_ids
    total = sha256(np.ascontiguousarray(data.bags.offsets).tobytes())
    total.update(repr(None if ids is None else ids.tolist()).encode())
    return _About(
        data=data.name,
        bags=len(data),
        whole=total.hexdigest(),
        classes=tuple(data.classes.tolist()),
    )


def _read(path: Path) -> _About:
    raw = read_bounded(path, _LONGEST)
    try:
        found = _About.model_validate_json(raw)
    except ValidationError as error:
        raise BadFile(f"{path} is damaged: {error.errors()[0]['msg']}.") from None
    if found.version != 1:
        raise BadFile(
            f"{path} has version {found.version}; this program reads version 1: "
            "update mipl."
        )
    return found


def _check_same(folder: Path, before: _About, now: _About) -> None:
    """Refuse another data set than the one the answers are about."""
    if (before.whole, before.classes) != (now.whole, now.classes):
        raise MiplError(
            f"{folder} is a review of {before.data} ({counted(before.bags, 'bag')}, "
            f"{counted(len(before.classes), 'class', 'classes')}), and these data are "
            "others; give the same data, or another folder."
        )
