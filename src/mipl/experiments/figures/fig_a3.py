"""Figure A3: the weight of the margin loss on Birdsong-MIPL."""

from mipl.experiments.sources import BIRDSONG
from mipl.experiments.sweep import Sweep

LAMBDAS = (2, 3, 4, 5, 6, 7, 8, 9, 10)

FIGURE = Sweep(
    "figA3",
    "Accuracy as the weight of the margin loss moves",
    argument="lam",
    symbol="λ",
    values=LAMBDAS,
    sources=(BIRDSONG,),
)
