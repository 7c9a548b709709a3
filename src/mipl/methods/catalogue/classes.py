"""Where the classes of methods are, by the entries of the catalogue."""

from __future__ import annotations

import re
from pathlib import Path

ENTRIES = Path(__file__).parent / "entries"
_CLASS = re.compile(r'^class = "(?P<module>[\w.]+):(?P<name>\w+)"$', re.MULTILINE)


def method_classes() -> dict[str, str]:
    """Return the module of the class of each entry by its name.

    Entries are neither read nor checked as a whole: ``import mipl`` is to be quick.

    Examples
    --------
    >>> method_classes()["MIPLMA"]
    'mipl.methods.mipl.miplma'
    """
    texts = (path.read_text(encoding="utf-8") for path in ENTRIES.glob("*.toml"))
    found = (_CLASS.search(text) for text in texts)
    return {told["name"]: told["module"] for told in found if told}
