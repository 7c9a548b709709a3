"""Learning from bags of instances with candidate label sets.

Public names are loaded on first use: ``import mipl`` loads neither torch nor NumPy.
What type checkers see is ``__init__.pyi``, which ``make names`` writes.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__version__ = "0.1.0"

# The names of each module; classes of methods are named by the catalogue's entries.
_NAMES = {
    "mipl.data": (
        "Bags",
        "Candidates",
        "Dataset",
        "MaxMin",
        "Mean",
        "PerInstance",
        "ten_splits",
    ),
    "mipl.data.describe": ("describe",),
    "mipl.data.long_frames": ("bags_of_frame",),
    "mipl.data.validate": ("validate",),
    "mipl.datasets": ("load_dataset",),
    "mipl.errors": ("MiplError",),
    "mipl.io": ("read_bags", "read_dataset", "write_dataset"),
    "mipl.methods.bases.bag_learner": ("BagLearner",),
    "mipl.methods.bases.base": ("BagClassifier",),
    "mipl.methods.catalogue.own_methods": ("register",),
    "mipl.io.streams": ("streamed",),
    "mipl.methods.catalogue.registry": ("method",),
    "mipl.methods.exports.export": ("export_onnx",),
    "mipl.methods.loading": ("load_model",),
    "mipl.methods.wrappers.degraded": ("Degraded",),
    "mipl.methods.wrappers.ensemble": ("Ensemble",),
    "mipl.methods.wrappers.one_vs_rest": ("OneVsRest",),
    "mipl.methods.wrappers.together": ("fit_together",),
    "mipl.reports.result_views": ("results_plot", "results_table"),
    "mipl.runs.run": ("Run",),
    "mipl.training": ("Checkpoint", "Training"),
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names}


def _homes() -> dict[str, str]:
    """Return the module of every public name."""
    from mipl.methods.catalogue.classes import method_classes

    return {**_HOMES, **method_classes()}


_PACKAGES = (
    "data", "datasets", "errors", "images", "io", "metrics", "nn", "objectives",
    "parameters", "parts", "reports", "review", "runs", "selection", "testing",
    "training",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"mipl.{name}")
    if name == "__all__":
        value: Any = sorted(_homes(), key=_place)
    else:
        home = _HOMES.get(name) or (not name.startswith("_") and _homes().get(name))
        if not home:
            raise AttributeError(f"module 'mipl' has no attribute {name!r}")
        value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def _place(name: str) -> tuple[bool, bool, str]:
    """Return what sorts names: all capitals first, then classes, then functions."""
    return not name.isupper(), name[0].islower(), name


def __dir__() -> list[str]:
    return sorted([*_homes(), *_PACKAGES, "__version__"])


class _Moved:
    """Looks for a module that nobody finds where modules have moved to."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name.startswith("mipl."):
            return import_module("mipl.moved").spec_of(name)  # type: ignore[no-any-return]
        return None


sys.meta_path.append(_Moved)
