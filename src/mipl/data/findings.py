"""Findings: what validation has to say, each with its count, examples and remedy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from mipl.errors import BadBags

Severity = Literal["error", "warning", "note"]

_MOST_EXAMPLES = 5
_REMEDIES = {
    "empty-bags": "drop these bags together with their candidates.",
    "empty-sets": "drop these bags, or give them all classes as candidates.",
    "duplicate-ids": "give each bag an id of its own, or one row.",
    "non-finite": "replace these values or drop the instances.",
    "unreadable": "mend what the sentence names, or export the file again.",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, doubtful or worth knowing.

    Attributes
    ----------
    code : str
        A stable name for programs.
    severity : "error", "warning" or "note"
        Errors make results wrong; warnings make learning harder or numbers doubtful.
    count : int
        How many bags, features, labels or pairs are concerned.
    examples : tuple of str
        The first few of them.
    sentence, remedy : str
    """

    code: str
    severity: Severity
    count: int
    examples: tuple[str, ...]
    sentence: str
    remedy: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)


def finding(
    code: str,
    severity: Severity,
    names: Sequence[str] | Iterable[str],
    sentence: str,
    remedy: str | None = None,
) -> list[Finding]:
    """Return one finding about these names, none where there are no names.

    ``{n}`` in the sentence stands for their number.

    Examples
    --------
    >>> [found] = finding("full-sets", "warning", ["bag 3"], "{n} sets are full.", "-")
    >>> found.count, found.sentence
    (1, '1 sets are full.')
    """
    names = tuple(names)
    if not names:
        return []
    remedy = remedy or _REMEDIES[code]
    told = sentence.replace("{n}", f"{len(names):,}")
    return [Finding(code, severity, len(names), names[:_MOST_EXAMPLES], told, remedy)]


def findings_of_error(error: BaseException) -> list[Finding]:
    """Tell why something cannot be read as a data set at all.

    Containers refuse empty bags, empty sets and numbers that are not finite; the
    error they raise knows all bags concerned.

    Examples
    --------
    >>> from mipl.data.bags import Bags
    >>> try:
    ...     Bags([[[float("nan")]], [[0.0]], [[float("inf")]]])
    ... except ValueError as error:
    ...     [found] = findings_of_error(error)
    >>> found.code, found.count, found.examples
    ('non-finite', 2, ('bag 0', 'bag 2'))
    """
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, BadBags):
        cause = cause.__cause__
    if cause is None:
        return finding("unreadable", "error", [str(error)], str(error))
    remedy = _REMEDIES[cause.fault]
    sentence, count, examples = str(error), cause.count, cause.examples
    return [Finding(cause.fault, "error", count, examples, sentence, remedy)]
