"""The data set that answers make: other candidate sets, and whence they come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.answered_sets import with_sets
from mipl.data.dataset import Dataset
from mipl.errors import MiplError, counted, unknown
from mipl.io.tables.columns import as_text
from mipl.review.answer_file import SET, Answer

ANSWERS = "answers"  # Among the facts of a data set.


def apply_answers(data: Dataset, answers: Iterable[Answer]) -> Dataset:
    """Return the data set in which these answers are the candidate sets.

    Its facts tell under ``answers`` of each bag what its candidates were, who changed
    them and when; answers that the data had before stay there. Skipped bags keep their
    sets. Splits stay as they were, so that earlier runs can be compared.

    Parameters
    ----------
    data : Dataset
    answers : Answers that stand
        As of ``Review.standing`` or ``read_answers``; the last of a bag counts.

    Examples
    --------
    >>> data = Dataset(np.zeros((4, 1)), [{"oak", "elm"}] * 4)
    >>> given = [Answer(number=1, bag="2", kind="set", classes=("elm",), by="anna")]
    >>> new = apply_answers(data, given)
    >>> [sorted(one) for one in new.candidates[2:]], new.facts["answers"]["2"]["was"]
    ([['elm'], ['elm', 'oak']], ['elm', 'oak'])
    """
    numbers, known = bag_numbers(data), class_names(data)
    sets: dict[int, list[Any]] = {}
    told = dict(data.facts.get(ANSWERS, {}))
    for one in answers:
        if one.bag not in numbers:
            raise MiplError(
                f"the answer {one.number} is about bag {one.bag!r}, which is not among "
                f"the {counted(len(data), 'bag')} of {data.name}; give the data that "
                "the review is of."
            )
        if one.kind != SET:
            continue
        bag = numbers[one.bag]
        sets[bag] = [class_named(name, known) for name in one.classes]
        was = data.classes[data.candidates.matrix[bag]].tolist()
        told[one.bag] = {"was": was, "by": one.by, "at": one.at}
    new = with_sets(data, sets)
    return replace(new, facts={**new.facts, ANSWERS: told}) if sets else new


def answered_bags(data: Dataset) -> npt.NDArray[np.int64]:
    """Return the numbers of the bags whose sets are answers already."""
    told = data.facts.get(ANSWERS)
    if not isinstance(told, Mapping) or not told:
        return np.empty(0, dtype=np.int64)
    numbers = bag_numbers(data)
    return np.array(sorted(numbers[bag] for bag in told if bag in numbers), np.int64)


def bag_numbers(data: Dataset) -> dict[str, int]:
    """Return the number of each bag by what answers call it."""
    ids = data.bags.bag_ids
    names = range(len(data)) if ids is None else ids.tolist()
    numbers = {str(name): number for number, name in enumerate(names)}
    if len(numbers) < len(data):
        raise MiplError(
            f"bags of {data.name} share ids, so that answers could not tell them "
            "apart; give each bag an id of its own."
        )
    return numbers


def class_names(data: Dataset) -> dict[str, Any]:
    """Return the classes by their text, as tables and people write them."""
    return {as_text(name): name for name in data.classes.tolist()}


def class_named(name: Any, known: Mapping[str, Any]) -> Any:
    """Return the class that a text means; an unknown one is told with a guess."""
    if as_text(name) not in known:
        raise unknown("class", name, known)
    return known[as_text(name)]
