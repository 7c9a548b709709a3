"""Digits: all methods on the data set that comes with this library."""

from mipl.experiments.entrants import (
    LATER,
    LINEAR,
    MAMM,
    MLP,
    OURS,
    RELEASED,
    RIVALS,
    VARIANTS,
)
from mipl.experiments.score_table import ScoreTable
from mipl.experiments.sources import DIGITS

TABLE = ScoreTable(
    "digits",
    "Digits-MIPL: every MIPL and partial-label method, by its own settings",
    leaders=(OURS, RELEASED),
    rivals=(*RIVALS, *LATER, *VARIANTS, MAMM, *LINEAR, *MLP),
    sources=(DIGITS,),
)
