"""How far annotators agree, beyond chance: all together, in pairs, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError
from scipy.sparse import coo_array, csr_array, triu

from mipl.data.crowd import Votes

AGREEMENT = "agreement"  # The fact under which a data set keeps it.
_MOST_PAIRS = 45  # All pairs of ten annotators; a crowd has too many.
_MOST_TOLD = 5

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TwoAnnotators:
    """Two annotators on the bags that both gave one label.

    Attributes
    ----------
    bags, alike : int
        How many such bags there are, and how many have the same label.
    kappa : float or None
        Cohen's; None where chance alone would agree on all of them.
    """

    first: str
    second: str
    bags: int
    alike: int
    kappa: float | None


@dataclass(frozen=True)
class Confusion:
    """Two classes, and how often two annotators of a bag gave one each."""

    first: str
    second: str
    votes: int


@dataclass(frozen=True)
class Agreement:
    """What votes tell of the annotators; a vote for several labels is undecided.

    Undecided votes count in no figure of agreement.

    Attributes
    ----------
    annotators : tuple of str
    votes, undecided, missing : int
        Annotations (an annotator and a bag) for one label, for several, and those
        that are not there.
    alpha : float or None
        Krippendorff's, for names: 1 is full agreement, 0 is chance; None where no bag
        has two votes, or all votes are of one class.
    pairs : tuple of TwoAnnotators
        Those that share most bags, the least agreement first.
    confusions : tuple of Confusion
        The classes confused most often first.
    """

    annotators: tuple[str, ...]
    votes: int
    undecided: int
    missing: int
    alpha: float | None
    pairs: tuple[TwoAnnotators, ...]
    confusions: tuple[Confusion, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)

    @classmethod
    def of_fact(cls, value: Any) -> Agreement | None:
        """Read what ``as_dict`` gave; None for what a file may hold in its place."""
        try:
            return TypeAdapter(cls).validate_python(value)
        except ValidationError:
            return None

    def lines(self) -> dict[str, str]:
        """Return it in words, by what each line is about."""
        alpha = "not defined" if self.alpha is None else f"{self.alpha:.2f}"
        pairs = (
            f"{p.first} + {p.second} ({p.alike:,} of {p.bags:,} bags alike, "
            f"kappa {'not defined' if p.kappa is None else f'{p.kappa:.2f}'})"
            for p in self.pairs[:_MOST_TOLD]
        )
        return {
            "annotators": f"{len(self.annotators):,}: {self.votes:,} votes, "
            f"{self.undecided:,} undecided, {self.missing:,} missing",
            "Krippendorff's alpha": alpha,
            "annotators who differ most": ", ".join(pairs),
            "classes confused": ", ".join(
                f"{c.first} / {c.second} ({c.votes:,} pairs of votes)"
                for c in self.confusions[:_MOST_TOLD]
            ),
        }


def agreement(votes: Votes, annotators: Sequence[str]) -> Agreement:
    """Measure how far the annotators agree.

    Examples
    --------
    >>> votes = Votes(bag=[0, 0, 1, 1, 2, 2], annotator=[0, 1] * 3,
    ...               column=[0, 0, 1, 1, 0, 1], classes=["elm", "oak"])
    >>> found = agreement(votes, ["ann", "bob"])
    >>> round(found.alpha, 3), found.pairs[0].alike, found.confusions[0].votes
    (0.444, 2, 1)
    """
    names = [str(name) for name in annotators]
    classes = [str(name) for name in votes.classes.tolist()]
    single, undecided = _single_votes(votes)
    counts = _counts(single, int(votes.n_bags or 0), len(classes))
    apart = np.triu(counts.T @ counts, k=1).astype(np.int64)  # (k, k)
    confused = sorted(zip(-apart[apart > 0], *np.nonzero(apart), strict=True))
    n_given = single.shape[1] + undecided
    return Agreement(
        annotators=tuple(names),
        votes=single.shape[1],
        undecided=undecided,
        missing=len(counts) * len(names) - n_given,
        alpha=krippendorff_alpha(counts),
        pairs=_pairs(single, names),
        confusions=tuple(
            Confusion(classes[a], classes[b], int(-n)) for n, a, b in confused
        ),
    )


def krippendorff_alpha(counts: Floats) -> float | None:
    """Return Krippendorff's alpha of names from the votes per bag and class, (m, k).

    Examples
    --------
    >>> krippendorff_alpha(np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 0.0]]))
    1.0
    """
    counts = counts[counts.sum(axis=1) > 1]  # A vote alone is paired with none.
    size, per_class = counts.sum(axis=1), counts.sum(axis=0)
    n = per_class.sum()
    by_chance = n * n - (per_class * per_class).sum()
    if not by_chance:
        return None
    differing = (size * size - (counts * counts).sum(axis=1)) / (size - 1)
    return float(1 - (n - 1) * differing.sum() / by_chance)


def _single_votes(votes: Votes) -> tuple[Ints, int]:
    """Return bag, annotator and class of the votes for one class, (3, v).

    Also how many annotations are undecided.
    """
    triples = np.unique(np.stack([votes.bag, votes.annotator, votes.column]), axis=1)
    _, first, labels = np.unique(
        triples[:2], axis=1, return_index=True, return_counts=True
    )
    return triples[:, first[labels == 1]], int((labels > 1).sum())


def _counts(single: Ints, n_bags: int, n_classes: int) -> Floats:
    counts = np.zeros((n_bags, n_classes))
    np.add.at(counts, (single[0], single[2]), 1)
    return counts  # (m, k)


def _pairs(single: Ints, names: Sequence[str]) -> tuple[TwoAnnotators, ...]:
    bag, who, _ = single
    shape = (int(bag.max(initial=-1)) + 1, len(names))
    gave = csr_array((np.ones(len(bag), np.int64), (bag, who)), shape=shape)
    shared = coo_array(triu(gave.T @ gave, k=1))  # (a, a), the bags of both
    order = np.argsort(-shared.data, kind="stable")[:_MOST_PAIRS]
    found = []
    for a, b in zip(shared.row[order], shared.col[order], strict=True):
        (bags_a, of_a), (bags_b, of_b) = (single[::2, who == i] for i in (a, b))
        _, in_a, in_b = np.intersect1d(bags_a, bags_b, return_indices=True)
        found.append(_two(names[a], names[b], of_a[in_a], of_b[in_b]))
    return tuple(sorted(found, key=lambda p: 1.0 if p.kappa is None else p.kappa))


def _two(first: str, second: str, one: Ints, other: Ints) -> TwoAnnotators:
    alike = int((one == other).sum())
    k = int(max(one.max(), other.max())) + 1
    shares = (np.bincount(labels, minlength=k) / len(one) for labels in (one, other))
    by_chance = float(np.prod(list(shares), axis=0).sum())
    kappa = None
    if len(np.unique([one, other])) > 1:  # Else chance alone agrees on all.
        kappa = (alike / len(one) - by_chance) / (1 - by_chance)
    return TwoAnnotators(first, second, len(one), alike, kappa)
