"""birdsong-mipl, rebuilt from the HJA recordings by the published recipe.

The law of the bag sizes is not published: here 25 plus an exponential variable, which
fits the published ends and mean, and the average share of positives that they give.
"""

from dataclasses import replace

import numpy as np

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.data.splits import DEFAULT_SPLITS, Split, ten_splits
from mipl.datasets.published_table import RECORDS
from mipl.datasets.recipe import (
    Numbers,
    compose,
    offsets_of,
    rounded,
    sizes_with_total,
)
from mipl.datasets.request import Request, check_classes
from mipl.errors import MiplError

_FILE = "hja_birdsong_miml.npz"
_RECORD = RECORDS["birdsong-mipl"]
_BAG_PER_POSITIVE = 12
_SCALE = 14.07  # Cut off at the largest bag, this has the published mean.
_TRAIN_SHARE = 0.7
_NEGATIVE = "none"


def build(
    request: Request, *, disjoint: bool = False, fold: int | None = None
) -> Dataset:
    """Build 1300 bags of 13 species; instances recur across bags as in the original.

    Parameters
    ----------
    disjoint : bool
        Divide the instances 7:3 first, and build the training and the test bags of
        ``fold`` from their own side, so that no test instance is seen in training.
    fold : int, 0 to 9
        The fold to build, with ``disjoint=True`` only; it is the set's one split.
    """
    x, species, names = request.arrays(_FILE, X=2, instance_labels=1, class_names=1)
    check_classes(species, len(x), -1, len(names), _FILE)
    labels = np.repeat(np.arange(len(names)), _RECORD.bags // len(names))  # (m,)
    sizes = _sizes(request)
    folds = _folds(labels, disjoint, fold)
    if disjoint:
        rows = _rows_of_sides(request, species, labels, sizes, folds[0], fold)
    else:
        rows = _rows(species, labels, sizes, request.rng("bags"))
    offsets = offsets_of(sizes)
    instance_names = np.append(names, _NEGATIVE)  # The source marks negatives with -1.
    bags = Bags(x[rows], offsets, instance_labels=instance_names[species[rows]])
    owner = bags.bag_of_instance
    data = request.labelled(
        bags,
        names[labels],
        names,
        recipe="13 species, negatives from what is no species; instances recur across "
        "bags, as in the original",
        **({"disjoint_fold": fold} if disjoint else {}),
        test_instances_seen_in_training=[_seen(rows, owner, split) for split in folds],
    )
    return replace(data, splits={DEFAULT_SPLITS: folds}) if disjoint else data


def _folds(labels: Array, disjoint: bool, fold: int | None) -> tuple[Split, ...]:
    if not isinstance(disjoint, bool):
        raise MiplError(f"disjoint must be True or False; got {disjoint!r}.")
    folds = ten_splits(labels)
    if not disjoint and fold is None:
        return folds
    if not disjoint:
        raise MiplError("fold goes with disjoint=True only; use split(fold) otherwise.")
    if isinstance(fold, bool) or not isinstance(fold, (int, np.integer)):
        raise MiplError(f"disjoint=True needs a fold from 0 to 9; got {fold!r}.")
    if not 0 <= fold < len(folds):
        raise MiplError(f"fold must be 0 to {len(folds) - 1}; got {fold}.")
    return (folds[fold],)


def _sizes(request: Request) -> Numbers:
    above = np.arange(_RECORD.largest - _RECORD.smallest + 1)
    return sizes_with_total(
        np.exp(-above / _SCALE),
        _RECORD.smallest,
        _RECORD.bags,
        _RECORD.instances,
        request.rng("sizes"),
    )


def _rows(
    species: Array,
    labels: Array,
    sizes: Numbers,
    rng: np.random.Generator,
    among: Array | None = None,
) -> Numbers:
    """Choose the source rows of bags, where told only ``among`` some of them."""
    among = np.arange(len(species)) if among is None else among
    return compose(
        {c: among[species[among] == c] for c in np.unique(labels)},
        among[species[among] < 0],
        labels,
        sizes,
        rounded(sizes / _BAG_PER_POSITIVE),
        rng,
        once=(False, False),
    )


def _rows_of_sides(
    request: Request,
    species: Array,
    labels: Array,
    sizes: Numbers,
    split: Split,
    fold: int | None,
) -> Numbers:
    """Divide the source rows of every species 7:3, then fill each side's bags."""
    rng = request.rng("disjoint", fold or 0)
    side = ten_splits(
        species, n_splits=1, train_share=_TRAIN_SHARE, seed=int(rng.integers(2**31))
    )[0]
    rows = np.empty(int(sizes.sum()), dtype=np.int64)
    for mine, among in ((split.train, side.train), (split.test, side.test)):
        owned = np.repeat(np.isin(np.arange(len(sizes)), mine), sizes)
        rows[owned] = _rows(species, labels[mine], sizes[mine], rng, among)
    return rows


def _seen(rows: Numbers, owner: Numbers, split: Split) -> float:
    """Return the share of the test instances that a training bag holds too."""
    test, train = (rows[np.isin(owner, bags)] for bags in (split.test, split.train))
    return round(float(np.isin(test, train).mean()), 4)
