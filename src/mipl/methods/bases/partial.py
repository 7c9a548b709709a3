"""PartialLabelClassifier: scikit-learn's contract, for rows with candidate labels."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier, Floats
from mipl.parameters import learnt


class PartialLabelClassifier(BagClassifier):
    """Base of the methods that learn from vectors, each with a candidate set.

    They are ordinary scikit-learn classifiers of 2-D arrays, whose ``y`` may be 1-D
    labels or candidate sets; ``Degraded`` makes bag methods of them. A leaf gives
    ``_fit(bags, candidates)`` and ``_proba(bags)`` as every method does: each bag has
    one instance, so row i of ``bags.instances`` belongs to set i.
    """

    label_weights_: Floats = learnt()

    @property
    def disambiguated_(self) -> npt.NDArray[Any]:
        """The class of the largest label weight of each training row, (m,)."""
        names: npt.NDArray[Any] = self.classes_[self.label_weights_.argmax(axis=1)]
        return names

    def _as_bags(self, X: Any, fitting: bool = False) -> Bags:
        bags = super()._as_bags(X, fitting)
        several = bags.sizes > 1
        if several.any():
            first, kind = int(several.argmax()), type(self).__name__
            raise MiplError(
                f"{kind} takes one vector per row, and {bags.name(first)} has "
                f"{bags.sizes[first]} instances; make vectors of bags by "
                f"Degraded({kind}(), reduction='mean')."
            )
        return bags

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = False
        return tags
