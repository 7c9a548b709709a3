"""Figure 3: MIPLMA and its three variants on SIVAL-MIPL."""

from mipl.datasets.published_sets import SIVAL
from mipl.paper.bar_figure import BarFigure
from mipl.paper.entrants import RELEASED, VARIANTS

FIGURE = BarFigure(
    "fig3",
    "What each margin adds: MIPLMA and its variants on SIVAL-MIPL",
    leaders=(RELEASED,),  # The variants are those of the released form.
    rivals=VARIANTS,
    sources=(SIVAL,),
    panels=((SIVAL.title, (SIVAL,)),),
)
