"""Pictures, drawn with matplotlib, which is the optional extra ``plot``."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mipl import plain_text
from mipl.errors import MiplError, MissingExtra
from mipl.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import Formatter

INK, PALE, GRID = "#24292f", "#c9d1d9", "#e6e9ed"
ATTENTION, NEGATIVE, POSITIVE = "#d55e00", "#56b4e9", "#009e73"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#7a7a7a")  # Told apart by everybody.
_STYLES = ("-", "--", "-.", ":")  # Tell lines apart in grey.
SUFFIXES = (".png", ".svg", ".pdf")

# For names in letters that the usual font lacks, where the system has such a font.
_MORE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans",
    "WenQuanYi Zen Hei",
    "Arial Unicode MS",
)
_STYLE: dict[str, Any] = {
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": "#8c959f",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "xtick.color": "#57606a",
    "ytick.color": "#57606a",
    "text.parse_math": False,  # A name may hold dollars.
    "svg.fonttype": "none",  # Text stays text and takes the page's font.
    "svg.hashsalt": "mipl",
}
# Neither time nor address in a file: the same picture is the same bytes.
_BARE: dict[str, dict[str, Any]] = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
    "png": {"Software": None},
}


@contextmanager
def drawing() -> Iterator[Any]:
    """Give matplotlib in our style; nothing of it outlives the drawing."""
    try:
        import matplotlib  # noqa: PLC0415
        import matplotlib.figure  # noqa: PLC0415
        import matplotlib.font_manager  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.of("drawing", "matplotlib", "plot") from None
    here = set(matplotlib.font_manager.fontManager.get_font_names())
    fonts = ["sans-serif", *(name for name in _MORE_FONTS if name in here)]
    style = {**_STYLE, "font.family": fonts}
    with matplotlib.rc_context(cast(Any, style)), warnings.catch_warnings():
        # A letter that no font has is drawn as a box, which says it all.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield matplotlib


def shortened(text: str, most: int = 28) -> str:
    """Return a name that has room in a picture: its beginning and its end.

    Examples
    --------
    >>> shortened("STR"), shortened("slide of patient 17, block 4.png", 16)
    ('STR', 'slide of…k 4.png')
    """
    return plain_text.shortened(plain_text.plain(text), most)


def _only_text(figure: Figure) -> None:
    """Let every text of a figure pass the gate: names come from data files."""
    from matplotlib.text import Text  # noqa: PLC0415 - optional
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            names = axis.get_major_formatter()
            if isinstance(names, FuncFormatter):  # Ticks are written when drawn.
                axis.set_major_formatter(_plain_ticks(names))
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_parse_math(False)
        text.set_text(plain_text.plain(text.get_text(), keep="\n"))


def _plain_ticks(names: Formatter) -> Callable[[float, Any], str]:
    return lambda value, place: plain_text.plain(names(value, place))


def as_svg(figure: Figure) -> str:
    """Return a figure as an SVG element that a page can hold."""
    buffer = io.StringIO()
    with drawing():
        _only_text(figure)
        figure.savefig(buffer, format="svg", metadata=_BARE["svg"], transparent=True)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def as_png(figure: Figure) -> bytes:
    """Return a figure as a PNG file that a page can show."""
    buffer = io.BytesIO()
    with drawing():
        _only_text(figure)
        figure.savefig(
            buffer, format="png", dpi=110, facecolor="white", metadata=_BARE["png"]
        )
    return buffer.getvalue()


def check_picture_name(path: str | Path) -> None:
    """Refuse a file name that ends in no kind of picture."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise MiplError(
            f"a picture must end in {', '.join(SUFFIXES)}; got {Path(path).name!r}."
        )


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure to a file, PNG, SVG or PDF by its name."""
    check_picture_name(path)
    kind = Path(path).suffix.lower()[1:]
    with drawing(), atomic_path(path) as temporary:
        _only_text(figure)
        figure.savefig(
            temporary, format=kind, dpi=150, facecolor="white", metadata=_BARE[kind]
        )


def draw_curves(
    histories: Sequence[tuple[str, Sequence[Sequence[dict[str, float]]]]],
    panels: Sequence[tuple[str, str]],
) -> Figure:
    """Draw figures of the epochs: a panel each, a colour per method.

    Parameters
    ----------
    histories : pairs of a title and the histories of its runs
        The mean over runs is a line, the runs themselves are faint.
    panels : pairs of a figure's name in the histories and its title
    """
    looks = list(zip(SERIES, _STYLES, strict=True))
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(10.5, 2.9 * math.ceil(len(panels) / 2)), layout="constrained"
        )
        axes = figure.subplots(math.ceil(len(panels) / 2), 2, squeeze=False).ravel()
        for axis, (name, title) in zip(axes, panels, strict=False):
            for look, (method, runs) in zip(looks, histories, strict=False):
                _lines(axis, [[e[name] for e in run] for run in runs], look, method)
            axis.set_title(title)
            axis.grid(axis="y", color=GRID)
            axis.set_axisbelow(True)
            axis.margins(x=0.01)
        for axis in axes[-2:]:
            axis.set_xlabel("epoch")
        figure.legend(*axes[0].get_legend_handles_labels(), **_LEGEND)
    return figure


_LEGEND: dict[str, Any] = {
    "loc": "outside upper left",
    "ncols": 4,
    "frameon": False,
    "fontsize": 10.5,
}


def _lines(
    axis: Axes, runs: Sequence[Sequence[float]], look: tuple[str, str], name: str
) -> None:
    colour, style = look
    for run in runs:
        axis.plot(range(1, len(run) + 1), run, color=colour, alpha=0.25, linewidth=0.8)
    shortest = min(map(len, runs))  # Early stopping may end runs at different epochs.
    mean = np.mean([run[:shortest] for run in runs], axis=0)
    epochs = range(1, shortest + 1)
    axis.plot(epochs, mean, style, color=colour, linewidth=1.8, label=name)
