"""Table A3: real data; partial-label methods with an MLP."""

from mipl.datasets.published_sets import TISSUE
from mipl.paper.entrants import MLP
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "tableA3",
    "CRC-MIPL: partial-label methods with an MLP",
    rivals=MLP,
    sources=TISSUE,
)
