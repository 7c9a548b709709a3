"""Figure A3: the weight of the margin loss on Birdsong-MIPL."""

from mipl.datasets.published_sets import BIRDSONG
from mipl.paper.sweep_figure import SweepFigure

LAMBDAS = (2, 3, 4, 5, 6, 7, 8, 9, 10)

FIGURE = SweepFigure(
    "figA3",
    "Accuracy as the weight of the margin loss moves",
    argument="lam",
    symbol="λ",
    values=LAMBDAS,
    sources=(BIRDSONG,),
)
