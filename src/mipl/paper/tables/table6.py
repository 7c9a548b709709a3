"""Table 6: the margin distribution loss added to a partial-label method."""

from mipl.datasets.published_sets import KMNIST
from mipl.paper.entrants import PRODEN_MA, PRODEN_MLP
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "table6",
    "PRODEN with and without the margin loss, Kuzushiji-MNIST, flipping probability q",
    leaders=(PRODEN_MA,),
    rivals=(PRODEN_MLP,),
    sources=KMNIST,
)
