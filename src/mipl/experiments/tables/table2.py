"""Table 2: benchmark data sets; MIPL methods, and PLL methods with a linear model."""

from mipl.experiments.entrants import LATER, LINEAR, RIVALS
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import BENCHMARKS

TABLE = ScoreTable(
    "table2",
    "Benchmark data sets: MIPL methods, and partial-label methods with a linear model",
    rivals=(*RIVALS, *LATER, *LINEAR),
    sources=BENCHMARKS,
    notes=("ProMIPL, FastMIPL and CDL came after the paper.",),
)
