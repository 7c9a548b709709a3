"""Table A5: the distribution of the margins against their mean alone."""

from mipl.experiments.entrants import MAMM, RELEASED
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import BENCHMARKS

TABLE = ScoreTable(
    "tableA5",
    "Margin distribution loss against the mean margin",
    leaders=(RELEASED,),  # The variant is one of the released form.
    rivals=(MAMM,),
    sources=BENCHMARKS,
)
