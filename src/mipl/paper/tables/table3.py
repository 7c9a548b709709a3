"""Table 3: real data; MIPL methods, and PLL methods with a linear model."""

from mipl.datasets.published_sets import SIFT, TISSUE
from mipl.paper.entrants import LINEAR, MIPLGP, RIVALS
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "table3",
    "CRC-MIPL: MIPL methods, and partial-label methods with a linear model",
    rivals=(*RIVALS, *LINEAR),
    sources=TISSUE,
    without=((MIPLGP, SIFT),),
)
