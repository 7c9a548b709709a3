"""Figure A1: MIPLMA and the partial-label methods that maximise a margin."""

from mipl.experiments.bars import BarFigure
from mipl.experiments.entrants import MARGIN
from mipl.experiments.sources import BENCHMARKS, TISSUE

FIGURE = BarFigure(
    "figA1",
    "MIPLMA, M3PL and PL-SVM",
    rivals=MARGIN,
    sources=(*BENCHMARKS, *TISSUE),
    panels=(*((one.title, (one,)) for one in BENCHMARKS), ("CRC-MIPL", TISSUE)),
    columns=3,
)
