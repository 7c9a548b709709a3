"""Table 5: the margin-aware attention alone, learning from true labels."""

from mipl.experiments.entrants import ATTEN, ATTEN_GATE, MAAM
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import FMNIST, MNIST

TABLE = ScoreTable(
    "table5",
    "Margin-aware attention against two others, with true bag labels",
    leaders=(MAAM,),
    rivals=(ATTEN, ATTEN_GATE),
    sources=(MNIST, FMNIST),
    counts=(0,),
)
