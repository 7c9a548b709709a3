"""What the charts of a data set show, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mipl.data.dataset import Dataset
from mipl.data.describe import describe

_MOST_CLASSES = 40  # More cannot be told apart on a chart.

Bars = tuple[list[str], list[float]]


@dataclass(frozen=True)
class DataFigures:
    """Numbers of the four charts.

    Attributes
    ----------
    sizes, candidate_sizes : names and numbers of bags
    balance : names and numbers
        Bags per true class; where that is not known, bags that have each class among
        their candidates, each counted by its share.
    together : lists of numbers
        In row i and column j the bags in which both are candidates; the diagonal, which
        tells how often a class is one, is left empty.
    """

    sizes: Bars
    candidate_sizes: Bars
    balance: Bars
    balance_note: str
    together_names: list[str]
    together: list[list[float]]
    together_note: str


def data_figures(data: Dataset) -> DataFigures:
    """Count what the charts show; no instance is read.

    Examples
    --------
    >>> data = Dataset(np.zeros((3, 2, 1)), [{"a", "b"}, {"a"}, {"a", "b"}])
    >>> figures = data_figures(data)
    >>> figures.balance, figures.together
    ((['a', 'b'], [2.0, 1.0]), [[0.0, 2.0], [2.0, 0.0]])
    """
    told = describe(data)
    spans = [
        str(b.least) if b.least == b.most else f"{b.least}-{b.most}"
        for b in told.size_histogram
    ]
    names = [str(name) for name in told.classes]
    matrix = data.candidates.matrix.astype(np.float64)  # (m, k)
    if told.bags_per_class is not None:
        balance, note = (
            np.array(told.bags_per_class, dtype=np.float64),
            "by true labels",
        )
    else:
        shares = matrix / matrix.sum(axis=1, keepdims=True)
        balance = shares.sum(axis=0)
        note = "true labels are not known: each candidate counts by its share of a bag"
    together = matrix.T @ matrix
    np.fill_diagonal(together, 0)
    most = np.argsort(-matrix.sum(axis=0), kind="stable")[:_MOST_CLASSES]
    kept = np.sort(most)
    cut = "" if len(kept) == len(names) else f"; the {len(kept)} most frequent classes"
    return DataFigures(
        sizes=(spans, [float(b.bags) for b in told.size_histogram]),
        candidate_sizes=(
            [str(size) for size, _ in told.candidate_sizes],
            [float(bags) for _, bags in told.candidate_sizes],
        ),
        balance=([names[i] for i in kept], [round(float(balance[i]), 2) for i in kept]),
        balance_note=note + cut,
        together_names=[names[i] for i in kept],
        together=together[np.ix_(kept, kept)].tolist(),
        together_note=f"in how many bags two classes are both candidates{cut}",
    )
