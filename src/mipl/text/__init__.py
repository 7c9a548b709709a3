"""From documents to bags: each generator is a scikit-learn transformer.

Public names are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.text.text_bags import TextBags
    from mipl.text.units import Passages, Sentences, WordWindows

_HOMES = {
    "Passages": "mipl.text.units",
    "Sentences": "mipl.text.units",
    "TextBags": "mipl.text.text_bags",
    "WordWindows": "mipl.text.units",
}

__all__ = ["Passages", "Sentences", "TextBags", "WordWindows"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl.text' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
