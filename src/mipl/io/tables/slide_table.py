"""Two tables for one: labels by patient, and the files of each patient."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mipl.errors import MiplError
from mipl.io.left_out import LeftOut
from mipl.io.tables.columns import Columns
from mipl.io.tables.label_options import USUAL, LabelOptions
from mipl.io.tables.table_file import read_columns


def joined_tables(
    labels: str | Path | None, slides: str | Path, options: LabelOptions, left: LeftOut
) -> tuple[Columns, LabelOptions]:
    """Join a table of patients with a table of their slides, a row per slide.

    The column of patients is looked for in both by its usual names (STAMP writes
    PATIENT and FILENAME). By default the slides of a patient are one bag. Patients
    without a slide, and slides of patients without a row, are noted in ``left``.
    """
    if labels is None:
        raise MiplError("slides= goes with labels=, the table of the patients.")
    patients, files = read_columns(labels), read_columns(slides)
    key, owner = _patient(patients, options), _patient(files, options)
    file = options.column(files, "file")
    if file is None:
        raise MiplError(
            f"{files.path} has no column of file names; name it with file=, its "
            f"columns are {', '.join(files.cells)[:200]}."
        )
    names, owners = patients.text(key), files.text(owner)
    rows = {name: row for row, name in enumerate(names)}
    if len(rows) < len(patients):
        raise MiplError(f"{patients.path} names a patient twice in column {key!r}.")
    for name in names:
        if name not in owners:
            left.add(name, f"patient {name[:40]!r} has no slide in {files.path}")
    for row, name in enumerate(owners):
        if name not in rows:
            place = files.place(row, owner)
            left.add(name, f"{place}: {name[:40]!r} has no row in {patients.path}")
    kept = [row for row, name in enumerate(owners) if name in rows]
    if not kept:
        raise MiplError(
            f"{patients.path} and {files.path} name no patient in common; check their "
            f"columns {key!r} and {owner!r}."
        )
    table = patients.take([rows[owners[row]] for row in kept])
    cells = {**table.cells, file: [files.cells[file][row] for row in kept]}
    told = replace(options, file=file, bag_id=options.bag_id or key)
    return replace(table, cells=cells), told


def _patient(table: Columns, options: LabelOptions) -> str:
    """Return the column of patients: as named, by its usual names, or the bag ids."""
    if options.group is not None and options.group in table.cells:
        return options.group
    found = table.find(*USUAL["group"])
    if found is None and options.bag_id in table.cells:
        found = options.bag_id
    if found is None:
        raise MiplError(
            f"{table.path} has no column of patients; name it with group=, its "
            f"columns are {', '.join(table.cells)[:200]}."
        )
    return found
