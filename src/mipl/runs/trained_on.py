"""Which bags a model has seen, so that it is not judged on them by mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from mipl.data.bags import Bags
from mipl.data.blocks import blocks
from mipl.data.dataset import Dataset


def fingerprints(bags: Bags) -> tuple[str, ...]:
    """Return a short hash of the instances of each bag.

    Examples
    --------
    >>> a, b, c = fingerprints(Bags([[[1.0], [2.0]], [[3.0]], [[1.0], [2.0]]]))
    >>> a == c, a == b
    (True, False)
    """
    prints = [sha256() for _ in range(len(bags))]
    for block in blocks(bags):
        for bag, rows in block.parts():
            prints[bag].update(np.ascontiguousarray(rows).tobytes())
    return tuple(found.hexdigest()[:16] for found in prints)


class TrainedOn(BaseModel):
    """What is kept of the bags a model has learnt from, calibration included.

    Attributes
    ----------
    whole : str
        Hash of the data set they were taken from, in its order.
    fold : int or None
        The fold whose training bags they are; None for all bags.
    bags : tuple of str
        Fingerprints.
    generator : dict or None
        Of pictures: what made these bags, with its settings.
    """

    model_config = ConfigDict(strict=False, extra="forbid", frozen=True)

    whole: str
    fold: int | None
    bags: tuple[str, ...]
    generator: dict[str, Any] | None = None

    @classmethod
    def of(cls, data: Dataset, fold: int | None) -> TrainedOn:
        """Remember the training bags of a fold, or all bags."""
        every = np.array(fingerprints(data.bags))
        chosen = every if fold is None else every[data.fold(fold).train]
        told = data.facts.get("generator")
        return cls(
            whole=_joined(every),
            fold=fold,
            bags=tuple(chosen.tolist()),
            generator=dict(told) if isinstance(told, Mapping) else None,
        )


@dataclass(frozen=True, eq=False)
class Chosen:
    """Bags to judge a model on.

    Attributes
    ----------
    numbers : (b,)
        Which bags of the data set.
    seen : int
        How many of them the model has learnt from.
    reason : str
        Why these.
    """

    numbers: npt.NDArray[np.int64]
    seen: int
    reason: str


def choose_bags(
    data: Dataset,
    trained: TrainedOn | None,
    fold: int | None = None,
    everything: bool = False,
) -> Chosen:
    """Choose the bags to judge a model on.

    Those asked for; otherwise the test bags of the fold it was trained on, where this
    is the same data; otherwise the bags it has not seen, if there are any.

    Examples
    --------
    >>> data = Dataset(np.arange(10.0)[:, None], [{0, 1}] * 10)
    >>> chosen = choose_bags(data, TrainedOn.of(data, fold=3))
    >>> len(chosen.numbers), chosen.seen, chosen.reason
    (3, 0, 'the test bags of split 3')
    """
    numbers = np.arange(len(data))
    if trained is None:
        if fold is None:
            return Chosen(numbers, 0, "all bags")
        return Chosen(data.fold(fold).test, 0, f"the test bags of split {fold}")
    every = np.array(fingerprints(data.bags))
    seen = np.isin(every, trained.bags)
    if fold is None and not everything and trained.whole == _joined(every):
        fold = trained.fold
    if fold is not None:
        numbers, reason = data.fold(fold).test, f"the test bags of split {fold}"
    elif everything or seen.all() or not seen.any():
        reason = "all bags"
    else:
        numbers, reason = numbers[~seen], "the bags that were not trained on"
    return Chosen(numbers, int(seen[numbers].sum()), reason)


def _joined(fingerprints: npt.NDArray[np.str_]) -> str:
    return sha256("".join(fingerprints.tolist()).encode()).hexdigest()
