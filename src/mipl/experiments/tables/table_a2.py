"""Table A2: benchmark data sets; partial-label methods with an MLP."""

from mipl.experiments.entrants import MLP
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import BENCHMARKS

TABLE = ScoreTable(
    "tableA2",
    "Benchmark data sets: partial-label methods with an MLP",
    rivals=MLP,
    sources=BENCHMARKS,
)
