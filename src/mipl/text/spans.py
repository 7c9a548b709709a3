"""Where sentences, passages and windows of words begin and end, in letters."""

from __future__ import annotations

import re

Span = tuple[int, int]

_WORD = re.compile(r"\S+")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
# What ends a sentence, with the quotes and brackets that close behind it; then space
# and what may begin one. Some scripts put no space there.
_END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s+[\"'\u201c\u2018(\[]*[^\Wa-z_])"
    r"|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d]*"
)
# A full stop behind these ends no sentence, nor behind a single capital letter.
_SHORT = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|cf|vs|ca|etc|al|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Fig|Eq|Sec"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|pp|p|vol|ed|approx|Inc|Ltd))\.$"
)


def words(text: str, span: Span | None = None) -> list[Span]:
    """Return the words: what stands between spaces.

    Examples
    --------
    >>> words("to be, or")
    [(0, 2), (3, 6), (7, 9)]
    """
    first, behind = span or (0, len(text))
    return [found.span() for found in _WORD.finditer(text, first, behind)]


def paragraphs(text: str) -> list[Span]:
    """Return what stands between blank lines, without the space around it."""
    ends = [(found.start(), found.end()) for found in _BLANK.finditer(text)]
    begins = [0, *(behind for _, behind in ends)]
    stops = [*(first for first, _ in ends), len(text)]
    return _bare(text, list(zip(begins, stops, strict=True)))


def sentences(text: str) -> list[Span]:
    """Return the sentences; a blank line ends one, too.

    Examples
    --------
    >>> text = "It is so, e.g. Here. Is it? Mr. Fox says: 3.5 of 4."
    >>> [text[first:behind] for first, behind in sentences(text)]
    ['It is so, e.g. Here.', 'Is it?', 'Mr. Fox says: 3.5 of 4.']
    """
    found: list[Span] = []
    for first, behind in paragraphs(text):
        for end in _END.finditer(text, first, behind):
            if _SHORT.search(text, max(first, end.end() - 12), end.end()):
                continue
            found.append((first, end.end()))
            first = end.end()
        found.append((first, behind))
    return _bare(text, found)


def passages(text: str, length: int) -> list[Span]:
    r"""Return sentences of one paragraph in a row, up to ``length`` words together.

    Examples
    --------
    >>> passages("One two. Three four. Five.\n\nSix.", 4)
    [(0, 20), (21, 26), (28, 32)]
    """
    found: list[Span] = []
    count, last = 0, -1
    blocks = paragraphs(text)
    block = 0
    for first, behind in sentences(text):
        while first >= blocks[block][1]:
            block += 1
        n = len(words(text, (first, behind)))
        if last == block and count + n <= length:
            found[-1] = (found[-1][0], behind)
            count += n
        else:
            found.append((first, behind))
            count, last = n, block
    return found


def windows(text: str, length: int, step: int) -> list[Span]:
    """Return every ``step`` words a window of ``length`` words; the last ends the text.

    Examples
    --------
    >>> windows("a b c d e f g h", 4, 3)
    [(0, 7), (6, 13), (8, 15)]
    """
    every = words(text)
    last = max(len(every) - length, 0)
    begins = list(range(0, last + 1, step))
    if every and begins[-1] != last:
        begins.append(last)
    return [
        (every[i][0], every[min(i + length, len(every)) - 1][1])
        for i in begins
        if every
    ]


def _bare(text: str, spans: list[Span]) -> list[Span]:
    """Return spans without the space at their ends; those of nothing but space go."""
    found: list[Span] = []
    for first, behind in spans:
        piece = text[first:behind]
        if inside := piece.strip():
            begin = first + len(piece) - len(piece.lstrip())
            found.append((begin, begin + len(inside)))
    return found
