"""Table 5: the margin-aware attention alone, learning from true labels."""

from mipl.datasets.published_sets import FMNIST, MNIST
from mipl.paper.entrants import ATTEN, ATTEN_GATE, MAAM
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "table5",
    "Margin-aware attention against two others, with true bag labels",
    leaders=(MAAM,),
    rivals=(ATTEN, ATTEN_GATE),
    sources=(MNIST, FMNIST),
    counts=(0,),
)
