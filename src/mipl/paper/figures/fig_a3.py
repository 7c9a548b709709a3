"""Figure A3: the weight of the margin loss on Birdsong-MIPL."""

from mipl.datasets.published_sets import BIRDSONG
from mipl.paper.entrants import LAMBDAS
from mipl.paper.sweep_figure import SweepFigure

FIGURE = SweepFigure(
    "figA3",
    "Accuracy as the weight of the margin loss moves",
    argument="lam",
    symbol="λ",
    values=LAMBDAS,
    sources=(BIRDSONG,),
)
