"""Labels of instances that are tied by the label of their bag."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, log_expit, logit

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FARTHEST = 100.0  # Of a logit: finite, and surer than any number between 0 and 1.


@dataclass(frozen=True, eq=False)
class BagCopies:
    """Bags that are repeated, each time with one of two labels.

    Instances are those of the copies, one bag after another; ``row`` tells which of the
    bags' own N instances each is.

    Examples
    --------
    >>> both = BagCopies.of(np.array([2, 1]), np.array([[1, 1], [0, 1]]))
    >>> both.row.tolist(), both.positive.tolist()
    ([0, 1, 0, 1, 2], [False, False, True, True, True])
    """

    row: Integers  # (n,)
    bag: Integers  # (n,) number of the copy
    offsets: Integers  # (copies + 1,)
    positive: npt.NDArray[np.bool_]  # (n,)

    @classmethod
    def of(cls, sizes: Integers, copies: Integers) -> BagCopies:
        """Build from bag sizes, (m,), and numbers of negative and positive copies."""
        which = np.repeat(np.repeat(np.arange(len(sizes)), 2), copies.ravel())
        labels = np.repeat(np.tile([False, True], len(sizes)), copies.ravel())
        n = sizes[which]
        offsets = np.concatenate([[0], np.cumsum(n)])
        starts = (np.cumsum(sizes) - sizes)[which]
        row = np.repeat(starts - offsets[:-1], n) + np.arange(offsets[-1])
        bag = np.repeat(np.arange(len(which)), n)
        return cls(row, bag, offsets, labels[bag])

    @property
    def sizes(self) -> Integers:
        """Number of instances of each copy."""
        return np.diff(self.offsets)

    def gather(self, values: Floats, n_rows: int) -> Floats:
        """Add up what belongs to the same instance: (n,) -> (N,)."""
        total: Floats = np.bincount(self.row, values, n_rows).astype(np.float64)
        return total

    def at(self, position: int) -> Integers:
        """Return the instances at this place of the bags that have one."""
        return self.offsets[:-1][self.sizes > position] + position


class InstanceLabels:
    """Beliefs pi that instances are positive, given that one is in a positive bag.

    p(T | y) = H^G / (1 + H), where G tells whether the bag's label T is the largest
    label y of its instances. So an instance follows its own evidence, and its bag's
    label as far as no other instance is believed to be positive.

    Parameters
    ----------
    copies : BagCopies
    pi : (n,)
        Beliefs at first.
    log_h : float
        Logarithm of H.
    """

    def __init__(self, copies: BagCopies, pi: Floats, log_h: float) -> None:
        self.copies, self.log_h = copies, log_h
        self.logits = np.clip(logit(pi), -_FARTHEST, _FARTHEST)

    @property
    def pi(self) -> Floats:
        """The beliefs, (n,)."""
        found: Floats = expit(self.logits)
        return found

    def update(self, evidence: Floats, update: str, emax: str, damping: float) -> None:
        """Move the beliefs; ``evidence`` are the logits without the bags' labels.

        ``"parallel"`` moves all from the old ones, ``"sequential"`` the instances of a
        bag one after another; ``emax`` takes the largest other belief, or the
        ``"exact"`` probability that another instance is positive.
        """
        rule = _RULES[emax]
        if update == "parallel":
            new = self._answers(evidence, self.others(emax))
            self.logits = damping * self.logits + (1 - damping) * new
            return
        before = _after_each(self.copies, rule, self.logits)  # Of those still to move.
        known = np.zeros(len(self.copies.sizes))  # Of those that have moved, per bag.
        for position in range(int(self.copies.sizes.max())):
            here = self.copies.at(position)
            bags = self.copies.bag[here]
            others = rule.read(rule.join(known[bags], before[here]))
            new = self._answers(evidence, others, here)
            self.logits[here] = damping * self.logits[here] + (1 - damping) * new
            known[bags] = rule.join(known[bags], rule.term(self.logits[here]))

    def others(self, emax: str) -> Floats:
        """Return how surely another instance of the bag is positive, (n,)."""
        if emax == "max":
            return largest_other(self.pi, self.copies)
        terms = _RULES["exact"].term(self.logits)
        total = np.add.reduceat(terms, self.copies.offsets[:-1])
        return _RULES["exact"].read(total[self.copies.bag] - terms)

    def bound(self) -> float:
        """Return E log p(T | y) of all bags, and the entropy of the beliefs."""
        starts = self.copies.offsets[:-1]
        none = np.exp(np.add.reduceat(_RULES["exact"].term(self.logits), starts))
        right = np.where(self.copies.positive[starts], 1 - none, none)
        told = self.log_h * right - np.logaddexp(0, self.log_h)
        entropy = -log_expit(-self.logits) - self.pi * self.logits
        return float(told.sum() + entropy.sum())

    def _answers(
        self, evidence: Floats, others: Floats, here: Integers | slice = slice(None)
    ) -> Floats:
        sign = np.where(self.copies.positive[here], 1.0, -1.0)
        found = evidence[here] + sign * self.log_h * (1 - others)
        return np.clip(found, -_FARTHEST, _FARTHEST)


def largest_other(pi: Floats, copies: BagCopies) -> Floats:
    """Return the largest belief among the other instances of the bag; 0 without any.

    Examples
    --------
    >>> alone = BagCopies.of(np.array([3, 1]), np.array([[1, 0], [1, 0]]))
    >>> largest_other(np.array([0.2, 0.5, 0.1, 0.9]), alone).tolist()
    [0.5, 0.2, 0.5, 0.0]
    """
    starts, bag = copies.offsets[:-1], copies.bag
    top = np.maximum.reduceat(pi, starts)
    leads = pi == top[bag]
    tied = np.add.reduceat(leads.astype(np.int64), starts) > 1
    second = np.maximum.reduceat(np.where(leads, 0.0, pi), starts)
    runner_up = np.where(tied, top, second)
    return np.where(leads, runner_up[bag], top[bag])


@dataclass(frozen=True)
class _Rule:
    """How beliefs of several instances join to one number; zero stands for nobody."""

    term: Callable[[Floats], Floats]  # Of a logit
    join: Callable[[Floats, Floats], Floats]
    read: Callable[[Floats], Floats]


_RULES = {
    "max": _Rule(term=expit, join=np.maximum, read=np.array),
    # 1 - prod (1 - pi), by logarithms.
    "exact": _Rule(lambda logits: log_expit(-logits), np.add, lambda t: -np.expm1(t)),
}


def _after_each(copies: BagCopies, rule: _Rule, logits: Floats) -> Floats:
    """Join, for each instance, what its bag has after it, (n,)."""
    found = np.zeros(len(logits))
    terms = rule.term(logits)
    for position in range(int(copies.sizes.max()) - 1, 0, -1):
        here = copies.at(position)
        found[here - 1] = rule.join(found[here], terms[here])
    return found
