"""Table A1: multi-instance methods, every candidate taken as a label."""

from mipl.experiments.entrants import MIL
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import BENCHMARKS

TABLE = ScoreTable(
    "tableA1",
    "Multi-instance methods with one false label",
    rivals=MIL,
    sources=BENCHMARKS,
    counts=(1,),
)
