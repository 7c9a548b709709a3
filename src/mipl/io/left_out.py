"""Bags that cannot be used: told all at once, or left out and named."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mipl.data.frozen import Array
from mipl.errors import BadBags, BadFile, MiplError, unknown

ON_BAD = ("raise", "skip")
_DAMAGED = "unreadable"
_MOST = 50  # Reasons in one sentence.


class BagsLeftOut(UserWarning):
    """Bags that were left out of what was read, and why.

    Attributes
    ----------
    reasons : mapping of name to sentence
    """

    def __init__(self, message: str, reasons: Mapping[str, str]) -> None:
        super().__init__(message)
        self.reasons = dict(reasons)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (*self.args, self.reasons)


class LeftOut:
    """What is wrong with each bag that cannot be used, gathered while they are read.

    Parameters
    ----------
    on_bad : "raise" or "skip"
        What ``settle`` does: refuse the data with one sentence about all such bags, or
        let the reader go on without them.
    where : path
        How messages call the data.
    noun : str
        What a bag is to who made it.
    option : str
        How the user asks for bad ones to be left out.

    Examples
    --------
    >>> left = LeftOut("skip", "slides")
    >>> left.add("s3", "s3.h5 holds no instances")
    >>> left.settle(10)
    >>> "s3" in left, left.told(10)
    (True, '1 of 10 bags of slides left out: s3.h5 holds no instances')
    >>> strict = LeftOut("raise", "slides")
    >>> strict.add("s3", "s3.h5 holds no instances")
    >>> strict.settle(10)
    Traceback (most recent call last):
        ...
    mipl.errors.BadFile: s3.h5 holds no instances; mend it, or leave it out by \
on_bad='skip' (--skip-bad).
    """

    def __init__(
        self,
        on_bad: str,
        where: str | Path,
        noun: str = "bag",
        option: str = "on_bad='skip' (--skip-bad)",
    ) -> None:
        if on_bad not in ON_BAD:
            raise unknown("on_bad", on_bad, ON_BAD)
        self.on_bad = on_bad
        self.where = where
        self.noun = noun
        self.option = option
        self.reasons: dict[str, str] = {}
        self._faults: set[str] = set()
        self._places: list[str] = []

    def begin(self) -> None:
        """Forget what was noted: the data are read anew."""
        self.reasons.clear()
        self._faults.clear()
        self._places.clear()

    def add(
        self, name: str, reason: object, fault: str = _DAMAGED, place: str = ""
    ) -> None:
        """Note why a bag cannot be used; ``fault`` is a code of ``validate``.

        ``place`` is where the fault is, if that says more than the bag's name.
        """
        if name not in self.reasons:
            self.reasons[name] = str(reason).rstrip(".")
            self._faults.add(fault)
            self._places.append(place or name)

    def __contains__(self, name: object) -> bool:
        return name in self.reasons

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def usable(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the numbers of the bags that nothing was noted of."""
        kept = [i for i, name in enumerate(names) if name not in self.reasons]
        return np.array(kept, dtype=np.int64)

    def settle(self, total: int) -> None:
        """Refuse the data, or go on if something is left of ``total`` bags."""
        if not self.reasons:
            return
        if self.on_bad == "raise":
            raise self._error(total)
        if len(self.reasons) >= total:
            raise MiplError(
                f"no {self.noun} of {self.where} can be used; the first because "
                f"{next(iter(self.reasons.values()))}."
            )

    def warn(self, total: int) -> None:
        """Name what was left out, once, at the end."""
        if self.reasons:
            warnings.warn(BagsLeftOut(self.told(total), self.reasons), stacklevel=3)

    def told(self, total: int) -> str:
        """Return the list of what was left out."""
        count = f"{len(self.reasons):,} of {total:,} {self.noun}s of {self.where}"
        return f"{count} left out: {self._listed()}"

    def _listed(self) -> str:
        reasons = list(self.reasons.values())
        more = len(reasons) - _MOST
        return "; ".join([*reasons[:_MOST], *([f"and {more:,} more"] * (more > 0))])

    def _error(self, total: int) -> MiplError:
        count = len(self.reasons)
        if count == 1:
            sentence = f"{self._listed()}; mend it, or leave it out by {self.option}."
        else:
            sentence = (
                f"{count:,} of {total:,} {self.noun}s of {self.where} cannot be used: "
                f"{self._listed()}; mend them, or leave them out by {self.option}."
            )
        (fault, *others) = self._faults
        if others or fault == _DAMAGED:
            return BadFile(sentence)
        return BadBags(sentence, fault, range(count), self._places.__getitem__)


def note_bad_rows(
    rows: Array, offsets: npt.NDArray[np.int64], names: Sequence[str], left: LeftOut
) -> None:
    """Note the bags that have no instances, or numbers that are not finite.

    Examples
    --------
    >>> left = LeftOut("skip", "here")
    >>> rows = np.array([[1.0], [np.nan], [2.0]])
    >>> note_bad_rows(rows, np.array([0, 2, 2, 3]), ["bag 0", "bag 1", "bag 2"], left)
    >>> list(left.reasons.values())
    ['bag 0 holds NaN at instance 1, feature 0', 'bag 1 has no instances']
    """
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    owners, firsts = np.unique(
        np.searchsorted(offsets, bad, side="right") - 1, return_index=True
    )
    for bag, first in zip(owners.tolist(), firsts.tolist(), strict=True):
        row = rows[bad[first]]
        feature = int(np.isfinite(row).argmin())
        value = "NaN" if np.isnan(row[feature]) else "inf, or too large for float32,"
        place = f"instance {bad[first] - offsets[bag]}, feature {feature}"
        reason = f"{names[bag]} holds {value} at {place}"
        left.add(names[bag], reason, "non-finite")
    for bag in np.flatnonzero(np.diff(offsets) == 0).tolist():
        left.add(names[bag], f"{names[bag]} has no instances", "empty-bags")


def note_empty_sets(matrix: Array, names: Sequence[str], left: LeftOut) -> None:
    """Note the bags without a candidate in a (m, k) matrix of booleans or weights."""
    for bag in np.flatnonzero(~(matrix != 0).any(axis=1)).tolist():
        left.add(
            names[bag], f"the candidate set of {names[bag]} is empty", "empty-sets"
        )
