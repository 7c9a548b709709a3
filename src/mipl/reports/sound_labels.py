"""What a model looked at, as labels that programs for sounds read."""

from __future__ import annotations

from mipl.errors import MiplError
from mipl.plain_text import plain
from mipl.reports.bag_plots import instance_weights
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import SECONDS, Places

_RAVEN = (
    "Selection", "View", "Channel", "Begin Time (s)", "End Time (s)", "Low Freq (Hz)",
    "High Freq (Hz)", "Weight", "Species",
)  # fmt: skip


def audacity_labels(told: Explanation, places: Places, top: int | None = None) -> str:
    """Return a label track that Audacity imports (File, Import, Labels).

    A line has start, end and what the instance says, between tabs; where frequencies
    are known, a second line, which begins with a backslash, has them.
    """
    lines = []
    for i, start, end, said, weight in _rows(told, places, top):
        lines.append(f"{start:.6f}\t{end:.6f}\t{said} {weight:.3g}")
        if places.bands is not None:
            low, high = places.bands[i].tolist()
            lines.append(f"\\\t{low:.6f}\t{high:.6f}")
    return "".join(f"{line}\n" for line in lines)


def raven_table(told: Explanation, places: Places, top: int | None = None) -> str:
    """Return a selection table that Raven opens: a line per instance, between tabs."""
    lines = ["\t".join(_RAVEN)]
    for number, (i, start, end, said, weight) in enumerate(_rows(told, places, top), 1):
        low, high = (0.0, 0.0) if places.bands is None else places.bands[i].tolist()
        cells = f"{start:.6f}", f"{end:.6f}", f"{low:.1f}", f"{high:.1f}"
        row = (str(number), "Spectrogram 1", "1", *cells, f"{weight:.6g}", said)
        lines.append("\t".join(row))
    return "".join(f"{line}\n" for line in lines)


def _rows(
    told: Explanation, places: Places, top: int | None
) -> list[tuple[int, float, float, str, float]]:
    """Return number, start, end, class and weight of instances in the order of time."""
    if places.unit != SECONDS:
        raise MiplError(
            f"{told.name} has no times; labels of sounds are for recordings: write a "
            "table with --out."
        )
    weight, _ = instance_weights(told)
    names = [plain(name) for name in told.classes]
    best = told.p.argmax()
    chosen = sorted(told.order()[:top].tolist(), key=lambda i: places.boxes[i, 0])
    return [
        (
            i,
            *places.boxes[i].tolist(),
            names[best if told.class_scores is None else told.class_scores[i].argmax()],
            float(weight[i]),
        )
        for i in chosen
    ]
