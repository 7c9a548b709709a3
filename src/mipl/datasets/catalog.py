"""Loading a data set by its name."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.answered_sets import answered_by_truth
from mipl.data.dataset import Dataset
from mipl.data.splits import DEFAULT_SPLITS, cross_validation
from mipl.datasets.entries import CATALOG
from mipl.datasets.request import Request
from mipl.errors import MiplError, unknown


def load_dataset(
    name: str,
    r: int = 1,
    seed: int = 0,
    *,
    raw: str | Path | None = None,
    within: int | None = None,
    folds: int | None = None,
    answered: Sequence[int] | None = None,
    **options: Any,
) -> Dataset:
    """Load a data set of the catalog by name.

    Parameters
    ----------
    name : str
        A name of ``CATALOG``.
    r : int
        False labels per bag; 0 gives the true labels. Sets that come with labels of
        their own (families "pll" and "mil") take no other than 0 and 1.
    seed : int
        Governs bags, where they are drawn, false labels and folds: the same seed gives
        the same bits. One seed gives the same bags for every r.
    raw : path, optional
        A folder searched for raw files before ``MIPL_DATA`` and the user's data
        directory.
    within : int, optional
        Only the training bags of that one of the ten splits, so that whatever is chosen
        by them has seen no test bag; their own splits are made of them.
    folds : int, optional
        Cross-validation by so many folds in the place of the ten 7:3 splits; by class
        where every bag has one label.
    answered : sequence of int, optional
        Numbers of bags whose candidate set is their true label alone, as if a person
        who knows it had answered; splits stay as they are without.
    **options
        Options of that set: knobs of "synthetic"; ``disjoint`` and ``fold`` of
        "birdsong-mipl"; ``generator``, ``q`` and ``Q`` of "kmnist" and "fmnist", and
        ``images`` of the latter; ``generator``, ``images``, ``labels``, ``patches``,
        ``size`` and ``per_class`` of "crc-mipl".

    Examples
    --------
    >>> data = load_dataset("digits-mipl", r=2)
    >>> len(data), data.classes.tolist(), data.candidates.sizes.max()
    (250, [0, 2, 4, 6, 8], np.int64(3))
    """
    if not isinstance(name, str) or name not in CATALOG:
        raise unknown("data set", name, CATALOG)
    for what, value in (("r", r), ("seed", seed)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < 0:
            raise MiplError(f"{what} must be a whole number >= 0; got {value!r}.")
    if raw is not None and not Path(raw).is_dir():
        raise MiplError(f"the folder of raw files {raw} does not exist.")
    entry = CATALOG[name]
    known = entry.options()
    for option in options:
        if not known:
            raise MiplError(f"{name} takes no options; got {option!r}.")
        if option not in known:
            raise unknown(f"option of {name}", option, known)
    data = entry.load()(Request(name, int(r), int(seed), raw), **options)
    if within is not None:
        data = _training_bags(data, within)
    if folds is not None:
        data = _in_folds(data, name, folds, int(seed))
    if answered is not None:
        facts = {**data.facts, "answered": len(answered)}
        data = replace(answered_by_truth(data, answered), facts=facts)
    return replace(
        data,
        name=name,
        licence=entry.licence,
        source=entry.source,
        facts={"seed": int(seed), **data.facts},
    )


def _training_bags(data: Dataset, split: int) -> Dataset:
    splits = data.folds()
    whole = isinstance(split, int | np.integer) and not isinstance(split, bool)
    if not whole or not 0 <= split < len(splits):
        raise MiplError(
            f"within must be a split from 0 to {len(splits) - 1}; got {split!r}."
        )
    facts = {**data.facts, "within": int(split)}
    return replace(data[splits[split].train], facts=facts)


def _in_folds(data: Dataset, name: str, n_folds: int, seed: int) -> Dataset:
    if data.splits or data.groups is not None:
        raise MiplError(
            f"{name} has splits or groups of its own with these options, which folds "
            f"would tear; leave folds={n_folds!r} out."
        )
    folds = cross_validation(data.candidates, n_folds, seed)
    facts = {**data.facts, "folds": len(folds)}
    return replace(data, splits={DEFAULT_SPLITS: folds}, facts=facts)
