"""The queue: bags about which most is in doubt first, each with its reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.methods.bases.base import BagClassifier
from mipl.parameters.kinds import Integer
from mipl.review.answered_data import answered_bags
from mipl.review.signals import (
    CONTRADICTION,
    DISAGREEMENT,
    REASONS,
    UNRESOLVED,
    WIDTH,
    Rule,
    Signals,
)
from mipl.runs.trained_on import TrainedOn, choose_bags

_LEAST = 0.05  # Of a reason that is told.
_MOST_NAMED = 5
_MOST_OF_IT = 0.6  # Share of a candidate that stands out.


@dataclass(frozen=True)
class Reason:
    """One thing that makes a bag worth a look.

    Attributes
    ----------
    code : str
        "unresolved", "disagreement", "several classes" or "contradiction".
    value : float
        How strong it is, 0 to 1.
    sentence : str
    """

    code: str
    value: float
    sentence: str


@dataclass(frozen=True)
class Question:
    """A bag that a person is asked about.

    Attributes
    ----------
    number : int
        Of the bag in its data set.
    bag : str
        Its id, or its number where there are no ids: what an answer names.
    score : float
        0 to 1; those of a queue fall, unless its rule is spread over classes.
    reasons : tuple of Reason
        The strongest first; empty where nothing speaks for a look.
    candidates : tuple of class names
    predicted : class name
        The likeliest class, candidate or not.
    probability : float
        Its probability.
    likeliest : class name
        The likeliest candidate.
    weight : float
        Its share of the probability of all candidates.
    """

    number: int
    bag: str
    score: float
    reasons: tuple[Reason, ...]
    candidates: tuple[Any, ...]
    predicted: Any
    probability: float
    likeliest: Any
    weight: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return asdict(self)


def review_queue(
    model: BagClassifier,
    data: Dataset,
    n: int | None = None,
    *,
    among: Sequence[int] | npt.NDArray[np.int64] | None = None,
    rule: Rule | None = None,
    alpha: float = 0.1,
) -> list[Question]:
    """Return the bags about which a person may be asked, the most doubtful first.

    Bags that were answered before (see ``apply_answers``) are not asked again, nor are
    those with one candidate with which the model agrees.

    Parameters
    ----------
    model : fitted method
    data : Dataset
    n : int, optional
        At most so many; by default all for whose look something speaks.
    among : numbers of bags, optional
        Only these; ``bags_to_review`` has those that a run learns from.
    rule : Rule, optional
        How reasons make an order; the default was measured, docs/review.md.
    alpha : float
        Of the prediction sets, where the model is calibrated.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic", n_bags=60, overlap=0.3)
    >>> model = MIPLMA(training=Training(epochs=5), random_state=0)
    >>> queue = review_queue(model.fit(data.bags, data.candidates), data, 3)
    >>> len(queue), queue[0].score >= queue[1].score, queue[0].reasons[0].code
    (3, True, 'disagreement')
    """
    if n is not None:
        Integer(at_least=1).check("n", n)
    rule = Rule() if rule is None else rule
    signals = Signals.of(model, data, alpha)
    scores = rule.scores(signals)
    asked = np.zeros(len(data), dtype=bool)
    asked[np.arange(len(data)) if among is None else np.asarray(among)] = True
    asked[answered_bags(data)] = False
    asked &= scores > 0
    order = [bag for bag in rule.order(signals).tolist() if asked[bag]]
    wording = _Wording(signals, data, alpha, rule.weights)
    return [wording.question(bag, float(scores[bag])) for bag in order[:n]]


def bags_to_review(
    data: Dataset, trained: TrainedOn | None, everything: bool = False
) -> npt.NDArray[np.int64]:
    """Return the bags whose answers the next training can use, by number.

    Of a run on one split of this very data set they are its training bags; of other
    data, or with ``everything``, all.

    Examples
    --------
    >>> data = Dataset(np.arange(10.0)[:, None], [{0, 1}] * 10)
    >>> len(bags_to_review(data, TrainedOn.of(data, fold=3)))
    7
    """
    every = np.arange(len(data))
    if trained is None or trained.fold is None or everything:
        return every
    held_out = choose_bags(data, trained)
    if held_out.seen or len(held_out.numbers) == len(data):
        return every
    return np.setdiff1d(every, held_out.numbers)


def bag_key(data: Dataset, number: int) -> str:
    """Return what an answer calls a bag: its id, or its number where it has none."""
    ids = data.bags.bag_ids
    return str(number) if ids is None else str(ids[number])


@dataclass(frozen=True, eq=False)
class _Wording:
    """Puts into words what signals say of a bag."""

    signals: Signals
    data: Dataset
    alpha: float
    weights: Mapping[str, float]

    def question(self, bag: int, score: float) -> Question:
        """Return the question about a bag."""
        of, classes = self.signals, self.signals.classes
        best, inside = int(of.p[bag].argmax()), int(of.posterior[bag].argmax())
        return Question(
            number=bag,
            bag=bag_key(self.data, bag),
            score=score,
            reasons=self._reasons(bag),
            candidates=tuple(classes[of.candidates[bag]].tolist()),
            predicted=classes[best].item(),
            probability=float(of.p[bag, best]),
            likeliest=classes[inside].item(),
            weight=float(of.posterior[bag, inside]),
        )

    def _reasons(self, bag: int) -> tuple[Reason, ...]:
        values = {
            name: float(self.signals.values[name][bag])
            for name in REASONS
            if name in self.signals.values
        }
        told = [
            Reason(name, value, getattr(self, _SENTENCES[name])(bag))
            for name, value in values.items()
            if value >= _LEAST
        ]
        return tuple(sorted(told, key=self._share))

    def _share(self, reason: Reason) -> tuple[float, float]:
        share = self.weights.get(reason.code, 0.0) * reason.value
        return -share, -reason.value

    def unresolved(self, bag: int) -> str:
        of = self.signals
        first, second = np.argsort(-of.posterior[bag], kind="stable")[:2]
        one, other = (
            f"{of.classes[c]} ({of.posterior[bag, c]:.0%})" for c in (first, second)
        )
        n = int(of.candidates[bag].sum())
        if of.posterior[bag, first] >= _MOST_OF_IT:
            return f"of {n} candidates most speaks for {one}, something for {other}."
        return f"of {n} candidates none stands out: {one} or {other}."

    def disagreement(self, bag: int) -> str:
        of = self.signals
        best = int(of.p[bag].argmax())
        told = f"the model says {of.classes[best]} ({of.p[bag, best]:.0%})"
        if not of.candidates[bag, best]:
            return f"{told}, which is no candidate."
        given = self.data.candidates.weights
        outside = float(of.p[bag][~of.candidates[bag]].sum())
        if given is not None and outside < of.values[DISAGREEMENT][bag] - 1e-6:
            own = self.data.classes[given[bag].argmax()]
            share = given[bag].max()
            return f"{told}; most votes are for {own} ({share:.0%})."
        return f"{told}, and gives {outside:.0%} to classes that are no candidates."

    def several(self, bag: int) -> str:
        sets = self.signals.sets
        row = np.zeros(0, dtype=bool) if sets is None else sets[bag]
        n, promise = int(row.sum()), f"{1 - self.alpha:.4g}"
        if n == 0:
            return f"at a promise of {promise} no class fits this bag."
        names = _few(self.signals.classes[row])
        return f"a promise of {promise} needs {n} classes: {names}."

    def contradiction(self, bag: int) -> str:
        other = int(self.signals.whose[bag])
        theirs = _few(self.signals.classes[self.signals.candidates[other]])
        twin = bag_key(self.data, other)
        return f"bag {twin} is nearly the same, and its candidates are {theirs}."


_SENTENCES = {
    UNRESOLVED: "unresolved",
    DISAGREEMENT: "disagreement",
    WIDTH: "several",
    CONTRADICTION: "contradiction",
}


def _few(names: Array) -> str:
    told = ", ".join(str(name) for name in names[:_MOST_NAMED].tolist())
    return f"{told}, ..." if len(names) > _MOST_NAMED else told
