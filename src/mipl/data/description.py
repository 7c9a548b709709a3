"""The words for a data set: figures of the published table, and a little more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mipl.data.agreement import AGREEMENT, Agreement
from mipl.data.frozen import Array

_BAR = 40
_MOST_NAMES = 12
_WIDEST_FACT = 160
SEEN = "test_instances_seen_in_training"  # A fact: one share per fold.


@dataclass(frozen=True)
class Spread:
    """The least, the mean and the largest of some numbers."""

    least: float
    mean: float
    most: float

    @classmethod
    def of(cls, values: Array) -> Spread:
        """Take them from an array."""
        return cls(values.min().item(), float(values.mean()), values.max().item())


@dataclass(frozen=True)
class Pair:
    """Two labels and the number of bags in which they are candidates together."""

    first: str | int
    second: str | int
    bags: int


@dataclass(frozen=True)
class Bin:
    """The number of bags that have ``least`` to ``most`` instances."""

    least: int
    most: int
    bags: int


@dataclass(frozen=True)
class Description:
    """What ``describe`` returns; ``print`` it, or take ``as_dict()`` for JSON.

    Attributes
    ----------
    positives_per_bag : Spread or None
        Share of the instances of a bag that belong to its true class, where the
        true labels and the instance labels are known.
    candidate_sizes : tuple of (size, number of bags)
    frequent_pairs : tuple of Pair
        Where the true labels are known ``first`` is the true label and ``second`` a
        false one; otherwise any two labels that come together.
    seen_in_training : Spread or None
        Share of the test instances that training bags hold, too, over the folds,
        where instances recur across bags and the facts tell it.
    agreement : Agreement or None
        How far the annotators agree, where the candidates were made of votes.
    facts : mapping
        How the data came to be and what is known to be missing.
    """

    name: str
    licence: str
    source: str
    bags: int
    instances: int
    instances_per_bag: Spread
    features: int
    classes: tuple[str | int, ...]
    candidates_per_bag: Spread
    candidate_sizes: tuple[tuple[int, int], ...]
    positives_per_bag: Spread | None
    bags_per_class: tuple[int, ...] | None
    frequent_pairs: tuple[Pair, ...]
    size_histogram: tuple[Bin, ...]
    weighted: bool
    groups: int | None
    bags_per_group: Spread | None
    splits: Mapping[str, int]
    on_disk: bool
    seen_in_training: Spread | None
    agreement: Agreement | None
    facts: Mapping[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {**asdict(self), "splits": dict(self.splits), "facts": dict(self.facts)}

    def columns(self) -> dict[str, str]:
        """Return the columns of the published table of data sets, as text."""
        n, s = self.instances_per_bag, self.candidates_per_bag
        p = self.positives_per_bag
        return {
            "bags": f"{self.bags:,}",
            "instances": f"{self.instances:,}",
            "n min-max (avg)": f"{n.least}-{n.most} ({n.mean:.2f})",
            "d": f"{self.features:,}",
            "k": f"{len(self.classes)}",
            "candidates min/avg/max": f"{s.least} / {s.mean:.2f} / {s.most}",
            "positives min/max/avg": "unknown"
            if p is None
            else f"{p.least:.1%} / {p.most:.1%} / {p.mean:.1%}",
        }

    def details(self) -> dict[str, str]:
        """Return what the published table has no column for, as text."""
        rows = {
            "classes": _listed(self.classes),
            "bags per class": ""
            if self.bags_per_class is None
            else _span(self.bags_per_class),
            "candidate set sizes": ", ".join(
                f"{size} in {bags:,} bags" for size, bags in self.candidate_sizes
            ),
            self._pairs_title(): ", ".join(
                f"{p.first} + {p.second} ({p.bags:,})" for p in self.frequent_pairs
            ),
            "label weights": "given with the candidates" if self.weighted else "",
            "groups": self._groups(),
            "stored splits": ", ".join(
                f"{name} ({folds} folds)" for name, folds in self.splits.items()
            ),
            "instances are": "read from disk as needed" if self.on_disk else "",
            "test instances seen in training": ""
            if self.seen_in_training is None
            else _shares(self.seen_in_training),
            **({} if self.agreement is None else self.agreement.lines()),
            "licence": self.licence,
            "source": self.source,
        }
        facts = {
            key.replace("_", " "): _fact(value)
            for key, value in self.facts.items()
            if key != SEEN and (key != AGREEMENT or self.agreement is None)
        }
        return {key: value for key, value in (rows | facts).items() if value}

    def histogram(self) -> list[str]:
        """Return one line of text per bin of bag sizes."""
        spans = [
            str(b.least) if b.least == b.most else f"{b.least}-{b.most}"
            for b in self.size_histogram
        ]
        wide, tallest = max(map(len, spans)), max(b.bags for b in self.size_histogram)
        return [
            f"{span:>{wide}}  {_bar(b.bags, tallest):<{_BAR}}  {b.bags:,}"
            for span, b in zip(spans, self.size_histogram, strict=True)
        ]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        rows = self.columns() | self.details()
        wide = max(map(len, rows))
        yield self.name
        yield from (f"  {key:<{wide}}  {value}" for key, value in rows.items())
        yield "  instances per bag:"
        yield from (f"    {line}" for line in self.histogram())

    def _groups(self) -> str:
        if self.bags_per_group is None:
            return "none, so splits may part any two bags"
        least, most = self.bags_per_group.least, self.bags_per_group.most
        span = f"{least:,}" if least == most else f"{least:,}-{most:,}"
        return f"{self.groups:,}, of {span} bags each; seeded splits keep them whole"

    def _pairs_title(self) -> str:
        known = self.bags_per_class is not None
        return f"frequent {'true + false labels' if known else 'pairs of labels'}"


def _bar(bags: int, tallest: int) -> str:
    """Return a bar as long as the share; what is not empty is seen."""
    return "█" * max(round(_BAR * bags / tallest), int(bags > 0))


def _listed(names: tuple[str | int, ...]) -> str:
    shown = ", ".join(map(str, names[:_MOST_NAMES]))
    return shown if len(names) <= _MOST_NAMES else f"{shown}, ... ({len(names)})"


def _span(counts: tuple[int, ...]) -> str:
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,}-{most:,}"


def _shares(spread: Spread) -> str:
    return f"{spread.least:.1%} to {spread.most:.1%} over the folds"


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{key} {entry}" for key, entry in value.items())
    elif isinstance(value, (list, tuple)):
        nested = any(isinstance(entry, (list, tuple)) for entry in value)
        value = f"{len(value)} lists" if nested else ", ".join(map(str, value))
    text = str(value)
    return text if len(text) <= _WIDEST_FACT else f"{text[:_WIDEST_FACT]}..."
