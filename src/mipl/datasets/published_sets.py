"""The data sets of the paper's evaluation, and what each is here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mipl.datasets.entries import CATALOG

# What sets a data set apart from the authors' files.
REBUILT, RAW, STAND_IN, PART = "rebuilt", "raw features", "stand-in", "part"
OWN, YOURS = "our own", "no set of the paper"
MEANING = {
    REBUILT: "rebuilt by the published recipe, other bags than the authors'",
    RAW: "made of the raw features of the published set",
    STAND_IN: "a stand-in of five other tissue classes, smaller tiles and simulated "
    "annotators: the published figures are orientation only",
    OWN: "small pictures that come with this library; nothing was published",
    PART: "its 10,000 test images alone, split 7:3",
    YOURS: "no data set of the paper; nothing was published",
}


@dataclass(frozen=True)
class PublishedSet:
    """A data set as the tables name it, and how to load it.

    Attributes
    ----------
    id : str
        As in the published figures.
    title : str
        The paper's.
    name : str
        In the catalog.
    options : mapping
        For ``load_dataset``.
    counts : tuple of int
        The numbers of false labels it is used with; empty where its candidates are
        its own.
    here : str
        What sets it apart from the authors' files: a key of ``MEANING``.
    """

    id: str
    title: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    counts: tuple[int, ...] = ()
    here: str = REBUILT


def own_sources(
    names: Iterable[str], counts: tuple[int, ...] | None = None
) -> tuple[PublishedSet, ...]:
    """Return those of some data sets that are none of the paper: names, or files.

    Examples
    --------
    >>> [one.title for one in own_sources(["sival-mipl", "synthetic", "my/trees.csv"])]
    ['synthetic', 'trees']
    """
    known = {*SOURCES, *(one.name for one in SOURCES.values())}
    return tuple(
        PublishedSet(
            name,
            name if name in CATALOG else Path(name).name.partition(".")[0],
            name,
            counts=(counts or (1,)) if name in CATALOG else (),
            here=YOURS,
        )
        for name in names
        if name not in known
    )


def _tissue(end: str, title: str, **options: Any) -> PublishedSet:
    return PublishedSet(f"crc-mipl-{end}", title, "crc-mipl", options, here=STAND_IN)


def _flipped(q: float) -> PublishedSet:
    options = {"generator": "flip", "q": q}
    return PublishedSet(f"kmnist-q{q}", f"q={q}", "kmnist", options, here=PART)


R = (1, 2, 3)
MNIST = PublishedSet("mnist-mipl", "MNIST-MIPL", "mnist-mipl", counts=R)
FMNIST = PublishedSet("fmnist-mipl", "FMNIST-MIPL", "fmnist-mipl", counts=R)
BIRDSONG = PublishedSet("birdsong-mipl", "Birdsong-MIPL", "birdsong-mipl", counts=R)
SIVAL = PublishedSet("sival-mipl", "SIVAL-MIPL", "sival-mipl", counts=R, here=RAW)
BENCHMARKS = (MNIST, FMNIST, BIRDSONG, SIVAL)
ROW = _tissue("row", "C-Row", generator="row")
SBN = _tissue("sbn", "C-SBN", generator="sbn")
KMEANS = _tissue("kmeansseg", "C-KMeans", generator="kmeansseg")
SIFT = _tissue("sift", "C-SIFT", generator="sift")
TISSUE = (ROW, SBN, KMEANS, SIFT)
DEEP_16 = _tissue("r34-16", "C-R34-16", generator="deep", patches=16)
DEEP_25 = _tissue("r34-25", "C-R34-25", generator="deep", patches=25)
DEEP = (DEEP_16, DEEP_25)
DIGITS = PublishedSet("digits-mipl", "Digits-MIPL", "digits-mipl", counts=R, here=OWN)
KMNIST = tuple(_flipped(q) for q in (0.1, 0.3, 0.5, 0.7, 0.9))
SOURCES = {one.id: one for one in (*BENCHMARKS, DIGITS, *TISSUE, *DEEP, *KMNIST)}
