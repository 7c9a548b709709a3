"""Saving a fitted method: safetensors, JSON and a model card."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import PositiveFloat
from sklearn.utils.validation import check_is_fitted

from mipl.data.features import Features
from mipl.data.frozen import Array
from mipl.errors import BadFile, MiplError
from mipl.methods.saving import model_file
from mipl.methods.saving.arguments import as_json
from mipl.methods.saving.learnt_values import FACT, learnt_values, put_back
from mipl.methods.saving.model_card import render
from mipl.methods.saving.stored import Stored, classes_as_fact, classes_from_fact

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset

State = tuple[dict[str, Array], dict[str, Any]]
_KNOWN = (
    *("classes_", "n_features_in_", "feature_names_in_"),
    *("feature_source_", "temperature_", "conformal_"),
)


class Persistent:
    """What makes an estimator saveable.

    A method adds what it has learnt to ``_state`` and takes it from ``_restore``:
    arrays by name, and facts that are JSON values. Of one that has neither, all learnt
    attributes are kept that a file can hold.
    """

    classes_: Array
    n_features_in_: int
    temperature_: float
    conformal_: tuple[str, Array, Array] | None
    feature_source_: dict[str, Any]
    _fitted_on_sets: bool
    # What the fit under way goes on from: all that was learnt before, by name.
    _past: Mapping[str, Any] = MappingProxyType({})

    # What models were fitted with before there was an argument for it: theirs lack it.
    _before: ClassVar[Mapping[str, Any]] = {}

    def save(
        self,
        folder: str | Path,
        data: Dataset | None = None,
        figures: Mapping[str, float] | None = None,
    ) -> None:
        """Save the fitted model to a folder, which ``mipl.load_model`` reads.

        Parameters
        ----------
        folder : path
            Made anew; a model that lies there is replaced.
        data : Dataset, optional
            What the model was trained on, for the model card.
        figures : mapping of str to number, optional
            What was measured of the model, for the model card.
        """
        check_is_fitted(self)
        arrays, facts = self._state()
        model = model_file.as_model(
            method=as_json(self),
            facts=facts,
            data={} if data is None else _describe(data),
            figures={name: float(value) for name, value in (figures or {}).items()},
            versions=versions(),
        )
        model_file.write(folder, model, arrays, render(self, model))

    def _state(self) -> State:
        """Return what prediction needs: arrays and facts."""
        names = getattr(self, "feature_names_in_", None)
        facts = {
            "classes": classes_as_fact(self.classes_),
            "n_features": int(self.n_features_in_),
            "feature_names": None if names is None else [str(name) for name in names],
            "feature_source": dict(self.feature_source_),
            "several_instances": self._fitted_on_sets,
            "temperature": float(self.temperature_),
            "conformal": None,
        }
        arrays: dict[str, Array] = {}
        if self.conformal_ is not None:
            facts["conformal"], arrays["conformal.p"], arrays["conformal.truth"] = (
                self.conformal_
            )
        if type(self)._state is Persistent._state:
            more, facts[FACT] = learnt_values(self, _KNOWN)
            arrays |= more
        return arrays, facts

    def _restore(self, stored: Stored) -> None:
        """Take back what ``_state`` gave."""
        self.classes_ = classes_from_fact(stored.fact("classes", dict[str, Any]))
        self.n_features_in_ = stored.fact("n_features", int)
        names = stored.fact("feature_names", list[str] | None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        source = stored.later_fact("feature_source", dict[str, Any], {})
        known = Features.of_facts(source, self.n_features_in_)
        self.feature_source_ = {} if known is None else known.facts()
        self._fitted_on_sets = stored.fact("several_instances", bool)
        self.temperature_ = stored.fact("temperature", PositiveFloat)
        self.conformal_ = self._restored_conformal(stored)
        if type(self)._restore is Persistent._restore:
            put_back(self, stored)

    def _restored_conformal(self, stored: Stored) -> tuple[str, Array, Array] | None:
        kind = stored.fact("conformal", str | None)
        if kind is None:
            return None
        k = len(self.classes_)
        p = stored.array("conformal.p", (None, k), np.float64)
        if kind == "candidates":
            return kind, p, stored.array("conformal.truth", p.shape, np.bool_)
        truth = stored.array("conformal.truth", (len(p),), np.int64)
        if kind != "labels" or truth.min(initial=0) < 0 or truth.max(initial=0) >= k:
            raise BadFile("its calibration is damaged.")
        return kind, p, truth


def _describe(data: Dataset) -> dict[str, Any]:
    if not all(hasattr(data, name) for name in ("bags", "candidates", "facts")):
        raise MiplError(
            f"data of save must be the Dataset trained on; got a {type(data).__name__}."
        )
    return {
        "name": data.name,
        "licence": data.licence,
        "source": data.source,
        "bags": len(data),
        "instances": data.bags.n_instances,
        "candidates_per_bag": float(data.candidates.sizes.mean()),
        "sha256": data.bags.digest(),
        "facts": dict(data.facts),
    }


def versions() -> dict[str, str]:
    """Return the versions that the bits of a model depend on."""
    names = ("mipl", "numpy", "scikit-learn", "torch")
    return {"python": platform.python_version()} | {n: version(n) for n in names}
