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
    figure: str = "accuracy"


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


@dataclass(frozen=True)
class LinePanel:
    """A figure that follows a number: a line of points for each series."""

    title: str
    argument: str
    figure: str
    values: tuple[float, ...]
    series: tuple[tuple[str, tuple[Point, ...]], ...]


@dataclass(frozen=True)
class CurvePanel:
    """A figure by epoch: for each method the curves of its runs."""

    title: str
    figure: str
    series: tuple[tuple[str, tuple[tuple[float, ...], ...]], ...]


@dataclass(frozen=True)
class ReliabilityPanel:
    """How often predictions are right, by how sure they are.

    ``bins`` are mean confidence, share that is right, and number of test bags; ``ece``
    is the calibration error of all.
    """

    title: str
    bins: tuple[tuple[float, float, int], ...]
    ece: float


@dataclass(frozen=True)
class ConfusionPanel:
    """Counts of test bags: true classes in rows, predicted ones in columns."""

    title: str
    classes: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


Panel = (
    BarPanel
    | SweepPanel
    | AttentionPanel
    | TracePanel
    | RankPanel
    | LinePanel
    | CurvePanel
    | ReliabilityPanel
    | ConfusionPanel
)


@dataclass(frozen=True)
class PanelGrid:
    """Panels side by side, ``columns`` to a row."""

    name: str
    panels: tuple[Panel, ...]
    columns: int = 1
