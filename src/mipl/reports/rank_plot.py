"""The critical-difference picture: mean ranks, and which cannot be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mipl.paper.panels import RankPanel
from mipl.reports.plots import INK, SERIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_HEIGHT, _PER_NAME = 1.5, 0.16  # Inches.


def rank_height(methods: int) -> float:
    """Return the height of a picture of so many methods, in inches."""
    return _LEAST_HEIGHT + _PER_NAME * methods + 0.12 * (methods // 4)


def alike(ranks: list[float], distance: float) -> list[tuple[float, float]]:
    """Return the widest stretches of sorted ranks that the test cannot tell apart.

    Examples
    --------
    >>> alike([1.0, 1.5, 2.5, 4.0], 1.1)
    [(1.0, 1.5), (1.5, 2.5)]
    """
    spans: list[tuple[float, float]] = []
    for first in ranks:
        last = max(rank for rank in ranks if rank - first <= distance)
        if last > first and (not spans or last > spans[-1][1]):
            spans.append((first, last))
    return spans


def draw_ranks(axis: Axes, panel: RankPanel) -> None:
    """Draw methods along their mean ranks, the best on the left."""
    pairs = sorted(zip(panel.ranks, panel.names, strict=True))
    k = len(pairs)
    spans = alike([rank for rank, _ in pairs], panel.distance)
    axis.axis("off")
    axis.plot([1, k], [0, 0], color=INK, linewidth=1.2)
    for tick in range(1, k + 1):
        axis.plot([tick, tick], [0, 0.18], color=INK, linewidth=1)
        axis.text(tick, 0.3, str(tick), ha="center", va="bottom", fontsize=9)
    _critical(axis, panel.distance)
    for level, (first, last) in enumerate(spans):
        y = -0.35 - 0.28 * level
        ends = [first - 0.03, last + 0.03]
        axis.plot(ends, [y, y], color=SERIES[1], linewidth=3.5, solid_capstyle="round")
    lowest = -0.5 - 0.28 * len(spans)
    for place, (rank, name) in enumerate(pairs):
        left = place < (k + 1) // 2
        row = place if left else k - 1 - place
        y = lowest - 0.55 * (row + 0.5)
        edge = 0.6 if left else k + 0.4
        axis.plot([rank, rank, edge], [0, y, y], color=INK, linewidth=0.8)
        label = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        side = "right" if left else "left"
        x = edge - 0.05 if left else edge + 0.05
        axis.text(x, y, label, ha=side, va="center", fontsize=9)
    axis.set_ylim(lowest - 0.55 * ((k + 1) // 2) - 0.3, 2.0)
    axis.set_xlim(1 - 0.55 * k, k + 0.55 * k)
    axis.set_title(panel.title, fontsize=10)


def _critical(axis: Axes, distance: float) -> None:
    axis.plot([1, 1 + distance], [1.25, 1.25], color=SERIES[1], linewidth=3.5)
    text = f"critical difference {distance:.2f}"
    axis.text(1, 1.45, text, fontsize=9, va="bottom")
