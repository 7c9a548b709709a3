"""Figure A4: the initial temperature on MNIST-MIPL and Birdsong-MIPL."""

from mipl.datasets.published_sets import BIRDSONG, MNIST
from mipl.paper.entrants import TEMPERATURES
from mipl.paper.sweep_figure import SweepFigure

FIGURE = SweepFigure(
    "figA4",
    "Accuracy as the initial temperature moves",
    argument="tau",
    symbol="τ⁽⁰⁾",
    values=TEMPERATURES,
    sources=(MNIST, BIRDSONG),
)
