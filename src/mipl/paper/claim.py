"""Claim: a statement of the text that can be counted, and the counting of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from mipl.paper.cells import Cell, Spot, compared

ABOVE, SIGNIFICANT, SAME = "above", "significantly above", "no difference"
HOLDS, IN_PART, FAILS, UNKNOWN = "holds", "in part", "does not", "not measured"


@dataclass(frozen=True)
class Amount:
    """The accuracy of a cell, or how far it lies above another one."""

    spot: Spot
    less: Spot | None = None

    @property
    def spots(self) -> list[Spot]:
        """The cells it is made of."""
        return [self.spot] if self.less is None else [self.spot, self.less]

    def measured(self, cells: Mapping[Spot, Cell]) -> Cell:
        """Return it by split, of the splits that both cells have."""
        cell = cells[self.spot]
        if self.less is None:
            return cell
        other = cells[self.less].values
        both = {s: v - other[s] for s, v in cell.values.items() if s in other}
        return Cell(self.spot, both, cell.wanted)

    def published(self) -> float | None:
        """Return what was published, or None."""
        found = [spot.published for spot in self.spots]
        means = [one.mean for one in found if one is not None]
        if len(means) < len(found):
            return None
        return means[0] - sum(means[1:])


Pair = tuple[Amount, Amount]


@dataclass(frozen=True)
class Count:
    """How many comparisons came out as claimed, of those that could be made."""

    true: int
    of: int
    unknown: int


@dataclass(frozen=True)
class Basis:
    """What a count rests on.

    Attributes
    ----------
    cells, of : int
        Cells with a part in some comparison that could be made, and all it needs.
    splits : tuple of int
        How many splits each of these comparisons was made on.
    """

    cells: int
    of: int
    splits: tuple[int, ...]


@dataclass(frozen=True)
class Claim:
    """A statement that holds for so many of some comparisons.

    Attributes
    ----------
    statement : str
    says : str
        How often the paper says it holds.
    pairs : tuple of pairs of Amount
        The first is claimed to be above the second.
    how : {"above", "significantly above", "no difference"}
        By the means, or by the t-test at .05.
    printed : Count, optional
        What the paper's tables say, where its accuracies cannot tell.
    most : bool
        Whether the paper says it of most comparisons only.
    denied : bool
        Whether the paper says that it does not hold in all of them.
    """

    statement: str
    says: str
    pairs: tuple[Pair, ...]
    how: str = ABOVE
    printed: Count | None = None
    most: bool = False
    denied: bool = False

    @property
    def spots(self) -> list[Spot]:
        """The cells that it needs, none twice."""
        every = (s for pair in self.pairs for amount in pair for s in amount.spots)
        return list(dict.fromkeys(every))

    def count(self, cells: Mapping[Spot, Cell], paired: bool = True) -> Count:
        """Count in what was measured."""
        told = [holds for *_, holds in self._compared(cells, paired)]
        return Count(sum(told), len(told), len(self.pairs) - len(told))

    def basis(self, cells: Mapping[Spot, Cell], paired: bool = True) -> Basis:
        """Return the cells and splits that ``count`` rests on."""
        used: set[Spot] = set()
        splits: list[int] = []
        for pair, a, b, _ in self._compared(cells, paired):
            used.update(spot for amount in pair for spot in amount.spots)
            if paired or self.how == ABOVE:
                splits.append(len(a.values.keys() & b.values.keys()))
            else:
                splits += [len(a.values), len(b.values)]
        return Basis(len(used), len(self.spots), tuple(splits))

    def _compared(
        self, cells: Mapping[Spot, Cell], paired: bool
    ) -> Iterator[tuple[Pair, Cell, Cell, bool]]:
        """Yield the comparisons that can be made, and whether each is as claimed."""
        for pair in self.pairs:
            if all(_in(amount, cells) for amount in pair):
                a, b = (amount.measured(cells) for amount in pair)
                holds = self._holds(a, b, paired)
                if holds is not None:
                    yield pair, a, b, holds

    def count_published(self) -> Count | None:
        """Count in the published figures; None where they cannot tell."""
        if self.how != ABOVE:
            return self.printed
        values = [(a.published(), b.published()) for a, b in self.pairs]
        told = [a > b for a, b in values if a is not None and b is not None]
        return Count(sum(told), len(told), len(values) - len(told)) if told else None

    def verdict(self, found: Count) -> str:
        """Tell whether it holds here: as often as in the paper, in part, or not.

        In part is in more than half of the comparisons, and in fewer than the paper
        says; where its tables cannot tell, it says all.
        """
        if not found.of:
            return UNKNOWN
        share = found.true / found.of
        if self.denied:
            return HOLDS if share < 1 else FAILS
        printed = self.count_published()
        needed = printed.true / printed.of if printed else 1.0
        if (share > 0.5) if self.most else (share >= needed):
            return HOLDS
        return IN_PART if share > 0.5 else FAILS

    def _holds(self, a: Cell, b: Cell, paired: bool) -> bool | None:
        if self.how == ABOVE:
            return _above(a, b)
        verdict = compared(a, b, paired)
        return {"": None}.get(verdict, verdict == self._wanted())

    def _wanted(self) -> str:
        return "win" if self.how == SIGNIFICANT else "tie"


def _in(amount: Amount, cells: Mapping[Spot, Cell]) -> bool:
    return all(spot in cells for spot in amount.spots)


def _above(a: Cell, b: Cell) -> bool | None:
    """Compare means on the splits that both have."""
    shared = a.values.keys() & b.values.keys()
    if not shared:
        return None
    gaps = [a.values[split] - b.values[split] for split in shared]
    return bool(np.mean(gaps) > 1e-12)


def pairs(better: Iterable[Spot], worse: Iterable[Spot]) -> tuple[Pair, ...]:
    """Pair cells up, one by one."""
    return tuple((Amount(a), Amount(b)) for a, b in zip(better, worse, strict=True))
