"""Pages of long lists, cut on the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_LONGEST = 9  # Digits of a number that somebody may ask for.


@dataclass(frozen=True)
class ListPage:
    """A part of a list.

    Attributes
    ----------
    shown : sequence
    number : int
        Of the page, from 1 on.
    pages, total : int
        How many pages and things there are.
    first : int
        Place of the first thing shown, from 0 on.
    """

    shown: Sequence[Any]
    number: int
    pages: int
    total: int
    first: int


def page_of(things: Sequence[Any], asked: str, per_page: int) -> ListPage:
    """Return the page that is asked for, or the nearest that there is.

    Examples
    --------
    >>> page_of("abcde", "2", 2).shown, page_of("abcde", "9", 2).shown
    ('cd', 'e')
    >>> page_of("abcde", "x", 2).number, page_of("", "1", 2).pages
    (1, 1)
    """
    pages = max(1, -(-len(things) // per_page))
    wanted = whole(asked, 1)
    number = min(max(wanted, 1), pages)
    first = (number - 1) * per_page
    shown = things[first : first + per_page]
    return ListPage(shown, number, pages, len(things), first)


def whole(text: str, otherwise: int) -> int:
    """Return the whole number that a text is, or another.

    Examples
    --------
    >>> whole("12", 1), whole("-1", 1), whole("9" * 5000, 1), whole("٣", 1)
    (12, 1, 1, 1)
    """
    good = text.isascii() and text.isdigit() and len(text) <= _LONGEST
    return int(text) if good else otherwise
