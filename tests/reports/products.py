"""A small product with everything that can go wrong in a format."""

from mipl.datasets.published_sets import SIVAL
from mipl.paper.artefact import Product
from mipl.paper.cells import Cell, Spot
from mipl.paper.entrants import DEMIPL, MAINS, OURS
from mipl.paper.sheet import Score, Sheet, Tally

MEASURED = Score(Cell(Spot(OURS, SIVAL, 1), {0: 0.8, 1: 0.83, 2: 0.776}, 3), best=True)
BEATEN = Score(Cell(Spot(DEMIPL, SIVAL, 1), {0: 0.6, 1: 0.65}, 10), verdict="win")
MISSING = Score(Cell(Spot(MAINS, SIVAL, 1), {}, 10))
DIVERGED = Score(Cell(Spot(MAINS, SIVAL, 2), {}, 10, diverged=10))
NASTY = r"a|b & 50 % of $x_1$ {~} <b>*c*</b> \d #1 ^ λ"

PRODUCT = Product(
    "small",
    "A small table & more",
    (
        Sheet(
            "Scores",
            ("method", "SIVAL_MIPL"),
            (("ours", MEASURED), (NASTY, BEATEN), ("MaIns", MISSING), ("", DIVERGED)),
            ("A note: 100 % <honest>.",),
        ),
        Sheet("Counts", ("", "MIPL"), (("r = 1", Tally(3, 2, 1, 6, (9, 2, 1))),)),
    ),
    runs=33,
    missing=18,
    diverged=10,
)
