"""Table A1: multi-instance methods, every candidate taken as a label."""

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.entrants import MIL
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "tableA1",
    "Multi-instance methods with one false label",
    rivals=MIL,
    sources=BENCHMARKS,
    counts=(1,),
)
