"""Table 6: the margin distribution loss added to a partial-label method."""

from mipl.experiments.entrants import PRODEN_MA, PRODEN_MLP
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import KMNIST

TABLE = ScoreTable(
    "table6",
    "PRODEN with and without the margin loss, Kuzushiji-MNIST, flipping probability q",
    leaders=(PRODEN_MA,),
    rivals=(PRODEN_MLP,),
    sources=KMNIST,
)
