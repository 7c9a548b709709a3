"""What the figures show, as plain values; ``mipl.reports.paper_figures`` draws them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """Mean and standard deviation (ddof 0) over splits; None where none was run."""

    mean: float | None
    std: float | None


@dataclass(frozen=True)
class BarPanel:
    """Groups of bars: a panel, its groups, and for each series a point per group."""

    title: str
    groups: tuple[str, ...]
    series: tuple[tuple[str, tuple[Point, ...]], ...]


@dataclass(frozen=True)
class SweepPanel:
    """A figure that follows an argument: a line of points for each r.

    The diameter of a circle is its standard deviation relative to the mean.
    """

    title: str
    argument: str
    values: tuple[float, ...]
    series: tuple[tuple[str, tuple[Point, ...]], ...]


@dataclass(frozen=True)
class AttentionPanel:
    """Attention scores of the instances of one bag; None where no run tells."""

    title: str
    weights: tuple[float, ...] | None
    positive: tuple[bool, ...]


@dataclass(frozen=True)
class TracePanel:
    """The best candidate and the best other probability of a bag, epoch by epoch."""

    title: str
    candidate: tuple[float, ...] | None
    other: tuple[float, ...] | None


@dataclass(frozen=True)
class RankPanel:
    """Mean ranks of methods with Nemenyi's critical difference."""

    title: str
    names: tuple[str, ...]
    ranks: tuple[float, ...]
    distance: float


Panel = BarPanel | SweepPanel | AttentionPanel | TracePanel | RankPanel


@dataclass(frozen=True)
class PanelGrid:
    """Panels side by side, ``columns`` to a row."""

    name: str
    panels: tuple[Panel, ...]
    columns: int = 1
