"""The weights of instances, drawn over the spectrogram of the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mipl.audio.recordings import Recording
from mipl.audio.sound_bags import PART_SECONDS
from mipl.audio.spectrogram import Floats, SoundGrid, decibels, frames_of
from mipl.errors import MiplError, counted
from mipl.generators.conversion import told_of
from mipl.reports.bag_plots import draw_classes, headline, instance_weights
from mipl.reports.originals import original_of
from mipl.reports.plots import drawing, shortened
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import Places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = "viridis"
_OPACITY = 0.6
_COLUMNS = 3000  # At most; neighbours of longer recordings are drawn as one.
_QUIET, _LOUD = 30, 99.8  # Percentiles between which the grey runs,
_SPAN = 40  # and at least so many decibels: noise is pale.


def draw_sound(told: Explanation, places: Places, grid: SoundGrid) -> Figure:
    """Draw a recording's spectrogram, the same under its instances, and the classes.

    The bag needs times and frequencies and the address of its file in ``uris``, as the
    generators of ``mipl.audio`` give them; ``grid`` is that of its generator.
    """
    weight, name = instance_weights(told)
    path = original_of(told, "recording", "mipl audio to-bags")
    item = Recording(path.name, path)
    try:
        picture, seconds = spectrogram(item, grid)
    except MiplError as error:
        raise told_of(item, error) from None
    start, end = places.boxes[:, 0], places.boxes[:, 1]
    if end.max() > seconds + 2 * grid.window:
        raise MiplError(
            f"{path} lasts {seconds:.2f} seconds, and an instance of {told.name} ends "
            f"at {end.max():.2f}: it is another recording than the bag was made of; "
            "put that one back."
        )
    with drawing() as matplotlib:
        figure: Figure = matplotlib.figure.Figure(
            figsize=(12, 5.4), layout="constrained"
        )
        cells = figure.add_gridspec(2, 2, width_ratios=(3.4, 1))
        plain = figure.add_subplot(cells[0, 0])
        covered = figure.add_subplot(cells[1, 0], sharex=plain, sharey=plain)
        for axis in (plain, covered):
            _spectrum(axis, picture, seconds, grid)
        covered.set_xlabel("seconds")
        norm = matplotlib.colors.Normalize(
            # From 0: small differences would else look as large as large ones.
            vmin=min(0.0, float(weight.min())),
            vmax=float(weight.max()) or 1.0,
        )
        shade = matplotlib.cm.ScalarMappable(norm, _COLOURS)
        bands = places.bands
        low = np.full(len(start), grid.low) if bands is None else bands[:, 0]
        high = np.full(len(start), grid.high) if bands is None else bands[:, 1]
        for i in np.argsort(weight, kind="stable"):
            covered.add_patch(
                matplotlib.patches.Rectangle(
                    (start[i], low[i] / 1000),
                    end[i] - start[i],
                    (high[i] - low[i]) / 1000,
                    facecolor=(*shade.to_rgba(weight[i])[:3], _OPACITY),
                    edgecolor=shade.to_rgba(weight[i]),
                    linewidth=0.8,
                )
            )
        figure.colorbar(shade, ax=[plain, covered], label=name, shrink=0.8)
        plain.set_title(shortened(path.name))
        covered.set_title(f"{counted(told.bag.n_instances, 'instance')} by {name}")
        draw_classes(figure.add_subplot(cells[:, 1]), told)
        figure.suptitle(headline(told), x=0.01, ha="left")
    return figure


def spectrogram(item: Recording, grid: SoundGrid) -> tuple[Floats, float]:
    """Return decibels (bins, columns) of a recording, and how many seconds they are.

    Where columns are too many to be seen, each two that stand side by side become the
    louder of them.
    """
    parts: list[Floats] = []
    columns = frames = 0
    per = 1  # Frames to a column.
    with item.played() as sound:
        for part in frames_of(sound, grid, PART_SECONDS):
            frames += len(part.linear)
            parts.append(_louder(decibels(part.linear), per))
            columns += len(parts[-1])
            while columns > _COLUMNS:
                per *= 2
                parts = [_louder(one, 2) for one in parts]
                columns = sum(map(len, parts))
    return np.concatenate(parts).T, grid.seconds(0, frames)[1]


def _louder(rows: Floats, per: int) -> Floats:
    if per == 1:
        return rows
    found: Floats = np.maximum.reduceat(rows, np.arange(0, len(rows), per), axis=0)
    return found


def _spectrum(axis: Axes, picture: Floats, seconds: float, grid: SoundGrid) -> None:
    quiet, loud = np.percentile(picture, [_QUIET, _LOUD])
    axis.imshow(
        picture,
        # Below colours that mean something, the picture has none of its own.
        cmap="gray_r",
        vmin=float(quiet),
        vmax=float(max(loud, quiet + _SPAN)),
        aspect="auto",
        origin="lower",
        interpolation="none",
        extent=(0, seconds, grid.low / 1000, grid.high / 1000),
    )
    axis.set_ylabel("kHz")
