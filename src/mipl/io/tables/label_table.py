"""Label tables: a row per bag with its candidates, true label, group and splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.agreement import AGREEMENT, agreement
from mipl.data.bag_metadata import bag_name
from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError, counted
from mipl.io.left_out import LeftOut
from mipl.io.tables import candidate_columns as forms
from mipl.io.tables.annotations import (
    VoteTable,
    is_annotation_table,
    vote_columns,
    vote_rows,
)
from mipl.io.tables.bag_rows import BagRows, bag_column, bag_rows, bag_rows_of_votes
from mipl.io.tables.columns import Columns, as_number, as_text, is_missing
from mipl.io.tables.label_options import USUAL, LabelOptions, columns_named
from mipl.io.tables.split_columns import Splits, read_splits, split_columns
from mipl.io.tables.table_file import read_columns


@dataclass(frozen=True, eq=False)
class LabelTable:
    """What a label table says, one entry per bag."""

    keys: list[str]
    candidates: Candidates
    labels: Array | None = None
    groups: Array | None = None
    uris: Array | None = None
    splits: Splits = field(default_factory=dict)
    sizes: list[float] | None = None
    files: list[list[str]] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def check_sizes(self, sizes: Array, path: Path) -> None:
        """Refuse bags of other sizes than the table counts, where it does."""
        if self.sizes is None or (sizes == self.sizes).all():
            return
        bag = int(np.argmax(sizes != self.sizes))
        raise BadFile(
            f"{path} has {counted(sizes[bag], 'instance')} of bag "
            f"{self.keys[bag][:40]!r}, its label table counts {self.sizes[bag]:g}; "
            "rows were lost or added."
        )

    def take(self, which: npt.NDArray[np.int64]) -> LabelTable:
        """Return the entries of some bags, with their splits renumbered."""

        def of(values: Array | None) -> Array | None:
            return None if values is None else values[which]

        total = len(self.keys)
        return LabelTable(
            [self.keys[i] for i in which],
            self.candidates[which],
            of(self.labels),
            of(self.groups),
            of(self.uris),
            {
                name: [split.among(which, total) for split in folds]
                for name, folds in self.splits.items()
            },
            None if self.sizes is None else [self.sizes[i] for i in which],
            None if self.files is None else [self.files[i] for i in which],
            self.facts,
        )

    def dataset(
        self, bags: Bags, facts: Mapping[str, Any] | None = None, **details: Any
    ) -> Dataset:
        """Return the data set of these bags."""
        return Dataset(
            bags,
            self.candidates,
            labels=self.labels,
            groups=self.groups,
            splits=self.splits,
            facts={**(facts or {}), **self.facts},
            **details,
        )


def read_label_table(
    source: str | Path | Columns | None,
    options: LabelOptions,
    keys: Sequence[str] | None = None,
    types: Mapping[str, str] | None = None,
    beside: Columns | None = None,
    left: LeftOut | None = None,
) -> LabelTable:
    r"""Read a label table, or the votes that stand for one.

    Parameters
    ----------
    source : path of a CSV, Parquet or Excel table, Columns, or None
        None where only ``options.annotations`` is there.
    options : LabelOptions
    keys : bag ids as text, optional
        The bags there are, in their order; each needs a row, and each row a bag.
    types : mapping, optional
        Types the columns were written from, by their names in ``Bags``.
    beside : Columns, optional
        Another table with a row per bag, asked for what this one does not tell.
    left : LeftOut, optional
        Takes the bags without a row, without instances or without a label, which then
        are not in the result; otherwise they are refused.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "labels.csv")
    ...     _ = path.write_text("bag_id,candidates,label\np,oak|elm,oak\nq,elm,elm\n")
    ...     table = read_label_table(path, LabelOptions(), keys=["q", "p"])
    >>> table.labels.tolist(), [sorted(s) for s in table.candidates]
    (['elm', 'oak'], [['elm'], ['elm', 'oak']])
    """
    if left is None:
        where = source.path if isinstance(source, Columns) else source
        left = LeftOut("raise", where or options.annotations or "the labels")
        found = read_label_table(source, options, keys, types, beside, left)
        left.settle(len({*found.keys, *left.reasons}))
        return found
    if source is None and options.annotators is not None:
        # Votes in columns are a label table, whichever of the two it was called.
        source, options = options.annotations, replace(options, annotations=None)
    if isinstance(source, (str, Path)):
        source = read_columns(source)
    votes = _vote_rows(source, options)
    options.check_votes(votes is not None or options.annotators is not None)
    rows = _bag_rows(source, votes, beside, options)
    if rows.files is None:
        options.column(rows.table, "file")  # Where it is told, it must be somewhere.
    places = [rows.table.place(row) for row in range(len(rows.table))]
    order = _in_order(rows.keys, keys, places, left)
    order = _labelled(rows, order, options, votes, left)
    if not order:  # There is nothing to tell classes by.
        left.settle(len({*rows.keys, *(keys or ())}))
    table = rows.table.take(order)
    if options.annotators is not None:
        votes = vote_columns(
            table, rows.bag, options.annotators, options.classes, options.unsure
        )
    if votes is not None:
        table = _with_sets(table, rows.bag, votes, options, left)
        if not len(table):
            left.settle(len({*rows.keys, *(keys or ())}))
    chosen = table.text(rows.bag)
    return LabelTable(
        keys=chosen,
        **_labelling(table, chosen, options, votes),
        **_others(table, options, types or {}),
        files=None if rows.files is None else [rows.files[key] for key in chosen],
        facts={} if votes is None else _agreement(votes),
    )


def bags_of_table(
    source: Columns, options: LabelOptions
) -> tuple[list[str], dict[str, list[str]] | None]:
    """Return the bag ids of a table and, where it names them, the files of each.

    Labels are neither needed nor read.
    """
    if options.annotators is None and is_annotation_table(source):
        return list(dict.fromkeys(source.text(bag_column(source, options)))), None
    rows = bag_rows(source, options, ())
    return rows.keys, rows.files


def as_ids(ids: str | Path | Sequence[Any]) -> list[str]:
    """Return bag ids that are given as a list, or as a table with a column of them.

    Examples
    --------
    >>> as_ids(["p", 7])
    ['p', '7']
    """
    if isinstance(ids, (str, Path)):
        return bags_of_table(read_columns(ids), LabelOptions())[0]
    names = [as_text(name) for name in ids]
    if len(set(names)) < len(names):
        raise MiplError("ids must name each bag once; one is there twice.")
    return names


def _vote_rows(source: Columns | None, options: LabelOptions) -> VoteTable | None:
    """Read the table with a row per vote, if there is one."""
    if options.annotations is not None:
        table = read_columns(options.annotations)
    elif source is None:
        raise MiplError("give a label table (labels=) or votes (annotations=).")
    elif options.annotators is None and is_annotation_table(source):
        table = source
    else:
        return None
    bag = options.bag_id
    if source not in (None, table) and bag not in table.cells:
        bag = None  # It is the label table's; the votes may call it otherwise.
    return vote_rows(table, bag=bag, classes=options.classes, unsure=options.unsure)


def _bag_rows(
    source: Columns | None,
    votes: VoteTable | None,
    beside: Columns | None,
    options: LabelOptions,
) -> BagRows:
    """Join what tells of bags; the first table decides which there are."""
    tables = []
    own = votes is None or options.annotations is not None
    if source is not None and own:
        tables.append(bag_rows(source, options, _meant(source, options)))
    if votes is not None:
        tables.append(bag_rows_of_votes(votes, options))
    if beside is not None:
        tables.append(BagRows(beside, bag_column(beside, options)))
    rows = tables[0]
    for other in tables[1:]:
        rows = rows.completed(other, options)
    return rows


def _agreement(votes: VoteTable) -> dict[str, Any]:
    return {AGREEMENT: agreement(votes.votes, votes.annotators).as_dict()}


def _in_order(
    ids: Sequence[str],
    keys: Sequence[str] | None,
    places: Sequence[str],
    left: LeftOut,
) -> list[int]:
    """Return the position of each wanted bag; note bags and rows without the other."""
    if keys is None:
        return list(range(len(ids)))
    position = {key: i for i, key in enumerate(ids)}
    file = places[0].split(", ")[0] if places else "the label table"
    like = f", whose first is of bag {ids[0][:40]!r}" if ids else ""
    for key in keys:
        if key not in position:
            left.add(key, f"bag {key[:40]!r} has no row in {file}{like}")
    wanted = set(keys)
    for i, key in enumerate(ids):
        if key not in wanted:
            reason = f"{places[i]}: bag {key[:40]!r} has no instances"
            left.add(key, reason, "empty-bags", bag_name(np.asarray(ids), i))
    return [position[key] for key in keys if key in position]


def _labelled(
    rows: BagRows,
    order: Sequence[int],
    options: LabelOptions,
    votes: VoteTable | None,
    left: LeftOut,
) -> list[int]:
    """Return the rows that have their labels; note the others."""
    table, ids = rows.table, rows.keys
    sets, label = options.column(table, "candidates"), options.column(table, "label")
    group = options.column(table, "group")
    voted = None if votes is None else set(votes.keys)
    by_votes = voted is not None or options.annotators is not None
    shares = [] if by_votes or sets else _share_columns(table, options)
    for row in order:
        name = ids[row]
        if voted is not None and votes is not None and name not in voted:
            left.add(name, f"bag {name[:40]!r} has no row in {votes.table.path}")
        elif not by_votes and sets and forms.is_empty_set(table.cells[sets][row]):
            reason = (
                f"{table.place(row, sets)} must name candidates of bag {name[:40]!r}, "
                "as a|b or a JSON list; it is empty"
            )
            left.add(name, reason, "empty-sets", table.place(row))
        elif label is not None and is_missing(table.cells[label][row]):
            reason = f"{table.place(row, label)} is empty; bag {name[:40]!r} needs it"
            left.add(name, reason, "empty-sets", table.place(row))
        elif group is not None and is_missing(table.cells[group][row]):
            reason = f"{table.place(row, group)} is empty; bag {name[:40]!r} needs it"
            left.add(name, reason, place=table.place(row))
        elif shares and all(as_number(table.cells[c][row]) == 0 for c in shares):
            # What is no number, or below 0, is refused where it is read.
            reason = f"{table.place(row)} has no candidate above 0"
            left.add(name, reason, "empty-sets", table.place(row))
    return [row for row in order if ids[row] not in left]


def _with_sets(
    table: Columns, bag: str, votes: VoteTable, options: LabelOptions, left: LeftOut
) -> Columns:
    """Return the rows of whose votes the rule makes a set; note the others."""
    lacking = votes.without_set(options.rule)
    ids = table.text(bag)
    for row, name in enumerate(ids):
        if name in lacking:
            left.add(name, lacking[name], "empty-sets", table.place(row))
    return table.take([row for row, name in enumerate(ids) if name not in lacking])


def _labelling(
    table: Columns, keys: list[str], options: LabelOptions, votes: VoteTable | None
) -> dict[str, Any]:
    label = options.column(table, "label")
    if votes is None:
        candidates = _candidates(table, options, label)
    else:
        candidates = votes.candidates(options.rule, keys)
    labels = None
    if label is not None:
        labels = forms.read_labels(table, label, candidates.classes)
    return {"candidates": candidates, "labels": labels}


def _candidates(table: Columns, options: LabelOptions, label: str | None) -> Candidates:
    classes = options.classes
    sets = options.column(table, "candidates")
    if sets is not None:
        return forms.read_sets(table, sets, classes)
    if options.candidates is None:
        prefixed = forms.read_prefixed(table, classes)
        if prefixed is not None:
            return prefixed
    votes = _vote_columns(table, options)
    if votes:
        return forms.read_votes(table, votes, classes)
    if label is None:
        raise BadFile(
            f"{table.path} has no candidates; it needs a column of sets (candidates=), "
            f"0/1 or vote columns, or label; it has {', '.join(table.cells)[:200]}."
        )
    return forms.read_sets_of_one(table, label, classes)


def _vote_columns(table: Columns, options: LabelOptions) -> list[str]:
    if options.candidates is not None and not isinstance(options.candidates, str):
        columns = columns_named("candidates", options.candidates)
        return [table.need(name) for name in columns]
    return forms.free_vote_columns(
        table, _named(table, options), options.column(table, "label")
    )


def _share_columns(table: Columns, options: LabelOptions) -> list[str]:
    """Return the columns of 0/1, votes or probabilities that make the sets, if any."""
    for prefix in () if options.candidates else forms.PREFIXES:
        found = [name for name in table.cells if name.startswith(prefix)]
        if found:
            return found
    return _vote_columns(table, options)


def _named(table: Columns, options: LabelOptions) -> set[str]:
    """Return the columns whose name tells what they mean."""
    roles = {options.column(table, role) for role in USUAL}
    folds = {c for found in split_columns(table).values() for c in found.values()}
    prefixed = {name for name in table.cells if name.startswith(forms.PREFIXES)}
    annotators = set(options.annotators or ())
    return {name for name in roles if name is not None} | folds | prefixed | annotators


def _meant(table: Columns, options: LabelOptions) -> set[str]:
    """Return the columns that must agree in all rows of a bag."""
    uri = options.column(table, "uri")
    return (_named(table, options) | set(_vote_columns(table, options))) - {uri}


def _others(
    table: Columns, options: LabelOptions, types: Mapping[str, str]
) -> dict[str, Any]:
    def read(role: str, field: str) -> Array | None:
        column = options.column(table, role)
        return None if column is None else table.typed(column, types.get(field))

    sizes = options.column(table, "n_instances")
    return {
        "groups": read("group", "groups"),
        "uris": read("uri", "uris"),
        "splits": read_splits(table, options.column(table, "split")),
        "sizes": None if sizes is None else table.floats(sizes),
    }
