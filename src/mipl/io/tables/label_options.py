"""What the columns of a label table mean: told by the user, or by usual names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from mipl.errors import MiplError, unknown
from mipl.io.tables.columns import Columns

# The usual names of columns; the first is the one we write.
USUAL = {
    "bag_id": ("bag_id", "bag", "slide_id", "bag_name"),
    "candidates": ("candidates", "candidate_labels", "candidate_set"),
    "label": ("label", "true_label"),
    "group": ("group", "patient", "patient_id", "case_id"),
    "split": ("split", "fold"),
    "file": ("file", "filename", "slide_path"),
    "uri": ("uri",),
    "n_instances": ("n_instances",),
}


@dataclass(frozen=True)
class LabelOptions:
    """What the columns of a label table mean; None looks for the usual names.

    Parameters
    ----------
    bag_id, label, group, split, file : str, optional
        Names of columns.
    candidates : str or list of str, optional
        The column of sets, or the columns of 0/1, votes or probabilities.
    classes : list of class names, optional
        Their order; by default the sorted names that occur.
    annotations : path, optional
        A table of votes (bag, annotator, label) that gives the candidates.
    annotators : list of str, optional
        Columns that hold one annotator's votes each, in place of such a table.
    rule : "union", "crc" or int, optional
        How votes become candidates, "union" by default; see ``read_annotations``.
    unsure : str or mapping of str to class names, optional
        Votes that stand for every class, or for these; see ``read_annotations``.
    """

    bag_id: str | None = None
    candidates: str | Sequence[str] | None = None
    label: str | None = None
    group: str | None = None
    split: str | None = None
    file: str | None = None
    classes: Any = None
    annotations: str | Path | None = None
    annotators: Sequence[str] | None = None
    rule: str | int | None = None
    unsure: str | Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls, options: Mapping[str, Any], *others: str, without: Sequence[str] = ()
    ) -> LabelOptions:
        """Build from keyword arguments; tell an unknown one, and the ``others``.

        ``without`` names those that the reader at hand cannot use.
        """
        known = [one.name for one in fields(cls) if one.name not in without]
        for name in options:
            if name not in known:
                raise unknown("option", name, [*known, "labels", "splits", *others])
        return cls(**options)

    def check_votes(self, voted: bool) -> None:
        """Refuse options that say nothing of a table with, or without, votes."""
        if self.annotations is not None and self.annotators is not None:
            raise MiplError(
                "annotations= and annotators= beside labels= exclude each other: votes "
                "are a table of their own, or columns of the label table."
            )
        if voted and self.candidates is not None:
            raise MiplError(
                "candidates= is not used beside votes, which make the candidate sets; "
                "give one of the two."
            )
        for name in () if voted else ("rule", "unsure"):
            if getattr(self, name) is not None:
                raise MiplError(
                    f"{name}= is about votes, and there are none; give annotations=, a "
                    "table of them, or annotators=, the columns that hold them."
                )

    def column(self, table: Columns, role: str) -> str | None:
        """Return the column that plays a role, as told or by its usual names."""
        told = getattr(self, role, None)
        if isinstance(told, str):
            return table.need(told)
        return None if told is not None else table.find(*USUAL[role])

    def find(self, table: Columns, role: str) -> str | None:
        """Return the column of a role if this table has it: another may."""
        told = getattr(self, role, None)
        if isinstance(told, str):
            return told if told in table.cells else None
        return None if told is not None else table.find(*USUAL[role])


def columns_named(what: str, given: Sequence[str] | None) -> list[str]:
    """Return a list of different columns, as it was given.

    Examples
    --------
    >>> columns_named("features", "height")
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: features must be a list of columns, as ["height"]; it is \
'height'.
    """
    if isinstance(given, str):
        raise MiplError(
            f'{what} must be a list of columns, as ["{given}"]; it is {given!r}.'
        )
    names = list(given or [])
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise MiplError(
            f"{what} must name each column once; {twice[0]!r} is there twice."
        )
    return names
