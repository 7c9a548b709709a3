"""Digits: all methods on the data set that comes with this library."""

from mipl.datasets.published_sets import DIGITS
from mipl.paper.entrants import (
    LATER,
    LINEAR,
    MAMM,
    MLP,
    OURS,
    RELEASED,
    RIVALS,
    VARIANTS,
)
from mipl.paper.score_table import ScoreTable

TABLE = ScoreTable(
    "digits",
    "Digits-MIPL: every MIPL and partial-label method, by its own settings",
    leaders=(OURS, RELEASED),
    rivals=(*RIVALS, *LATER, *VARIANTS, MAMM, *LINEAR, *MLP),
    sources=(DIGITS,),
)
