"""Figure A4: the initial temperature on MNIST-MIPL and Birdsong-MIPL."""

from mipl.datasets.published_sets import BIRDSONG, MNIST
from mipl.paper.sweep_figure import SweepFigure

TEMPERATURES = (4, 5, 6, 7, 8, 9, 10)

FIGURE = SweepFigure(
    "figA4",
    "Accuracy as the initial temperature moves",
    argument="tau",
    symbol="τ⁽⁰⁾",
    values=TEMPERATURES,
    sources=(MNIST, BIRDSONG),
)
