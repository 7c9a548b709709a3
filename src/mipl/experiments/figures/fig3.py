"""Figure 3: MIPLMA and its three variants on SIVAL-MIPL."""

from mipl.experiments.bars import BarFigure
from mipl.experiments.entrants import RELEASED, VARIANTS
from mipl.experiments.sources import SIVAL

FIGURE = BarFigure(
    "fig3",
    "What each margin adds: MIPLMA and its variants on SIVAL-MIPL",
    leaders=(RELEASED,),  # The variants are those of the released form.
    rivals=VARIANTS,
    sources=(SIVAL,),
    panels=((SIVAL.title, (SIVAL,)),),
)
