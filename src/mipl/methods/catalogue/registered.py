"""The rows of methods that programs of their authors have registered.

They live as long as the process: nothing on a disk makes a method known. The runner
hands them to its workers.
"""

from __future__ import annotations

from collections.abc import Iterable

from mipl.methods.catalogue.method_row import MethodRow

_ROWS: dict[str, MethodRow] = {}


def registered() -> tuple[MethodRow, ...]:
    """Return the rows, in the order in which they were registered."""
    return tuple(_ROWS.values())


def keep(rows: Iterable[MethodRow]) -> None:
    """Keep rows; one that was registered under the same id before gives way."""
    _ROWS.update({row.id: row for row in rows})


def forget(id: str) -> None:
    """Drop a row."""
    _ROWS.pop(id, None)
