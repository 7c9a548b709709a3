"""Import paths of version 0.1.0 that have moved: they work for one release more."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

_PLACES = {
    "mipl.data.generators": "mipl.data.candidate_generators",
    "mipl.disambiguation": "mipl.objectives",
    "mipl.experiments": "mipl.runs",
    "mipl.experiments.comparison": "mipl.runs.comparison",
    "mipl.experiments.entrants": "mipl.paper.entrants",
    "mipl.experiments.paper": "mipl.paper.published",
    "mipl.experiments.plan": "mipl.runs.run",
    "mipl.experiments.runner": "mipl.runs.runner",
    "mipl.experiments.score_table": "mipl.paper.score_table",
    "mipl.experiments.sources": "mipl.datasets.published_sets",
    "mipl.experiments.store": "mipl.runs.store",
    "mipl.formats": "mipl.io",
    "mipl.images.catalog": "mipl.images.bag_generators",
    "mipl.losses": "mipl.objectives",
    "mipl.methods.one_vs_rest": "mipl.methods.wrappers.one_vs_rest",
    "mipl.methods.registry": "mipl.methods.catalogue.registry",
    "mipl.methods.row": "mipl.methods.catalogue.method_row",
}


class _Signpost:
    """Loads an empty module that hands out the names of the one it has moved to."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Say where it has moved to, and look names up there."""
        old = module.__name__
        place = _PLACES[old]
        warnings.warn(
            f"{old} has moved to {place}; the next release drops the old path.",
            DeprecationWarning,
            stacklevel=2,
        )
        found = import_module(place)
        vars(module)["__getattr__"] = lambda name: getattr(found, name)


def spec_of(name: str) -> ModuleSpec | None:
    """Return how to import a module that has moved; None for all others."""
    if name not in _PLACES:
        return None
    return ModuleSpec(name, _Signpost(), is_package=True)  # type: ignore[arg-type]
