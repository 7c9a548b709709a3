"""Queues and answers as tables: what a person fills in, and what is imported again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.io.tables.candidate_columns import names_in
from mipl.io.tables.columns import Columns, as_text, is_missing
from mipl.io.tables.label_columns import label_columns, write_columns
from mipl.io.tables.table_file import read_columns
from mipl.review.answer_file import SET, SKIP, Answer, Kind
from mipl.review.answered_data import (
    ANSWERS,
    bag_numbers,
    class_named,
    class_names,
)
from mipl.review.questions import Question, bag_key

ANSWER, BY, AT = "answer", "by", "at"
_BAG = "bag_id"


def write_queue(path: str | Path, queue: Sequence[Question]) -> None:
    """Write a queue as a table whose column ``answer`` a person fills in.

    An answer is a class, several as ``oak|elm``, or ``skip``; what is left empty is no
    answer. ``read_answers`` takes the table back.
    """
    write_columns(Path(path), queue_columns(queue))


def queue_columns(queue: Sequence[Question]) -> dict[str, Array]:
    """Return the columns of a queue.

    Examples
    --------
    >>> one = Question(3, "p", 0.5, (), ("elm", "oak"), "oak", 0.75, "oak", 0.75)
    >>> {name: values.tolist() for name, values in queue_columns([one]).items()}
    {'place': [1], 'bag_id': ['p'], 'answer': [''], 'candidates': ['elm|oak'], \
'predicted': ['oak'], 'probability': [0.75], 'likeliest': ['oak'], 'weight': [0.75], \
'score': [0.5], 'reasons': ['']}
    """
    texts = {
        _BAG: [one.bag for one in queue],
        ANSWER: [""] * len(queue),
        "candidates": [set_text(one.candidates) for one in queue],
        "predicted": [as_text(one.predicted) for one in queue],
        "probability": [round(one.probability, 4) for one in queue],
        "likeliest": [as_text(one.likeliest) for one in queue],
        "weight": [round(one.weight, 4) for one in queue],
        "score": [round(one.score, 4) for one in queue],
        "reasons": [" ".join(r.sentence for r in one.reasons) for one in queue],
    }
    kinds = {"probability": float, "weight": float, "score": float}
    return {"place": np.arange(1, len(queue) + 1)} | {
        name: np.array(values, dtype=kinds.get(name, str))
        for name, values in texts.items()
    }


def set_text(names: Iterable[Any]) -> str:
    """Return a set of classes as one cell: ``a|b``, or JSON where a name holds ``|``.

    Examples
    --------
    >>> set_text(["elm", "oak"]), set_text(["a|b"])
    ('elm|oak', '["a|b"]')
    """
    texts = [as_text(name) for name in names]
    if any("|" in text or text.startswith("[") for text in texts):
        return json.dumps(texts, ensure_ascii=False)
    return "|".join(texts)


def read_answers(path: str | Path, data: Dataset, by: str = "") -> list[Answer]:
    r"""Read the answers of a table that a person has filled in.

    Parameters
    ----------
    path : CSV, Parquet or Excel table
        With the columns ``bag_id`` and ``answer``, and maybe ``by`` and ``at``.
    data : Dataset
        Its bags and classes are what answers may name.
    by : str
        Who answered, where the table does not tell.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> data = Dataset(np.zeros((3, 1)), [{"oak", "elm"}] * 3)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "answers.csv")
    ...     _ = path.write_text("bag_id,answer\n0,oak\n1,\n2,skip\n")
    ...     [(one.bag, one.kind, one.classes) for one in read_answers(path, data)]
    [('0', 'set', ('oak',)), ('2', 'skip', ())]
    """
    table = read_columns(path)
    bag, answer = table.find(_BAG, "bag"), table.find(ANSWER)
    for name, column in ((_BAG, bag), (ANSWER, answer)):
        if column is None:
            raise BadFile(
                f"{table.path} must have a column {name!r}, as the table of mipl "
                f"review has; it has {', '.join(table.cells)[:200]}."
            )
    found = _Reading(table, str(answer), data, by)
    names = table.text(str(bag))
    told = [found.answer(row, name) for row, name in enumerate(names)]
    answers = [one for one in told if one is not None]
    if not answers:
        raise MiplError(
            f"{table.path} has no answers: its column {answer!r} is empty; fill it in."
        )
    return answers


class _Reading:
    """Reads the answers of a table, row by row."""

    def __init__(self, table: Columns, column: str, data: Dataset, by: str) -> None:
        self.table, self.column, self.by = table, column, by
        self.numbers, self.known = bag_numbers(data), class_names(data)
        self.rows: dict[str, int] = {}

    def answer(self, row: int, bag: str) -> Answer | None:
        """Return the answer of a row, if it has one."""
        cell = self.table.cells[self.column][row]
        if is_missing(cell) or not as_text(cell).strip():
            return None
        where = self.table.place(row, self.column)
        if bag not in self.numbers:
            raise BadFile(
                f"{where} is about bag {bag!r}, which the data do not have; give the "
                "data that the queue was made of."
            )
        if bag in self.rows:
            before = self.table.place(self.rows[bag])
            raise BadFile(f"{where} answers bag {bag!r} again, after {before}.")
        self.rows[bag] = row
        kind, classes = self._meaning(cell, where)
        return Answer(
            number=len(self.rows),
            bag=bag,
            kind=kind,
            classes=classes,
            by=self._cell(BY, row) or self.by,
            at=self._cell(AT, row),
        )

    def _meaning(self, cell: Any, where: str) -> tuple[Kind, tuple[Any, ...]]:
        text = as_text(cell).strip() if not isinstance(cell, list) else ""
        if text in self.known:
            return SET, (self.known[text],)
        if text.lower() == SKIP:
            return SKIP, ()
        try:
            names = [class_named(name, self.known) for name in names_in(cell, where)]
        except BadFile:
            raise
        except MiplError as error:
            raise BadFile(f"{where}: {error}") from None
        if not names:
            raise BadFile(f"{where} must name a class, classes as a|b, or skip.")
        return SET, tuple(dict.fromkeys(names))

    def _cell(self, name: str, row: int) -> str:
        column = self.table.find(name)
        cell = None if column is None else self.table.cells[column][row]
        return "" if is_missing(cell) else as_text(cell)


def write_answers(path: str | Path, answers: Iterable[Answer]) -> None:
    """Write answers as a table that ``read_answers`` reads."""
    told = list(answers)
    rows = {
        _BAG: [one.bag for one in told],
        ANSWER: [SKIP if one.kind == SKIP else set_text(one.classes) for one in told],
        BY: [one.by for one in told],
        AT: [one.at for one in told],
    }
    columns = {name: np.array(cells, dtype=str) for name, cells in rows.items()}
    write_columns(Path(path), columns)


def write_labels(path: str | Path, data: Dataset) -> None:
    """Write an answered data set as a label table, which ``mipl data import`` reads.

    There is a row for every bag, with its candidates, labels, groups and splits as in
    every label table of ours, and who answered when.
    """
    told: Mapping[str, Any] = data.facts.get(ANSWERS, {})
    keys = [bag_key(data, number) for number in range(len(data))]
    more = {
        f"answered_{name}": np.array(
            [str(told.get(key, {}).get(name, "")) for key in keys], dtype=str
        )
        for name in (BY, AT)
    }
    write_columns(Path(path), label_columns(data) | more)
