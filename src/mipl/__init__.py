"""Learning from bags of instances with candidate label sets.

Public names are loaded on first use: ``import mipl`` loads neither torch nor NumPy.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from mipl.data import (
        Bags,
        Candidates,
        Dataset,
        MaxMin,
        Mean,
        PerInstance,
        ten_splits,
    )
    from mipl.data.describe import describe
    from mipl.data.validate import validate
    from mipl.datasets import load_dataset
    from mipl.errors import MiplError
    from mipl.io import read_bags, read_dataset, write_dataset
    from mipl.methods.catalogue.registry import method
    from mipl.methods.loading import load_model
    from mipl.methods.mil.abmil import ABMIL
    from mipl.methods.mil.gated_abmil import GatedABMIL
    from mipl.methods.mil.lm_vgpmil import LMVGPMIL
    from mipl.methods.mil.loss_attention import LossAttention
    from mipl.methods.mil.maam import MAAM
    from mipl.methods.mil.mivae import MIVAE
    from mipl.methods.mil.vgpmil import VGPMIL
    from mipl.methods.mil.vwsgp import VWSGP
    from mipl.methods.mipl.cdl import CDL
    from mipl.methods.mipl.demipl import DEMIPL
    from mipl.methods.mipl.elimipl import ELIMIPL
    from mipl.methods.mipl.fastmipl import FastMIPL
    from mipl.methods.mipl.mean_pooling import MeanPooling
    from mipl.methods.mipl.miplgp import MIPLGP
    from mipl.methods.mipl.miplma import MIPLMA
    from mipl.methods.mipl.promipl import ProMIPL
    from mipl.methods.pll.cavl import CAVL
    from mipl.methods.pll.cc import CC
    from mipl.methods.pll.lws import LWS
    from mipl.methods.pll.m3pl import M3PL
    from mipl.methods.pll.plaggd import PLAGGD
    from mipl.methods.pll.plsvm import PLSVM
    from mipl.methods.pll.pop import POP
    from mipl.methods.pll.proden import PRODEN
    from mipl.methods.pll.proden_ma import PRODENMA
    from mipl.methods.pll.rc import RC
    from mipl.methods.wrappers.degraded import Degraded
    from mipl.methods.wrappers.one_vs_rest import OneVsRest
    from mipl.methods.wrappers.together import fit_together
    from mipl.runs.run import Run
    from mipl.training import Checkpoint, Training

__version__ = "0.1.0"

_HOMES = {
    "ABMIL": "mipl.methods.mil.abmil",
    "Bags": "mipl.data",
    "CAVL": "mipl.methods.pll.cavl",
    "CC": "mipl.methods.pll.cc",
    "CDL": "mipl.methods.mipl.cdl",
    "Candidates": "mipl.data",
    "Checkpoint": "mipl.training",
    "DEMIPL": "mipl.methods.mipl.demipl",
    "Dataset": "mipl.data",
    "Degraded": "mipl.methods.wrappers.degraded",
    "ELIMIPL": "mipl.methods.mipl.elimipl",
    "FastMIPL": "mipl.methods.mipl.fastmipl",
    "LMVGPMIL": "mipl.methods.mil.lm_vgpmil",
    "GatedABMIL": "mipl.methods.mil.gated_abmil",
    "LWS": "mipl.methods.pll.lws",
    "LossAttention": "mipl.methods.mil.loss_attention",
    "M3PL": "mipl.methods.pll.m3pl",
    "MAAM": "mipl.methods.mil.maam",
    "MIPLGP": "mipl.methods.mipl.miplgp",
    "MIPLMA": "mipl.methods.mipl.miplma",
    "MIVAE": "mipl.methods.mil.mivae",
    "MaxMin": "mipl.data",
    "Mean": "mipl.data",
    "MeanPooling": "mipl.methods.mipl.mean_pooling",
    "MiplError": "mipl.errors",
    "OneVsRest": "mipl.methods.wrappers.one_vs_rest",
    "PLAGGD": "mipl.methods.pll.plaggd",
    "PLSVM": "mipl.methods.pll.plsvm",
    "POP": "mipl.methods.pll.pop",
    "PRODEN": "mipl.methods.pll.proden",
    "PRODENMA": "mipl.methods.pll.proden_ma",
    "PerInstance": "mipl.data",
    "ProMIPL": "mipl.methods.mipl.promipl",
    "RC": "mipl.methods.pll.rc",
    "Run": "mipl.runs.run",
    "Training": "mipl.training",
    "VGPMIL": "mipl.methods.mil.vgpmil",
    "VWSGP": "mipl.methods.mil.vwsgp",
    "describe": "mipl.data.describe",
    "fit_together": "mipl.methods.wrappers.together",
    "load_dataset": "mipl.datasets",
    "load_model": "mipl.methods.loading",
    "method": "mipl.methods.catalogue.registry",
    "read_bags": "mipl.io",
    "read_dataset": "mipl.io",
    "ten_splits": "mipl.data",
    "validate": "mipl.data.validate",
    "write_dataset": "mipl.io",
}

__all__ = [
    "ABMIL",
    "CAVL",
    "CC",
    "CDL",
    "DEMIPL",
    "ELIMIPL",
    "LMVGPMIL",
    "LWS",
    "M3PL",
    "MAAM",
    "MIPLGP",
    "MIPLMA",
    "MIVAE",
    "PLAGGD",
    "PLSVM",
    "POP",
    "PRODEN",
    "PRODENMA",
    "RC",
    "VGPMIL",
    "VWSGP",
    "Bags",
    "Candidates",
    "Checkpoint",
    "Dataset",
    "Degraded",
    "FastMIPL",
    "GatedABMIL",
    "LossAttention",
    "MaxMin",
    "Mean",
    "MeanPooling",
    "MiplError",
    "OneVsRest",
    "PerInstance",
    "ProMIPL",
    "Run",
    "Training",
    "describe",
    "fit_together",
    "load_dataset",
    "load_model",
    "method",
    "read_bags",
    "read_dataset",
    "ten_splits",
    "validate",
    "write_dataset",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


class _Moved:
    """Looks for a module that nobody finds where modules have moved to."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.startswith("mipl."):
            return import_module("mipl.moved").spec_of(name)  # type: ignore[no-any-return]
        return None


sys.meta_path.append(_Moved)
