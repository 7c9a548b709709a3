"""What an import is asked for: a source and its options, in an address and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# Options of the readers that a person may correct; several names are a JSON list.
OPTIONS = (
    *("labels", "annotations", "annotators", "rule"),
    *("bag_id", "candidates", "label", "group", "split", "file"),
)
GENERATORS = {  # In words; of others their name is told.
    "sift": "SIFT: gradient histograms on a grid",
    "sbn": "SBN: colours of blobs and their neighbours",
    "row": "Row: mean colours of rows",
    "kmeansseg": "KMeansSeg: regions found by k-means",
    "patches": "Patches: tiles, as they are",
}


def options_of(query: Mapping[str, str]) -> dict[str, Any]:
    """Return the options in the query of an address.

    Examples
    --------
    >>> options_of({"label": "truth", "annotators": '["a", "b"]', "page": "2"})
    {'annotators': ['a', 'b'], 'label': 'truth'}
    """
    found: dict[str, Any] = {}
    for name in OPTIONS:
        text = query.get(name, "")
        if text:
            found[name] = names_of(text) if text.startswith("[") else text
    return found


def names_of(text: str) -> list[str]:
    """Return the names in a JSON list; what is none has none.

    Examples
    --------
    >>> names_of('["a", "b,c"]'), names_of("[1"), names_of('"a"')
    (['a', 'b,c'], [], [])
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [str(one) for one in found] if isinstance(found, list) else []


def as_query(names: list[str]) -> str:
    """Return names as they stand in an address.

    Examples
    --------
    >>> as_query(["a", "b,c"]), as_query([])
    ('["a", "b,c"]', '')
    """
    return json.dumps(names, ensure_ascii=False) if names else ""
