"""Output on terminals that do not know every letter."""

from __future__ import annotations

import codecs
import sys

_LIKE = {
    "█": "#", "±": "+-", "→": "->", "…": "...", "–": "-", "·": "-", "•": "*",
    "“": '"', "”": '"', "’": "'", "─": "-", "━": "-", "│": "|",
    "╭": "+", "╮": "+", "╰": "+", "╯": "+",
}  # fmt: skip


def _alike(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    lost = error.object[error.start : error.end]
    return "".join(_LIKE.get(letter, "?") for letter in lost), error.end


codecs.register_error("mipl-alike", _alike)


def show_every_letter() -> None:
    """Let output put something alike where a terminal has no such letter."""
    for stream in (sys.stdout, sys.stderr):
        if not is_unicode(stream) and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="mipl-alike")


def is_unicode(stream: object) -> bool:
    """Tell whether a stream can take every letter."""
    name = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(name).name.startswith("utf")
