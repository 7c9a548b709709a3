"""Reduction of each bag to one vector, for methods that take vectors."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from mipl.data.bags import Bags
from mipl.data.blocks import blocks
from mipl.errors import MiplError


class _Reduction(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer without state: bags -> (m, d') array."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember the number of features."""
        self.n_features_in_ = Bags(X).n_features
        return self

    def transform(self, X: Any) -> npt.NDArray[np.float32]:
        """Return one vector per bag."""
        bags = Bags(X)
        expected = getattr(self, "n_features_in_", bags.n_features)
        if bags.n_features != expected:
            raise MiplError(
                f"the bags have {bags.n_features} features; "
                f"{type(self).__name__} was fitted on {expected}."
            )
        return self._reduce(bags)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return a name for each number of a vector."""
        d = getattr(self, "n_features_in_", None)
        if d is None:
            raise MiplError(f"this {type(self).__name__} is not fitted yet; call fit.")
        inputs = (
            [f"x{i}" for i in range(d)] if input_features is None else input_features
        )
        return np.array(
            [f"{part}_{name}" for part in self._parts for name in inputs], dtype=object
        )

    _parts: ClassVar[tuple[str, ...]] = ()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _reduce(self, bags: Bags) -> npt.NDArray[np.float32]:
        raise NotImplementedError


class Mean(_Reduction):
    """Reduce a bag to the mean of its instances, length d.

    Examples
    --------
    >>> Mean().fit_transform([np.array([[1.0, 2.0], [3.0, 6.0]])]).tolist()
    [[2.0, 4.0]]
    """

    _parts = ("mean",)

    def _reduce(self, bags: Bags) -> npt.NDArray[np.float32]:
        # A long sum of float32 loses digits.
        total = np.zeros((len(bags), bags.n_features))
        for block in blocks(bags):
            rows = block.rows.astype(np.float64)
            total[block.bags] += np.add.reduceat(rows, block.starts, axis=0)
        return (total / bags.sizes[:, None]).astype(np.float32)


class MaxMin(_Reduction):
    """Reduce a bag to its largest then its smallest value per feature, length 2d.

    Examples
    --------
    >>> MaxMin().fit_transform([np.array([[1.0, 2.0], [3.0, 0.0]])]).tolist()
    [[3.0, 2.0, 1.0, 0.0]]
    """

    _parts = ("max", "min")

    def _reduce(self, bags: Bags) -> npt.NDArray[np.float32]:
        largest = np.full((len(bags), bags.n_features), -np.inf, np.float32)
        smallest = -largest
        for block in blocks(bags):
            which, starts = block.bags, block.starts
            high = np.maximum.reduceat(block.rows, starts, axis=0)
            low = np.minimum.reduceat(block.rows, starts, axis=0)
            largest[which] = np.maximum(largest[which], high)
            smallest[which] = np.minimum(smallest[which], low)
        return np.concatenate([largest, smallest], axis=1)  # (m, 2d)
