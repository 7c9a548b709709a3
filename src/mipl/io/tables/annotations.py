"""Crowd tables: one row per vote of an annotator for a label of a bag."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data import crowd
from mipl.data.bags import Array
from mipl.data.candidates import Candidates
from mipl.data.crowd import Votes
from mipl.errors import BadFile, MiplError
from mipl.io.tables.candidate_columns import class_names
from mipl.io.tables.columns import Columns, as_text, numbered
from mipl.io.tables.table_file import read_columns

BAG = ("bag_id", "bag", "slide_id", "item", "task")
ANNOTATOR = ("annotator", "worker", "rater", "annotator_id", "worker_id")
LABEL = ("label", "vote", "answer", "class")
PROBABILITY = ("probability", "weight", "confidence", "count")


def is_annotation_table(table: Columns) -> bool:
    """Tell by its columns whether a table holds votes."""
    return table.find(*ANNOTATOR) is not None and table.find(*LABEL) is not None


def read_annotations(
    path: str | Path,
    *,
    rule: str | int = "union",
    bag: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    probability: str | None = None,
    classes: Sequence[Any] | None = None,
) -> tuple[list[str], Array, Candidates]:
    r"""Read a table of votes as candidate sets; the votes become their weights.

    Parameters
    ----------
    path : CSV or Parquet table
    rule : "union", "crc" or int
        Every label that anyone gave; the rule of CRC-MIPL; or every label that at
        least so many annotators gave.
    bag, annotator, label, probability : str, optional
        Names of the columns, where they are not the usual ones. Without a column of
        probabilities a vote counts 1.
    classes : list of class names, optional
        By default those that occur.

    Returns
    -------
    bag_ids : list of str
        In the order of first appearance.
    classes : (k,) class names
    candidates : Candidates

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> text = "bag,annotator,label\np,1,oak\np,2,elm\np,3,oak\nq,1,elm\n"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text(text)
    ...     ids, classes, candidates = read_annotations(path)
    >>> ids, [sorted(s) for s in candidates], candidates.weights[0].round(2).tolist()
    (['p', 'q'], [['elm', 'oak'], ['elm']], [0.33, 0.67])
    """
    table = read_columns(path)
    bag = _column(table, bag, BAG, "bag")
    annotator = _column(table, annotator, ANNOTATOR, "annotator")
    label = _column(table, label, LABEL, "label")
    probability = (
        table.find(*PROBABILITY) if probability is None else table.need(probability)
    )
    bag_ids, bags = numbered(table.text(bag))
    labels = table.text(label)
    names = class_names(labels, classes)
    weight = None if probability is None else np.array(table.floats(probability))
    if weight is not None and (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise BadFile(f"{table.place(row, probability)} must be >= 0.")
    votes = Votes(
        bag=bags,
        annotator=numbered(table.text(annotator))[1],
        column=_columns_of(table, label, labels, names),
        weight=weight,
        classes=names,
        n_bags=len(bag_ids),
    )
    return bag_ids, names, _by_rule(votes, rule, bag_ids, table.path)


def _by_rule(
    votes: Votes, rule: str | int, bag_ids: list[str], path: Path
) -> Candidates:
    try:
        if rule == "union":
            return crowd.union(votes)
        if rule == "crc":
            return crowd.crc(votes)
        if isinstance(rule, int):
            return crowd.at_least(votes, rule)
    except MiplError as error:
        # The rules count bags; people know them by their ids.
        named = re.sub(
            r"\bbag (\d+)", lambda m: f"bag {bag_ids[int(m[1])]!r}", str(error)
        )
        raise MiplError(f"{path}: {named}") from None
    raise MiplError(
        f"rule must be 'union', 'crc' or a whole number of annotators; got {rule!r}."
    )


def _column(table: Columns, given: str | None, usual: Sequence[str], what: str) -> str:
    if given is not None:
        return table.need(given)
    found = table.find(*usual)
    if found is None:
        raise MiplError(
            f"{table.path} has no {what} column; the usual names are "
            f"{', '.join(usual)}, its columns are {', '.join(table.cells)}."
        )
    return found


def _columns_of(table: Columns, label: str, texts: list[str], names: Array) -> Array:
    position = {as_text(name): i for i, name in enumerate(names.tolist())}
    for row, text in enumerate(texts):
        if text not in position:
            raise BadFile(
                f"{table.place(row, label)}: {text[:40]!r} is not among the classes."
            )
    return np.array([position[text] for text in texts], dtype=np.int64)
