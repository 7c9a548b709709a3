"""The multi-instance methods, each with its published settings where there are any.

    python -m tools.multi_instance classical --data musk1 elephant
    python -m tools.multi_instance best-epoch --data fox --method loss-attention
    python -m tools.multi_instance columns --data sival-mipl
    python -m tools.multi_instance one-vs-rest --method abmil --epochs 20
    python -m tools.multi_instance true-labels

``classical``: the five two-class sets, ten stratified folds that the seed shuffles, two
seeds. ``best-epoch``: the same folds of the first seed, with the accuracy after the
epoch that is best on the test bags, which some programs report; it is no accuracy that
one can have. ``columns``: bags of a MIPL data set with one false label, ten splits,
with an output per class; the Gaussian processes, which have a learner per class anyway,
also with the paper's third rule by the letter. ``one-vs-rest``: the networks with a
learner per class, one split. ``true-labels``: MAAM beside both forms of attention on
images with their true labels, two splits. What stands in a store is not computed again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mipl.methods.catalogue.registry import has_published, methods
from mipl.runs.run import Run
from tools.study import in_folds, study

CLASSICAL = ("musk1", "musk2", "fox", "tiger", "elephant")
IMAGES = ("mnist-mipl", "fmnist-mipl")
TRUE_LABELS = ("maam", "abmil", "abmil-gated")
TWO_CLASS = ("vwsgp", "vgpmil", "lm-vgpmil")  # Their ids build one-vs-rest.
BY_THE_LETTER = {"all_negative": "lowest_score"}
ALONE = {"one_vs_rest": False}  # For two classes, as they were published.
FEW = {"mivae": 3, **dict.fromkeys(IMAGES, 1)}  # Splits where ten take too long.

# Accuracy and standard deviation over ten folds, five times: Loss-Attention's table.
PUBLISHED = {
    "abmil": (".892 .090", ".858 .106", ".615 .096", ".839 .054", ".868 .054"),
    "abmil-gated": (".900 .088", ".863 .094", ".603 .068", ".845 .046", ".857 .064"),
    "loss-attention": (".917 .066", ".911 .063", ".712 .074", ".897 .065", ".900 .069"),
}


def classical() -> list[Run]:
    """Return the runs on the classical two-class sets."""
    return [
        run
        for data in CLASSICAL
        for seed in range(2)
        for id in registered()
        for given in ([{}, ALONE] if id in TWO_CLASS else [{}])
        for run in _runs(id, data, 0, range(10), given, in_folds(10, seed), seed)
    ]


def best_epoch() -> list[Run]:
    """Return the runs that look at the test bags after every epoch."""
    curve = {"test_curve": True}
    return [
        run
        for data in CLASSICAL
        for id in PUBLISHED
        for run in _runs(id, data, 0, range(10), curve, in_folds(10))
    ]


def columns() -> list[Run]:
    """Return the runs on candidate sets, a bag repeated once per candidate."""
    return [
        run
        for data in ("sival-mipl", "birdsong-mipl", *IMAGES)
        for id in registered()
        for given in ([{}, BY_THE_LETTER] if id in TWO_CLASS else [{}])
        for run in _runs(id, data, 1, range(_splits(id, data)), given)
    ]


def one_vs_rest() -> list[Run]:
    """Return the runs with a network per class."""
    return [
        run
        for data in ("sival-mipl", "birdsong-mipl")
        for id in registered()
        if id not in TWO_CLASS
        for run in _runs(id, data, 1, range(1), {"one_vs_rest": True})
    ]


def true_labels() -> list[Run]:
    """Return the runs on images with their true labels."""
    return [
        run
        for data in IMAGES
        for id in TRUE_LABELS
        for run in _runs(id, data, 0, range(2))
    ]


def registered() -> list[str]:
    """Return the ids of all multi-instance methods."""
    return [row.id for row in methods() if row.family == "mil"]


def _splits(id: str, data: str) -> int:
    return min(FEW.get(one, 10) for one in (id, data))


def _runs(
    id: str,
    data: str,
    r: int,
    splits: Iterable[int],
    given: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    seed: int = 0,
) -> list[Run]:
    """Return the runs of one cell, with its authors' settings if they gave any."""
    arguments = dict(given or {})
    if has_published(id, data, r):
        arguments["published"] = True
    return [Run(id, data, arguments, options or {}, r, split, seed) for split in splits]


STUDIES = {
    "classical": classical,
    "best-epoch": best_epoch,
    "columns": columns,
    "one-vs-rest": one_vs_rest,
    "true-labels": true_labels,
}

if __name__ == "__main__":
    study(__doc__, STUDIES)
