"""Table A2: benchmark data sets; partial-label methods with an MLP."""

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.entrants import MLP
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "tableA2",
    "Benchmark data sets: partial-label methods with an MLP",
    rivals=MLP,
    sources=BENCHMARKS,
)
