"""Why a model says what it says about one bag."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.data.candidates import Candidates
from mipl.data.dataset import Dataset
from mipl.methods.bases.base import BagClassifier

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation:
    """What a model believes of one bag, and which instances it looked at.

    Attributes
    ----------
    name : str
    bag : Bags of one
    classes : (k,) names
    p : (k,)
        Probabilities.
    candidates : (k,) bool
    weights : (k,)
        Probabilities restricted to the candidates.
    margin : float
        Best candidate minus best non-candidate.
    label : name or None
        The true class, where known.
    attention, rank : (n,) or None
        Raw, and from 0 to 1 inside the bag; None where the method has none.
    class_scores : (n, k) or None
        Instance scores of the classes.
    facts : mapping
        What the data set tells of all its bags.
    """

    name: str
    bag: Bags
    classes: npt.NDArray[Any]
    p: Floats
    candidates: npt.NDArray[np.bool_]
    weights: Floats
    margin: float
    label: Any
    attention: Floats | None
    rank: Floats | None
    class_scores: Floats | None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Floats | None:
        """Instance scores of the predicted class, (n,)."""
        if self.class_scores is None:
            return None
        return np.ascontiguousarray(self.class_scores[:, self.p.argmax()])

    @property
    def predicted(self) -> Any:
        """The likeliest class."""
        return self.classes[self.p.argmax()].item()

    @property
    def disambiguated(self) -> Any:
        """The likeliest candidate."""
        return self.classes[self.weights.argmax()].item()

    def order(self) -> npt.NDArray[np.int64]:
        """Return the instances by falling attention, else score, or as they stand."""
        weight = self.scores if self.attention is None else self.attention
        if weight is None:
            return np.arange(self.bag.n_instances)
        return np.argsort(-weight, kind="stable")

    @property
    def ordered_by(self) -> str:
        """What ``order`` goes by, in words."""
        if self.attention is not None:
            return "most attended first"
        return "in their order" if self.scores is None else "highest score first"

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return what is known of each instance, in the order of ``order``."""
        bag = self.bag
        columns = {
            "instance": np.arange(bag.n_instances),
            "attention": self.attention,
            "rank": self.rank,
            f"score_{self.predicted}": self.scores,
            "label": bag.instance_labels,
        }
        if bag.coords is not None:
            names = self._coords(bag.coords.shape[1])
            columns |= {name: bag.coords[:, c] for c, name in enumerate(names)}
        order = self.order()
        return {name: a[order] for name, a in columns.items() if a is not None}

    def _coords(self, width: int) -> list[str]:
        """Return what the data set calls the columns of coords."""
        told = self.facts.get("coords")
        if isinstance(told, (list, tuple)) and len(told) == width:
            return [f"coord_{name}" for name in told]
        return [f"coord_{c}" for c in range(width)]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        names = self.classes.tolist()
        table = self.columns()
        rows = zip(*(values.tolist() for values in table.values()), strict=True)
        return {
            "bag": self.name,
            "predicted": self.predicted,
            "disambiguated": self.disambiguated,
            "label": self.label,
            "margin": self.margin,
            "violated": self.margin < 0,
            "classes": [
                {"class": name, "probability": p, "candidate": c, "weight": w}
                for name, p, c, w in zip(
                    names,
                    self.p.tolist(),
                    self.candidates.tolist(),
                    self.weights.tolist(),
                    strict=True,
                )
            ],
            "instances": [dict(zip(table, row, strict=True)) for row in rows],
        }


def explain(model: BagClassifier, data: Dataset, index: int) -> Explanation:
    """Explain what a fitted model says about bag ``index`` of a data set.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic")
    >>> model = MIPLMA(training=Training(epochs=5), random_state=0)
    >>> told = explain(model.fit(data.bags, data.candidates), data, 0)
    >>> told.name, len(told.attention), round(float(told.attention.sum()), 6)
    ('bag 0', 9, 1.0)
    """
    one = data[[index]]
    bag = one.bags.load()
    belief = model.disambiguate(bag, one.candidates)
    p = model.predict_proba(bag)[0]
    attends = hasattr(model, "attend")
    scored = hasattr(model, "predict_instances")
    return Explanation(
        name=data.bags.name(index),
        bag=bag,
        classes=model.classes_,
        p=p,
        candidates=Candidates(one.candidates, classes=model.classes_).matrix[0],
        weights=belief.posterior[0],
        margin=float(belief.margins[0]),
        label=None if one.labels is None else one.labels[0].item(),
        attention=model.attend(bag) if attends else None,
        rank=model.attend(bag, scale="rank") if attends else None,
        class_scores=model.predict_instances(bag) if scored else None,
        facts=dict(data.facts),
    )
