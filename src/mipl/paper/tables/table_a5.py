"""Table A5: the distribution of the margins against their mean alone."""

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.entrants import MAMM, RELEASED
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "tableA5",
    "Margin distribution loss against the mean margin",
    leaders=(RELEASED,),  # The variant is one of the released form.
    rivals=(MAMM,),
    sources=BENCHMARKS,
)
