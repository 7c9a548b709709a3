"""Table A3: real data; partial-label methods with an MLP."""

from mipl.experiments.entrants import MLP
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import TISSUE

TABLE = ScoreTable(
    "tableA3",
    "CRC-MIPL: partial-label methods with an MLP",
    rivals=MLP,
    sources=TISSUE,
)
