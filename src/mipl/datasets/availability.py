"""Which data sets can be built here, and what the others need."""

from collections.abc import Sequence
from pathlib import Path

from mipl.datasets.entries import CATALOG
from mipl.datasets.request import Request
from mipl.errors import MissingData


class _Found(Exception):
    """The first raw file is there."""


class _Look(Request):
    """A request that ends at the first raw file instead of building anything."""

    def file(self, names: Sequence[str], remedy: str = "") -> Path:
        super().file(names, remedy)
        raise _Found


def missing(name: str, raw: str | Path | None = None) -> str | None:
    """Return what a data set of the catalog needs, None where nothing is missing.

    The builder itself is asked, up to the first raw file that it opens.

    Examples
    --------
    >>> missing("digits-mipl") is None
    True
    """
    try:
        CATALOG[name].load()(_Look(name, raw=raw))
    except _Found:
        return None
    except MissingData as error:
        return str(error)
    return None
