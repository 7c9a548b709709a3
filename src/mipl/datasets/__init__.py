"""The published data sets by name, and where their files live."""

from mipl.datasets.catalog import CATALOG, Entry, load_dataset
from mipl.datasets.records import RECORDS, Record

__all__ = ["CATALOG", "RECORDS", "Entry", "Record", "load_dataset"]
