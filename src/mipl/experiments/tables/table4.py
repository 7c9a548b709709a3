"""Table 4: real data with deep features, 16 and 25 patches to an image."""

from mipl.experiments.entrants import DEMIPL, ELIMIPL
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import DEEP

TABLE = ScoreTable(
    "table4",
    "CRC-MIPL with deep features",
    rivals=(ELIMIPL, DEMIPL),
    sources=DEEP,
    notes=("The paper's features are ResNet-34's; here another network made them.",),
)
