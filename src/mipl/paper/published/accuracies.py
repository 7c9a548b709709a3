"""Published figures, read from the tables beside this file."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_HERE = files("mipl.paper.published")


class PublishedAccuracy(NamedTuple):
    """A published accuracy.

    Attributes
    ----------
    source : str
        Table of the MIPLMA paper ("table2", "tableA1"), or another paper.
    method, variant : str
        Registry id; backbone and reduction ("mlp maxmin", "mean"), or attention and
        contrast of CDL ("mam-cn"); "" where there is but one.
    data : str
        Id of a ``PublishedSet``.
    r : int or None
        False labels; None where the candidates are the data's own.
    mean, std : float
        Standard deviation with ddof 0, None where it was not reported.
    """

    source: str
    method: str
    variant: str
    data: str
    r: int | None
    mean: float
    std: float | None


class HighestAccuracy(NamedTuple):
    """The highest accuracy reported for a data set, and who reported it.

    ``mark`` says why it may not be compared with ours ("transductive"); "" if it may.
    """

    data: str
    r: int | None
    mean: float
    std: float | None
    method: str
    source: str
    mark: str


class PublishedWins(NamedTuple):
    """Wins, ties and losses of MIPLMA against a family ("mil", "pll", "mipl").

    ``row`` is the number of false labels, or "crc" for the real data.
    """

    row: str
    family: str
    win: int
    tie: int
    loss: int


@cache
def accuracies(source: str | None = None) -> tuple[PublishedAccuracy, ...]:
    """Return the published accuracies, of one table or of all; the paper's come first.

    Examples
    --------
    >>> accuracies("table4")[0]
    PublishedAccuracy(source='table4', method='miplma', variant='',
           data='crc-mipl-r34-16',
           r=None, mean=0.631, std=0.008)
    """
    rows = [*_rows("miplma.csv"), *_rows("others.csv")]
    return tuple(
        PublishedAccuracy(
            row["source"],
            row["method"],
            row["variant"],
            row["data"],
            _whole(row["r"]),
            float(row["mean"]),
            _known(row["std"]),
        )
        for row in rows
        if source in (None, row["source"])
    )


@cache
def _by_cell() -> dict[tuple[str, str, str, int | None], PublishedAccuracy]:
    found: dict[tuple[str, str, str, int | None], PublishedAccuracy] = {}
    for one in accuracies():
        found.setdefault((one.method, one.variant, one.data, one.r), one)
    return found


def published(
    method: str, variant: str, data: str, r: int | None
) -> PublishedAccuracy | None:
    """Return what was published for a cell, or None.

    Examples
    --------
    >>> published("proden", "mlp maxmin", "sival-mipl", 2).mean
    0.295
    """
    return _by_cell().get((method, variant, data, r))


@cache
def highest(data: str, r: int | None) -> tuple[HighestAccuracy, ...]:
    """Return the highest figure reported for a cell, and the highest without a mark.

    They are one and the same for most cells, and none where nothing was reported.

    Examples
    --------
    >>> [(one.mean, one.mark) for one in highest("sival-mipl", 1)]
    [(0.779, 'transductive'), (0.7549, '')]
    """
    return tuple(
        HighestAccuracy(
            row["data"],
            _whole(row["r"]),
            float(row["mean"]),
            _known(row["std"]),
            row["method"],
            row["source"],
            row["mark"],
        )
        for row in _rows("highest.csv")
        if (row["data"], _whole(row["r"])) == (data, r)
    )


@cache
def counts() -> tuple[PublishedWins, ...]:
    """Return the published wins, ties and losses.

    Examples
    --------
    >>> sum(one.win for one in counts()), sum(one.loss for one in counts())
    (477, 5)
    """
    return tuple(
        PublishedWins(
            row["row"],
            row["family"],
            int(row["win"]),
            int(row["tie"]),
            int(row["loss"]),
        )
        for row in _rows("counts.csv")
    )


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(_HERE.joinpath(name).read_text("utf-8").splitlines()))


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _known(text: str) -> float | None:
    return float(text) if text else None
