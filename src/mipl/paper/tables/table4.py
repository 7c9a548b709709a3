"""Table 4: real data with deep features, 16 and 25 patches to an image."""

from mipl.datasets.published_sets import DEEP
from mipl.paper.entrants import DEMIPL, ELIMIPL
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "table4",
    "CRC-MIPL with deep features",
    rivals=(ELIMIPL, DEMIPL),
    sources=DEEP,
    notes=("The paper's features are ResNet-34's; here another network made them.",),
)
