"""Table 2: benchmark data sets; MIPL methods, and PLL methods with a linear model."""

from mipl.datasets.published_sets import BENCHMARKS
from mipl.paper.entrants import LATER, LINEAR, RIVALS
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "table2",
    "Benchmark data sets: MIPL methods, and partial-label methods with a linear model",
    rivals=(*RIVALS, *LATER, *LINEAR),
    sources=BENCHMARKS,
    notes=("ProMIPL, FastMIPL and CDL came after the paper.",),
)
