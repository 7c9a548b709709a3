"""What the review screen knows: the queue, the answers, and the next training."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mipl.errors import MiplError, counted
from mipl.files import make_folder
from mipl.io import write_dataset
from mipl.page.answer_changes import before_answers
from mipl.page.library import Library
from mipl.page.workspace import NATIVE, REVIEWS, Place, Workspace, safe_name, shown
from mipl.runs.run_settings import run_toml
from mipl.runs.toml_text import from_toml_value

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.review import Answer, Question, Review
    from mipl.runs.folder import OpenedModel

_REVIEW = "mipl.review"  # Torch and SciPy come with it, on first use.
MOST = 500  # Questions of a queue.
KEYS = "123456789"
_MOST_KEYS = len(KEYS)


@dataclass(frozen=True)
class ClassOption:
    """A class that an answer may name.

    Attributes
    ----------
    name : class name
    text : str
        As it is shown.
    key : str
        The key that confirms it; "" for those behind the ninth.
    now : bool
        Whether it is a candidate now, answers counted.
    before : bool
        Whether it was one in the data.
    probability : float
    """

    name: Any
    text: str
    key: str
    now: bool
    before: bool
    probability: float


@dataclass(frozen=True, eq=False)
class Desk:
    """A queue of one model about one data set, and the answers that were given.

    Attributes
    ----------
    data : Dataset
    opened : OpenedModel
    queue : list of Question
    review : Review
    """

    data: Dataset
    opened: OpenedModel
    queue: list[Question]
    review: Review

    @classmethod
    def of(
        cls, workspace: Workspace, library: Library, data: Place, run: Place
    ) -> Desk:
        """Open the review of a data set, with the queue of a run's model."""
        whole, opened = library.dataset(data), library.model(run)
        room = import_module(_REVIEW)

        def asked() -> list[Question]:
            among = room.bags_to_review(whole, opened.trained)
            found: list[Question] = room.review_queue(
                opened.model, whole, MOST, among=among
            )
            return found

        name = f"queue of {data.id} at {data.changed}"
        queue = library.kept(name, run, asked)
        review = room.Review(folder_of(workspace, data), whole)
        return cls(whole, opened, queue, review)

    def states(self) -> dict[str, str]:
        """Return in words what was answered of each bag."""
        return {bag: words(one) for bag, one in self.review.standing().items()}

    def choices(self, question: Question) -> list[ClassOption]:
        """Return the classes: candidates of before first, the likeliest of them first.

        So the keys mean the same from the first look to the last.
        """
        now = set(self.review.candidates(question.bag))
        before = set(question.candidates)
        p = self.opened.model.predict_proba(self.data.bags[[question.number]])[0]
        chances = dict(
            zip(self.opened.model.classes_.tolist(), p.tolist(), strict=True)
        )
        order = sorted(
            self.data.classes.tolist(),
            key=lambda name: (name not in before, -chances.get(name, 0.0)),
        )
        return [
            ClassOption(
                name,
                shown(name),
                KEYS[place] if place < _MOST_KEYS else "",
                name in now,
                name in before,
                chances.get(name, 0.0),
            )
            for place, name in enumerate(order)
        ]

    def place_of(self, bag: str) -> int:
        """Return the place of a bag in the queue; the first open one if it is none."""
        for place, one in enumerate(self.queue):
            if one.bag == bag:
                return place
        return self.next_open(-1)

    def next_open(self, place: int) -> int:
        """Return the place of the next question without an answer.

        Behind the last one it goes on from the first; where all are answered, it is
        the next place.
        """
        known = self.review.standing()
        n = len(self.queue)
        for step in range(1, n + 1):
            at = (place + step) % n
            if self.queue[at].bag not in known:
                return at
        return min(place + 1, n - 1) if n else 0

    def toggle(self, bag: str, name: Any, by: str) -> Answer:
        """Take a candidate away, or add what is none."""
        if name in self.review.candidates(bag):
            return self.review.remove(bag, name, by=by)
        return self.review.add(bag, name, by=by)

    def progress(self) -> str:
        """Tell in words how far it is."""
        known = self.review.standing()
        done = sum(one.bag in known for one in self.queue)
        return f"{done:,} of {counted(len(self.queue), 'question')} answered"


def words(answer: Answer) -> str:
    """Return an answer in words.

    Examples
    --------
    >>> from mipl.review import Answer
    >>> words(Answer(number=1, bag="p", kind="set", classes=("oak", "elm")))
    'oak | elm'
    """
    if answer.kind == "skip":
        return "skipped"
    return shown(" | ".join(str(name) for name in answer.classes))


def folder_of(workspace: Workspace, data: Place) -> Path:
    """Return where the review of a data set lies."""
    folder = make_folder(workspace.folder / REVIEWS)
    return folder / f"{safe_name(data.name)}-{data.id[:8]}"


def labels_csv(desk: Desk, folder: Path) -> bytes:
    """Return the label table of a review, as ``mipl data import`` reads it."""
    path = make_folder(folder) / "labels.csv"
    desk.review.export(path)
    text = path.read_bytes()
    path.unlink()
    return text


def next_training(
    workspace: Workspace, data: Place, run: Place, desk: Desk
) -> dict[str, Any]:
    """Write the answered data set; return the arguments of the job that trains on it.

    It is the run of before on other data: method, arguments, split and seed stay.
    """
    before = desk.opened.run
    if before is None:
        raise MiplError(
            f"{run.name} is not a run, so that nobody knows how it was trained; choose "
            "a run that was trained here or by mipl fit."
        )
    if not any(one.kind == "set" for one in desk.review.standing().values()):
        raise MiplError("there is no answer yet to train with; answer a bag first.")
    new = workspace.new_dataset(f"{data.name.removesuffix(NATIVE)}-answered")
    write_dataset(desk.review.dataset(), new)
    within = workspace.place(new).within
    run_again = import_module(f"{_REVIEW}.retraining").run_again
    settings = settings_of(run_toml(run_again(before, within)))
    out = workspace.new_run(f"{run.name}-answered")
    return {
        "settings": settings,
        "out": out.relative_to(workspace.folder).as_posix(),
        "before": before_answers(data, run, desk),
    }


def settings_of(text: str) -> Mapping[str, Any]:
    """Return the tables of a run's TOML text."""
    tables: Mapping[str, Any] = from_toml_value(tomllib.loads(text))
    return tables
