"""Figure A1: MIPLMA and the partial-label methods that maximise a margin."""

from mipl.datasets.published_sets import BENCHMARKS, TISSUE
from mipl.paper.bar_figure import BarFigure
from mipl.paper.entrants import MARGIN

FIGURE = BarFigure(
    "figA1",
    "MIPLMA, M3PL and PL-SVM",
    rivals=MARGIN,
    sources=(*BENCHMARKS, *TISSUE),
    panels=(*((one.title, (one,)) for one in BENCHMARKS), ("CRC-MIPL", TISSUE)),
    columns=3,
)
