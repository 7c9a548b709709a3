"""Figure A2: the attention of three methods on three FMNIST test bags."""

from mipl.datasets.published_sets import FMNIST
from mipl.paper.bag_figure import LookAtInstances, WatchedFigure
from mipl.paper.entrants import DEMIPL, ELIMIPL, Entrant

BAGS = (0, 60, 120)  # Of 150 test bags in the order of their classes: three classes.


def _looks(leader: Entrant) -> tuple[LookAtInstances, ...]:
    # Each of DEMIPL's scores is between 0 and 1 for itself.
    scaled = {DEMIPL: "DEMIPL (scaled to sum 1)"}
    return tuple(
        LookAtInstances(
            one, FMNIST, 1, BAGS, bag, f"{scaled.get(one, one.title)}, bag {number}"
        )
        for number, bag in enumerate(BAGS, 1)
        for one in (leader, ELIMIPL, DEMIPL)
    )


FIGURE = WatchedFigure(
    "figA2", "Attention of three methods on three FMNIST bags", _looks, columns=3
)
