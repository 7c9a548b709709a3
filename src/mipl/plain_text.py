"""The gate through which text of unknown origin passes on its way to people.

Names of classes, bags and files come out of data files, and what shows them obeys some
letters: a terminal escape sequences and marks that turn the direction of text, a
spreadsheet formulas. ``plain`` is for terminals and pictures, ``quoted`` for messages,
``as_cell`` for tables that a spreadsheet may open; pages, LaTeX and Markdown have
escapes of their own in ``mipl.reports``.
"""

import re

_MOST_QUOTED = 200  # Letters of input that a message repeats.
_MOST = 2000  # Letters of a message.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BREAK = re.compile(r"\s*[\r\n]\s*")
_LONG = re.compile(
    rf"[^\s'\"]{{{_MOST_QUOTED},}}"
    # A quote behind a letter closes, or is an apostrophe: what follows is our own.
    rf"|(?<=(?<!\w)')[^']{{{_MOST_QUOTED},}}(?='(?!\w))"
    rf'|(?<=(?<!\w)")[^"]{{{_MOST_QUOTED},}}(?="(?!\w))'
)


def plain(value: object, keep: str = "") -> str:
    r"""Return text without letters that steer; those to keep may stay.

    Examples
    --------
    >>> plain("oak\x1b[31m")
    'oak\ufffd[31m'
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def quoted(text: str) -> str:
    """Return a message in one line, whose long pieces of input are cut in the middle.

    Examples
    --------
    >>> len(quoted("unknown method " + "a" * 5000))
    215
    """
    line = _BREAK.sub(" ", text)
    return shortened(_LONG.sub(lambda found: shortened(found[0]), line), _MOST)


def shortened(text: str, most: int = _MOST_QUOTED) -> str:
    """Return the beginning and the end of a text that is too long.

    Examples
    --------
    >>> shortened("STR"), shortened("slide of patient 17, block 4.png", 16)
    ('STR', 'slide of…k 4.png')
    """
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}…{text[most // 2 + 1 - most :]}"


def as_cell(text: str) -> str:
    """Return text as a spreadsheet shows it, where it would take it for a formula.

    It gets an apostrophe, which ``from_cell`` takes away; numbers stay as they are.

    Examples
    --------
    >>> as_cell("=1+1"), as_cell("oak"), as_cell("-1.5")
    ("'=1+1", 'oak', '-1.5')
    """
    return f"'{text}" if _FORMULA.match(text) and not is_decimal(text) else text


def from_cell(text: str) -> str:
    """Return the text that ``as_cell`` has made a cell of.

    Examples
    --------
    >>> from_cell("'=1+1"), from_cell("'tis"), from_cell("oak")
    ('=1+1', "'tis", 'oak')
    """
    return text[1:] if text[:1] == "'" and _FORMULA.match(text, 1) else text


def is_decimal(text: str) -> bool:
    """Tell whether a text is a number in ASCII digits, as every program reads it.

    Examples
    --------
    >>> [is_decimal(text) for text in ("1e-3", " 2 ", "1_000", "٣", "nan")]
    [True, True, False, False, False]
    """
    return _DECIMAL.fullmatch(text.strip(" ")) is not None
