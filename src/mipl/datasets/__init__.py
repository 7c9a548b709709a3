"""The published data sets by name, and where their files live.

Public names are loaded on first use, so that listing the sets is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.datasets.catalog import load_dataset
    from mipl.datasets.entries import CATALOG, Entry
    from mipl.datasets.published_table import RECORDS, Record

_HOMES = {
    "CATALOG": "mipl.datasets.entries",
    "RECORDS": "mipl.datasets.published_table",
    "Entry": "mipl.datasets.entries",
    "Record": "mipl.datasets.published_table",
    "load_dataset": "mipl.datasets.catalog",
}

__all__ = ["CATALOG", "RECORDS", "Entry", "Record", "load_dataset"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl.datasets' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
