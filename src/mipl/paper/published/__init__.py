"""What was published, as data: every number of the paper's tables, and the best since.

``miplma.csv`` holds the accuracies of the MIPLMA paper table by table, ``counts.csv``
its table of wins, ``others.csv`` the figures of the methods that came later, and
``highest.csv`` the highest accuracy reported anywhere for each data set. Its table of
data sets is ``mipl.datasets.RECORDS``.
"""

from mipl.paper.published.accuracies import (
    HighestAccuracy,
    PublishedAccuracy,
    PublishedWins,
    accuracies,
    counts,
    highest,
    published,
)

__all__ = [
    "HighestAccuracy",
    "PublishedAccuracy",
    "PublishedWins",
    "accuracies",
    "counts",
    "highest",
    "published",
]
