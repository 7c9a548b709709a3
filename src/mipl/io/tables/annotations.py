"""Votes of annotators: a row per vote, or a column per annotator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data import crowd
from mipl.data.candidates import Candidates
from mipl.data.crowd import Rule, Votes
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.io.left_out import LeftOut
from mipl.io.tables.candidate_columns import class_names, names_in
from mipl.io.tables.columns import Columns, as_text, is_missing, numbered
from mipl.io.tables.label_options import columns_named
from mipl.io.tables.table_file import read_columns

BAG = ("bag_id", "bag", "slide_id", "item", "task")
ANNOTATOR = ("annotator", "worker", "rater", "annotator_id", "worker_id")
LABEL = ("label", "vote", "answer", "class")
PROBABILITY = ("probability", "weight", "confidence", "count")

Unsure = str | Mapping[str, Any] | None


def is_annotation_table(table: Columns) -> bool:
    """Tell by its columns whether a table holds votes."""
    return table.find(*ANNOTATOR) is not None and table.find(*LABEL) is not None


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes on bags, and what else their table tells.

    Attributes
    ----------
    keys : list of str
        The bags, as the votes number them.
    votes : Votes
    annotators : list of str
        As the votes number them.
    table : Columns
        The other columns, with as many rows as there are votes or bags.
    bag : str
        Its column of bag ids.
    columns : set of str
        The columns that held the votes.
    """

    keys: list[str]
    votes: Votes
    annotators: list[str]
    table: Columns
    bag: str
    columns: frozenset[str]

    def without_set(self, rule: Rule | None) -> dict[str, str]:
        """Return the bags of which a rule makes no set, each with a sentence."""
        lacking = crowd.without_set(self.votes, checked_rule(rule))
        return {
            key: f"{self.table.path}: bag {key[:40]!r} has {what}"
            for key, what in ((self.keys[bag], what) for bag, what in lacking.items())
        }

    def candidates(self, rule: Rule | None, keys: Sequence[str]) -> Candidates:
        """Make candidate sets of the votes on these bags, by a rule."""
        return _by_rule(self.votes.of(self._numbers(keys)), checked_rule(rule))

    def _numbers(self, keys: Sequence[str]) -> npt.NDArray[np.int64]:
        position = {key: i for i, key in enumerate(self.keys)}
        return np.array([position[key] for key in keys], dtype=np.int64)


