"""Figure 1: margins violated and kept, among instances and among labels.

(a, b) attention on an FMNIST test bag; (c, d) and (e, f) the best candidate and the
best other probability of two training bags of C-Row, epoch by epoch.
"""

from mipl.datasets.published_sets import FMNIST, ROW
from mipl.paper.bag_figure import LookAtEpochs, LookAtInstances, WatchedFigure
from mipl.paper.entrants import ELIMIPL, Entrant
from mipl.paper.figures.fig_a2 import BAGS

TRAINING_BAGS = (0, 100)


def _looks(
    leader: Entrant,
) -> tuple[LookAtInstances | LookAtEpochs, ...]:
    first, second = TRAINING_BAGS
    a, b = (
        LookAtInstances(
            one, FMNIST, 1, BAGS, BAGS[0], f"({letter}) {one.title}, FMNIST"
        )
        for letter, one in (("a", ELIMIPL), ("b", leader))
    )
    c, d, e, f = (
        LookAtEpochs(
            one,
            ROW,
            None,
            TRAINING_BAGS,
            bag,
            f"({letter}) {one.title}, C-Row bag {TRAINING_BAGS.index(bag) + 1}",
        )
        for letter, one, bag in (
            ("c", ELIMIPL, first),
            ("d", ELIMIPL, second),
            ("e", leader, first),
            ("f", leader, second),
        )
    )
    return a, c, e, b, d, f


FIGURE = WatchedFigure(
    "fig1",
    "Margins among instances (FMNIST-MIPL) and among labels (C-Row's stand-in)",
    _looks,
    columns=3,
)
