"""Charts made of numbers, as the options that ECharts takes; text in them is text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mipl.page.workspace import shown

Options = dict[str, Any]

# Colours that are told apart by people who see few of them, and on both grounds.
COLOURS = {
    False: ("#1f5fa8", "#b8560b", "#2c7a4b", "#8a3f8f", "#a8324a", "#5c6470"),
    True: ("#7fb2ee", "#f0a35e", "#74c998", "#d59bdb", "#f08ca0", "#b3bac4"),
}
_INK = {False: "#3a424d", True: "#c6ccd5"}
# Down is down; the name stands above, where it meets no number of the other axis.
_DOWN: dict[str, Any] = {"inverse": True, "nameLocation": "start"}
_LINE = {False: "#dfe3e8", True: "#363d47"}


def _base(dark: bool) -> Options:
    ink = _INK[dark]
    return {
        "animation": False,
        "backgroundColor": "transparent",
        "color": list(COLOURS[dark]),
        "textStyle": {"color": ink, "fontFamily": "system-ui, sans-serif"},
        "grid": {"left": 8, "right": 16, "top": 34, "bottom": 8, "containLabel": True},
        # Written on a canvas, so that no name can be markup.
        "tooltip": {"renderMode": "richText", "confine": True},
        "aria": {"enabled": False},
    }


def _axis(dark: bool, name: str = "", **more: Any) -> Options:
    return {
        "name": name,
        "nameTextStyle": {"color": _INK[dark], "align": "left"},
        "axisLabel": {"color": _INK[dark], "hideOverlap": True},
        "axisLine": {"lineStyle": {"color": _LINE[dark]}},
        "splitLine": {"lineStyle": {"color": _LINE[dark]}},
        **more,
    }


def bars(
    names: Sequence[object],
    values: Sequence[float],
    dark: bool,
    counted: str = "bags",
    across: str = "",
) -> Options:
    """Return bars, one per name.

    Examples
    --------
    >>> made = bars(["oak", "elm"], [3, 4], dark=False)
    >>> made["xAxis"]["data"], made["series"][0]["data"]
    (['oak', 'elm'], [3, 4])
    """
    told = [shown(name) for name in names]
    place = {"nameLocation": "middle", "nameGap": 28, "type": "category", "data": told}
    return {
        **_base(dark),
        "grid": {**_base(dark)["grid"], "bottom": 24 if across else 8},
        "tooltip": {**_base(dark)["tooltip"], "trigger": "axis"},
        "xAxis": _axis(dark, shown(across), **place),
        "yAxis": _axis(dark, shown(counted), type="value", minInterval=1),
        "series": [{"type": "bar", "data": list(values), "barMaxWidth": 48}],
    }


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]],
    dark: bool,
    across: str = "epoch",
    **up: Any,
) -> Options:
    """Return lines through points, one per name; ``up`` are options of the axis.

    Examples
    --------
    >>> made = lines({"loss": [(1, 0.5), (2, 0.25)]}, dark=True)
    >>> made["series"][0]["name"], made["series"][0]["data"]
    ('loss', [[1, 0.5], [2, 0.25]])
    """
    drawn = [
        {
            "type": "line",
            "name": shown(name),
            "data": [list(point) for point in points],
            "showSymbol": len(points) < 2,
            "lineStyle": {"width": 2},
        }
        for name, points in series.items()
    ]
    legend = {"top": 0, "textStyle": {"color": _INK[dark]}, "type": "scroll"}
    low = {"nameLocation": "middle", "nameGap": 28, "type": "value", "minInterval": 1}
    return {
        **_base(dark),
        "grid": {**_base(dark)["grid"], "bottom": 24},
        "legend": legend,
        "tooltip": {**_base(dark)["tooltip"], "trigger": "axis"},
        "xAxis": _axis(dark, across, **low, min="dataMin", max="dataMax"),
        "yAxis": _axis(dark, **{"type": "value", "scale": True, **up}),
        "series": drawn,
    }


def matrix(
    rows: Sequence[object],
    columns: Sequence[object],
    values: Sequence[Sequence[float]],
    dark: bool,
    down: str = "",
    across: str = "",
) -> Options:
    """Return a matrix of coloured cells, the first row above.

    Examples
    --------
    >>> made = matrix(["a", "b"], ["c"], [[1], [2]], dark=False)
    >>> made["series"][0]["data"]
    [[0, 0, 1], [0, 1, 2]]
    """
    cells = [[c, r, v] for r, row in enumerate(values) for c, v in enumerate(row)]
    most = max((cell[2] for cell in cells), default=1)
    few = len(cells) <= 150
    place: dict[str, Any] = {"type": "category", "splitArea": {"show": False}}
    low = {**place, "nameLocation": "middle", "nameGap": 30}
    colours = ["#22303f", "#7fb2ee"] if dark else ["#f0f4f9", "#1f5fa8"]
    names = [shown(name) for name in columns]
    return {
        **_base(dark),
        "grid": {**_base(dark)["grid"], "bottom": 30 if across else 8},
        "xAxis": _axis(dark, across, **low, data=names),
        "yAxis": _axis(dark, down, **place, **_DOWN, data=[*map(shown, rows)]),
        "visualMap": {
            "show": False,
            "min": 0,
            "max": max(most, 1e-9),
            "inRange": {"color": colours},
        },
        "series": [{"type": "heatmap", "data": cells, "label": {"show": few}}],
    }


def spans(
    times: Sequence[Sequence[float]], dark: bool, across: str = "seconds"
) -> Options:
    """Return instances as bars from their start to their end, one below the other.

    Examples
    --------
    >>> made = spans([[0.5, 2.0], [1.0, 1.5]], dark=False)
    >>> made["series"][0]["data"], made["series"][1]["data"]
    ([0.5, 1.0], [1.5, 0.5])
    """
    numbers = [str(i) for i in range(len(times))]
    starts = [start for start, _ in times]
    long = [round(end - start, 6) for start, end in times]
    place = {"nameLocation": "middle", "nameGap": 28, "type": "value", "scale": True}
    down = {"type": "category", "data": numbers, **_DOWN}
    clear = {"itemStyle": {"color": "transparent"}, "silent": True}
    return {
        **_base(dark),
        "grid": {**_base(dark)["grid"], "bottom": 24},
        "tooltip": {**_base(dark)["tooltip"], "trigger": "item"},
        "xAxis": _axis(dark, across, **place),
        "yAxis": _axis(dark, "instance", **down),
        "series": [
            {"type": "bar", "stack": "span", "data": starts, **clear},
            {"type": "bar", "stack": "span", "data": long, "barMaxWidth": 16},
        ],
    }


def tiles(boxes: Sequence[Sequence[float]], dark: bool, unit: str) -> Options:
    """Return instances as points at the middle of their boxes; down is down.

    Examples
    --------
    >>> made = tiles([[0, 0, 10, 20]], dark=False, unit="px")
    >>> made["series"][0]["data"], made["yAxis"]["inverse"]
    ([[5.0, 10.0]], True)
    """
    middles = [[(x0 + x1) / 2, (y0 + y1) / 2] for x0, y0, x1, y1 in boxes]
    size = 14 if len(boxes) < 400 else 8 if len(boxes) < 3000 else 4
    place: dict[str, Any] = {"type": "value", "scale": True}
    low = {**place, "nameLocation": "middle", "nameGap": 28}
    return {
        **_base(dark),
        "grid": {**_base(dark)["grid"], "bottom": 24},
        "tooltip": {**_base(dark)["tooltip"], "trigger": "item"},
        "xAxis": _axis(dark, unit, **low),
        "yAxis": _axis(dark, unit, **place, **_DOWN),
        "series": [
            {
                "type": "scatter",
                "symbol": "rect",
                "symbolSize": size,
                "data": middles,
                "itemStyle": {"opacity": 0.75},
            }
        ],
    }
