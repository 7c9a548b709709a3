"""Train again with the answers, and tell what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.errors import MiplError, counted
from mipl.files import make_folder, write_text
from mipl.io import write_dataset
from mipl.methods.bases.base import BagClassifier
from mipl.review.answer_file import SET, SKIP, Answer
from mipl.review.answered_data import apply_answers, bag_numbers
from mipl.review.questions import bag_key
from mipl.runs.folder import OpenedModel
from mipl.runs.run import Run

DATA, RUN, CHANGES = "answered.bags.h5", "run", "changes.json"
RESOLVED = 0.9  # Share of the likeliest candidate from which a set counts as resolved.
_MOST_NAMED = 100


@dataclass(frozen=True)
class Judged:
    """A figure by the model of before and by the one that knows the answers."""

    before: float
    after: float


@dataclass(frozen=True)
class OtherPrediction:
    """A bag of which the two models say different classes."""

    bag: str
    before: Any
    after: Any
    label: Any = None


@dataclass(frozen=True)
class Changes:
    """What the answers have changed.

    Attributes
    ----------
    answers, confirmed, skipped : int
        Sets that were given, those of one class among them, and skipped bags.
    candidates : Judged
        Mean number of candidates per bag.
    foreseen : Judged or None
        Share of the confirmed bags whose class each model finds likeliest among the
        candidates of before; None where none was confirmed.
    resolved : Judged
        Share of the other bags one of whose candidates has nine tenths of the
        probability of all.
    covering_rate, accuracy : Judged or None
        On the test bags of the run's split; None where it has none, or no true labels
        are known.
    newly_right, newly_wrong : int or None
        Test bags.
    predictions : int
        Bags of which the models say different classes.
    examples : tuple of OtherPrediction
        The first hundred of them.
    """

    answers: int
    confirmed: int
    skipped: int
    candidates: Judged
    foreseen: Judged | None
    resolved: Judged
    covering_rate: Judged | None
    accuracy: Judged | None
    newly_right: int | None
    newly_wrong: int | None
    predictions: int
    examples: tuple[OtherPrediction, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)

    def rows(self) -> dict[str, str]:
        """Put what changed into words."""
        sets = f"{self.candidates.before:.2f} -> {self.candidates.after:.2f}"
        found = {
            "answers": f"{self.answers:,}, {self.confirmed:,} of them one class",
            "candidates per bag": sets,
        }
        for name, one in (
            ("answers foreseen", self.foreseen),
            ("others resolved", self.resolved),
            ("test covering rate", self.covering_rate),
            ("test accuracy", self.accuracy),
        ):
            if one is not None:
                found[name] = f"{one.before:.3f} -> {one.after:.3f}"
        if self.newly_right is not None:
            found["test bags"] = (
                f"{self.newly_right:,} newly right, {self.newly_wrong:,} newly wrong"
            )
        found["other predictions"] = counted(self.predictions, "bag")
        return found


@dataclass(frozen=True)
class TrainedAgain:
    """A new run, the data set it learnt from, and what changed.

    Attributes
    ----------
    folder : Path
    run : Run
        Fitted; its folder is ``run`` in ``folder``, its data ``answered.bags.h5``.
    data : Path
    changes : Changes
        Also in ``changes.json``.
    """

    folder: Path
    run: Run
    data: Path
    changes: Changes


def train_again(
    opened: OpenedModel,
    data: Dataset,
    answers: Iterable[Answer],
    folder: str | Path,
    callbacks: Sequence[Any] = (),
    *,
    resume: bool = False,
    force: bool = False,
) -> TrainedAgain:
    """Fit the run of a model anew on the data with the answers, and compare the two.

    Method, arguments, split and seed are those of the run; only candidate sets differ.

    Parameters
    ----------
    opened : OpenedModel
        As ``mipl.runs.folder.open_model`` returns it; it must be of a run.
    data : Dataset
        What the answers are about.
    answers : Answers that stand
    folder : path
        Gets ``answered.bags.h5``, ``run`` and ``changes.json``.
    callbacks
        Told of the epochs.
    resume : bool
        Go on with a fit that was interrupted.
    force : bool
        Replace what lies there.
    """
    told = list(answers)
    new = apply_answers(data, told)
    place = Path(folder)
    if opened.run is None:
        raise MiplError(
            "the model is not of a run, so that nobody knows how it was trained; give "
            "the folder that mipl fit has written."
        )
    if not any(one.kind == SET for one in told):
        raise MiplError("there is no answer yet to train with; answer a bag first.")
    if (place / DATA).exists() and not (force or resume):
        raise MiplError(
            f"{place} holds a training with answers; give another folder, or "
            "force=True to replace it."
        )
    make_folder(place)
    write_dataset(new, place / DATA)
    run = run_again(opened.run, place / DATA)
    done = run.execute(place / RUN, callbacks, resume, force=force or resume)
    found = changes(opened.model, done.model, data, new, told, run.split)
    text = json.dumps(found.as_dict(), indent=1, ensure_ascii=False)
    write_text(place / CHANGES, text + "\n")
    return TrainedAgain(place, run, place / DATA, found)


def run_again(run: Run, path: str | Path) -> Run:
    """Return the run on the data at a path; all else is as it was.

    Examples
    --------
    >>> first = Run("miplma", "digits-mipl", {"published": True}, r=2, split=3)
    >>> print(run_again(first, "new.bags.h5"))
    miplma on new.bags.h5, r=1, split 3, {"published": "digits-mipl"}
    """
    arguments = dict(run.arguments)
    if arguments.get("published") is True:
        arguments["published"] = run.data
    return replace(
        run,
        data=str(path),
        arguments=arguments,
        options={},
        r=1,
        content="",
        versions={},
    )


def changes(
    before: BagClassifier,
    after: BagClassifier,
    data: Dataset,
    new: Dataset,
    answers: Sequence[Answer],
    split: int | None,
) -> Changes:
    """Compare two models on the data before and after answers."""
    numbers = bag_numbers(data)
    sets = {one.bag: one for one in answers if one.kind == SET}
    confirmed = {bag: one for bag, one in sets.items() if len(one.classes) == 1}
    given = np.zeros(len(data), dtype=bool)
    given[[numbers[bag] for bag in sets]] = True
    p = [model.predict_proba(data.bags) for model in (before, after)]
    classes = [model.classes_ for model in (before, after)]
    said = [names[one.argmax(axis=1)] for one, names in zip(p, classes, strict=True)]
    other = np.flatnonzero(said[0] != said[1])
    shares = [
        model.disambiguate(data.bags, data.candidates) for model in (before, after)
    ]
    foreseen = None
    if confirmed:
        rows = [numbers[bag] for bag in confirmed]
        names = np.array([str(one.classes[0]) for one in confirmed.values()])
        foreseen = Judged(
            *(float((one.labels[rows].astype(str) == names).mean()) for one in shares)
        )
    resolved = [
        float((one.posterior.max(axis=1) >= RESOLVED)[~given].mean())
        if not given.all()
        else 1.0
        for one in shares
    ]
    return Changes(
        answers=len(sets),
        confirmed=len(confirmed),
        skipped=sum(one.kind == SKIP for one in answers),
        candidates=Judged(*(float(d.candidates.sizes.mean()) for d in (data, new))),
        foreseen=foreseen,
        resolved=Judged(*resolved),
        **_on_test(new, said, split),
        predictions=len(other),
        examples=tuple(
            OtherPrediction(
                bag_key(data, bag),
                said[0][bag].item(),
                said[1][bag].item(),
                None if data.labels is None else data.labels[bag].item(),
            )
            for bag in other[:_MOST_NAMED].tolist()
        ),
    )


def _on_test(
    data: Dataset, said: Sequence[npt.NDArray[Any]], split: int | None
) -> dict[str, Any]:
    """Judge both on the test bags of a split, if there is one."""
    names = ("covering_rate", "accuracy", "newly_right", "newly_wrong")
    found: dict[str, Any] = dict.fromkeys(names)
    if split is None:
        return found
    test = data.fold(split).test
    sets = Candidates(data.candidates[test])
    found["covering_rate"] = Judged(
        *(float(sets.contains(one[test]).mean()) for one in said)
    )
    if data.labels is not None:
        one, two = (each[test] == data.labels[test] for each in said)
        found["accuracy"] = Judged(float(one.mean()), float(two.mean()))
        found["newly_right"] = int((~one & two).sum())
        found["newly_wrong"] = int((one & ~two).sum())
    return found
