"""Settings that authors published for their methods, as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mipl.methods.catalogue.row import Published

_PAPER = "paper, section 4.1; width from the authors' program"
_README = "README of the authors' program"
_BENCHMARK = {"tau_min": 0.1, "width": 128, "training__epochs": 100}
_CRC = {"tau_min": 0.5, "width": 512, "training__epochs": 200}

_LR, _LAM = "training__lr", "lam"
_BOTH = (_LR, _LAM)

CHOICE = (
    "the point of the paper's grid with the best approximated accuracy "
    "on training candidates"
)

# The one place for values of ours where the authors published only a grid:
# (data, r): {"training__lr": ..., "lam": ...}, chosen as CHOICE says by
# tools/choose_released.py.
MIPLMA_CHOSEN: Mapping[tuple[str, int | None], Mapping[str, float]] = {
    ("sival-mipl", 1): {_LR: 0.05, _LAM: 5.0},
    ("sival-mipl", 2): {_LR: 0.05, _LAM: 5.0},
    ("sival-mipl", 3): {_LR: 0.05, _LAM: 5.0},
    ("birdsong-mipl", 1): {_LR: 0.01},
    ("birdsong-mipl", 2): {_LR: 0.05},
    ("birdsong-mipl", 3): {_LR: 0.01},
    ("fmnist-mipl", 1): {_LR: 0.01, _LAM: 3.0},
    ("fmnist-mipl", 2): {_LR: 0.01, _LAM: 3.0},
    ("fmnist-mipl", 3): {_LR: 0.01, _LAM: 3.0},
    ("crc-mipl", None): {_LR: 0.01, _LAM: 5.0},
}
# Where these candidates were not those of the row itself.
CHOSEN_ON: Mapping[tuple[str, int | None], str] = {
    ("fmnist-mipl", 2): " of r = 1",
    ("fmnist-mipl", 3): " of r = 1",
    ("crc-mipl", None): " of the KMeansSeg bags of its stand-in",
}


def _row(
    data: str,
    r: int | None,
    settings: Mapping[str, Any],
    source: str,
    gaps: tuple[str, ...] = (),
) -> Published:
    chosen = MIPLMA_CHOSEN.get((data, r), {})
    choice = CHOICE + CHOSEN_ON.get((data, r), "") if chosen else ""
    return Published(data, r, settings, source, gaps, chosen, choice)


_IMAGES = {**_BENCHMARK, "scaling": "none"}
_MNIST = {**_IMAGES, _LR: 0.01}
_BIRDSONG = {**_BENCHMARK, _LAM: 5.0}

MIPLMA = (
    _row("mnist-mipl", 1, {**_MNIST, _LAM: 0.05}, _README),
    _row("mnist-mipl", 2, {**_MNIST, _LAM: 0.1}, _README),
    _row("mnist-mipl", 3, {**_MNIST, _LAM: 0.01}, _README),
    _row("fmnist-mipl", 1, _IMAGES, _PAPER, gaps=_BOTH),
    _row("fmnist-mipl", 2, _IMAGES, _PAPER, gaps=_BOTH),
    _row("fmnist-mipl", 3, _IMAGES, _PAPER, gaps=_BOTH),
    _row("birdsong-mipl", 1, _BIRDSONG, _PAPER, gaps=(_LR,)),
    _row("birdsong-mipl", 2, _BIRDSONG, _PAPER, gaps=(_LR,)),
    _row("birdsong-mipl", 3, _BIRDSONG, _PAPER, gaps=(_LR,)),
    _row("sival-mipl", 1, _BENCHMARK, _PAPER, gaps=_BOTH),
    _row("sival-mipl", 2, _BENCHMARK, _PAPER, gaps=_BOTH),
    _row("sival-mipl", 3, _BENCHMARK, _PAPER, gaps=_BOTH),
    _row("crc-mipl", None, _CRC, _PAPER, gaps=_BOTH),
)
