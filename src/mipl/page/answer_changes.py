"""What the answers of a review have changed, told once the training on them is done."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mipl.errors import MiplError
from mipl.io import read_dataset
from mipl.page.workspace import shown

if TYPE_CHECKING:
    from mipl.page.review_desk import Desk
    from mipl.page.workspace import Place

CHANGED, UNCHANGED = "changes", "no_changes"
_EXAMPLES = 20
#: What the columns of the examples are.
HEADER = ("bag", "before", "now", "true class")


def before_answers(data: Place, run: Place, desk: Desk) -> dict[str, Any]:
    """Return what a training must know to tell what changed, as JSON can hold it."""
    standing = desk.review.standing().values()
    return {
        "data": data.within,
        "run": run.within,
        "answers": [one.model_dump(mode="json") for one in standing],
    }


def answer_changes(before: Mapping[str, Any], out: Path, data: str) -> dict[str, Any]:
    """Compare the model of before with the one that knows the answers.

    The training is done whatever comes of this: where what was there before has gone,
    a sentence says so.
    """
    room = import_module("mipl.review.retraining")
    answer = import_module("mipl.review").Answer
    open_model = import_module("mipl.runs.folder").open_model
    try:
        old, new = open_model(Path(before["run"])), open_model(out)
        found = room.changes(
            old.model,
            new.model,
            read_dataset(before["data"]),
            read_dataset(data),
            [answer.model_validate(one) for one in before["answers"]],
            new.run.split,
        )
    except MiplError as error:
        return {UNCHANGED: f"what changed cannot be told: {error}"}
    examples = [
        [shown("" if cell is None else cell) for cell in one]
        for one in (
            (e.bag, e.before, e.after, e.label) for e in found.examples[:_EXAMPLES]
        )
    ]
    return {CHANGED: {"rows": found.rows(), "examples": examples}}