def read_annotations(
    path: str | Path,
    *,
    rule: str | int = "union",
    bag: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    probability: str | None = None,
    classes: Sequence[Any] | None = None,
    unsure: Unsure = None,
) -> tuple[list[str], Array, Candidates]:
    r"""Read a table of votes as candidate sets; the votes become their weights.

    Parameters
    ----------
    path : CSV or Parquet table
        A vote may name several labels, as ``oak|elm``, which share its weight; an empty
        one is missing.
    rule : "union", "crc" or int
        Every label that anyone gave; the rule of CRC-MIPL; or every label that at
        least so many annotators gave.
    bag, annotator, label, probability : str, optional
        Names of the columns, where they are not the usual ones. Without a column of
        probabilities a vote counts 1.
    classes : list of class names, optional
        By default those that occur.
    unsure : str or mapping of str to class names, optional
        A vote that stands for every class, as ``"unsure"``, or votes that stand for
        several, as ``{"unsure": ["oak", "elm"], "?": None}`` (None: for every class).

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
    found = vote_rows(
        table,
        bag=bag,
        annotator=annotator,
        label=label,
        probability=probability,
        classes=classes,
        unsure=unsure,
    )
    remedy = "dropping its rows, or take another rule"
    left = LeftOut("raise", table.path, option=remedy)
    for key, reason in found.without_set(rule).items():
        left.add(key, reason, "empty-sets")
    left.settle(len(found.keys))
    return found.keys, found.votes.classes, found.candidates(rule, found.keys)


def vote_rows(
    table: Columns,
    *,
    bag: str | None = None,
    annotator: str | None = None,
    label: str | None = None,
    probability: str | None = None,
    classes: Sequence[Any] | None = None,
    unsure: Unsure = None,
) -> VoteTable:
    """Read a table with a row per vote."""
    bag = _column(table, bag, BAG, "bag")
    annotator = _column(table, annotator, ANNOTATOR, "annotator")
    label = _column(table, label, LABEL, "label")
    probability = (
        table.find(*PROBABILITY) if probability is None else table.need(probability)
    )
    keys, bags = numbered(table.text(bag))
    annotators, who = numbered(table.text(annotator))
    weight = None if probability is None else np.array(table.floats(probability))
    if weight is not None and (weight < 0).any():
        row = int(np.argmax(weight < 0))
        raise BadFile(f"{table.place(row, probability)} must be >= 0.")
    own = {annotator, label, probability}
    votes = _votes(table, [label], bags, who[:, None], weight, classes, unsure)
    rest = {name: cells for name, cells in table.cells.items() if name not in own}
    return VoteTable(
        keys,
        replace(votes, n_bags=len(keys)),
        annotators,
        replace(table, cells=rest),
        bag,
        frozenset(name for name in own if name is not None),
    )


def vote_columns(
    table: Columns,
    bag: str,
    annotators: Sequence[str],
    classes: Sequence[Any] | None = None,
    unsure: Unsure = None,
) -> VoteTable:
    """Read a table with a row per bag and a column per annotator."""
    if not len(annotators):
        raise MiplError(
            "annotators must be a list of columns, one for each annotator; "
            f"got {annotators!r}."
        )
    named = columns_named("annotators", annotators)
    columns = [table.need(name) for name in named]
    keys, bags = numbered(table.text(bag))
    who = np.tile(np.arange(len(columns)), (len(table), 1))  # (rows, annotators)
    votes = _votes(table, columns, bags, who, None, classes, unsure)
    votes = replace(votes, n_bags=len(keys))
    return VoteTable(keys, votes, columns, table, bag, frozenset(columns))


def _votes(
    table: Columns,
    columns: Sequence[str],
    bags: Array,
    who: Array,
    weight: Array | None,
    classes: Sequence[Any] | None,
    unsure: Unsure,
) -> Votes:
    """Read the cells of these columns, each by the annotator that ``who`` tells."""
    words, used, voted = _unsure_words(unsure), set[str](), set[str]()
    told = []  # row, annotator, column, its names; None for every class.
    for c, column in enumerate(columns):
        for row, cell in enumerate(table.cells[column]):
            if is_missing(cell):
                continue
            text = as_text(cell).strip()
            if text in words:
                names, used = words[text], used | {text}
            else:
                names = names_in(cell, table.place(row, column))
                voted |= set(names)
            told.append((row, int(who[row, c]), column, names))
    if not told:
        raise BadFile(f"{table.path} holds no votes in {', '.join(columns)[:80]}.")
    for word in words.keys() - used:
        raise MiplError(
            f"no vote of {table.path} is {word[:40]!r}, which unsure= names."
        )
    for word in used if classes is None else ():
        for name in set(words[word] or ()) - voted:
            raise MiplError(
                f"unsure= lets {word[:40]!r} stand for {name[:40]!r}, for which nobody "
                "voted; name it in classes= if it is a class."
            )
    known = class_names([n for *_, names in told for n in names or ()], classes)
    position = {as_text(name): i for i, name in enumerate(known.tolist())}
    if not position:
        raise BadFile(f"all votes of {table.path} are unsure; name the classes=.")
    rows, shares = [], []
    for row, who_said, column, names in told:
        chosen = list(position) if names is None else names
        for name in chosen:
            if name not in position:
                raise BadFile(
                    f"{table.place(row, column)}: {name[:40]!r} is not among the "
                    "classes."
                )
            rows.append((bags[row], who_said, position[name]))
            shares.append((1.0 if weight is None else weight[row]) / len(chosen))
    numbers = np.array(rows, dtype=np.int64)  # (v, 3)
    bag, annotator, label = numbers.T
    return Votes(bag, annotator, label, known, np.array(shares))


def _unsure_words(unsure: Unsure) -> dict[str, list[str] | None]:
    """Return what each unsure vote stands for; None is every class."""
    if unsure is None:
        return {}
    if isinstance(unsure, str):
        return {unsure: None}
    if not isinstance(unsure, Mapping):
        raise MiplError(
            "unsure must be a vote, or a mapping of votes to the classes they stand "
            f"for; got {unsure!r}."
        )
    return {
        str(word): None if names is None else names_in(names, f"unsure vote {word!r}")
        for word, names in unsure.items()
    }


def checked_rule(rule: Rule | None) -> Rule:
    """Return a rule that there is, "union" where none is given."""
    if rule is None:
        return "union"
    number = isinstance(rule, int) and not isinstance(rule, bool) and rule >= 1
    if rule in ("union", "crc") or number:
        return rule
    raise MiplError(
        "rule must be 'union', 'crc' or a whole number of annotators >= 1; "
        f"got {rule!r}."
    )


def _by_rule(votes: Votes, rule: Rule) -> Candidates:
    if isinstance(rule, int):
        return crowd.at_least(votes, rule)
    return crowd.union(votes) if rule == "union" else crowd.crc(votes)


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
