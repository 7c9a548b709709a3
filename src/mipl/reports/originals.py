"""The file that a bag was made of, where the bag tells it."""

from __future__ import annotations

from pathlib import Path

from mipl.errors import MiplError
from mipl.files import holds_file
from mipl.runs.explanation import Explanation


def original_of(told: Explanation, noun: str, verb: str) -> Path:
    """Return the path of the picture, recording or document of a bag."""
    if told.bag.uris is None:
        raise MiplError(
            f"{told.name} does not say which {noun} it comes from (uris); make the "
            f"bags from {noun} files with {verb}."
        )
    address = str(told.bag.uris[0])
    if not holds_file(address):
        raise MiplError(
            f"the {noun} of {told.name}, {address}, is not there; put it back, or make "
            "the bags again."
        )
    return Path(address)
