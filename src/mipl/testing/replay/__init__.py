"""Recompute golden numbers with the parts that ``fit`` uses.

No mathematics stands here: a replay builds the public estimator, loads the given
parameters, and runs the library's own network, losses, updates and steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.errors import unknown

_HOMES = {
    "abmil_flat": "mipl.testing.replay.mil:abmil",
    "abmil_image": "mipl.testing.replay.mil:abmil",
    "agopmipl_flat": "mipl.testing.replay.agopmipl:released",
    "agopmipl_image": "mipl.testing.replay.agopmipl:images",
    "demipl_flat": "mipl.testing.replay.demipl:released",
    "demipl_image": "mipl.testing.replay.demipl:released",
    "elimipl_flat": "mipl.testing.replay.elimipl:released",
    "elimipl_image": "mipl.testing.replay.elimipl:released",
    "fastmipl_head": "mipl.testing.replay.fastmipl:released",
    "hfcmipl_flat": "mipl.testing.replay.hfcmipl:released",
    "lm_vgpmil": "mipl.testing.replay.sparse_process:lm_vgpmil",
    "lossatt_flat": "mipl.testing.replay.mil:loss_attention",
    "lossatt_image": "mipl.testing.replay.mil:loss_attention",
    "miplgp": "mipl.testing.replay.miplgp:released",
    "miplma_flat": "mipl.testing.replay.miplma:released",
    "miplma_flat512": "mipl.testing.replay.miplma:released",
    "miplma_image": "mipl.testing.replay.miplma:released",
    "miplma_paper": "mipl.testing.replay.miplma_paper:paper",
    "mivae_small": "mipl.testing.replay.mivae:released",
    "pll_cavl": "mipl.testing.replay.pll:cavl",
    "pll_lws": "mipl.testing.replay.pll:lws",
    "pll_pop": "mipl.testing.replay.pop:released",
    "pll_proden": "mipl.testing.replay.pll:proden",
    "pll_rc_cc": "mipl.testing.replay.pll:rc_and_cc",
    "promipl_flat": "mipl.testing.replay.promipl:released",
    "uamipl_flat": "mipl.testing.replay.fastmipl:uamipl",
    "vgpmil": "mipl.testing.replay.sparse_process:vgpmil",
    "vwsgp": "mipl.testing.replay.sparse_process:vwsgp",
}


def replay(
    name: str, inputs: Mapping[str, npt.NDArray[Any]]
) -> dict[str, npt.NDArray[np.float64]]:
    """Return every number of a golden file, from its inputs alone.

    Parameters
    ----------
    name : str
        Stem of the golden file, e.g. ``"miplma_flat"``.
    inputs : mapping
        The arrays that ``inputs.json`` lists for it.
    """
    if name not in _HOMES:
        raise unknown("golden file", name, _HOMES)
    module, function = _HOMES[name].split(":")
    found: dict[str, npt.NDArray[np.float64]] = getattr(
        import_module(module), function
    )({key: np.asarray(value) for key, value in inputs.items()})
    return found
