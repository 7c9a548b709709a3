"""Table 3: real data; MIPL methods, and PLL methods with a linear model."""

from mipl.experiments.entrants import LINEAR, MIPLGP, RIVALS
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import SIFT, TISSUE

TABLE = ScoreTable(
    "table3",
    "CRC-MIPL: MIPL methods, and partial-label methods with a linear model",
    rivals=(*RIVALS, *LINEAR),
    sources=TISSUE,
    without=((MIPLGP, SIFT),),
)
