"""Feature scaling of bags, fitted on the bags it is given and on no others."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.preprocessing import StandardScaler

from mipl.data.bags import Bags
from mipl.errors import MiplError

_PIECE = 1 << 16  # Instances held in memory at a time.


class PerInstance(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Apply a scikit-learn transformer to the instances of bags.

    Parameters
    ----------
    transformer : transformer of 2-D arrays, default StandardScaler()
        Constant features are left at zero, not divided by zero.

    Examples
    --------
    >>> bags = Bags([np.array([[1.0], [3.0]]), np.array([[5.0]])])
    >>> PerInstance().fit_transform(bags).instances.ravel().tolist()
    [-1.22..., 0.0, 1.22...]
    """

    def __init__(self, transformer: Any = None) -> None:
        self.transformer = transformer

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on the instances of these bags, piece by piece where it can."""
        bags = Bags(X)
        self.transformer_ = clone(self.transformer or StandardScaler())
        if bags.on_disk and not hasattr(self.transformer_, "partial_fit"):
            raise MiplError(
                f"{type(self.transformer_).__name__} cannot be fitted on bags on disk; "
                "use one with partial_fit, or bags.load()."
            )
        if hasattr(self.transformer_, "partial_fit"):
            for piece in bags.pieces(_PIECE):
                # Sums of squares of float32 lose digits.
                self.transformer_.partial_fit(piece.instances.astype(np.float64))
        else:
            self.transformer_.fit(bags.instances.astype(np.float64))
        self.n_features_in_ = bags.n_features
        return self

    def transform(self, X: Any) -> Bags:
        """Return bags of the same sizes with transformed instances, in memory."""
        if not hasattr(self, "transformer_"):
            raise MiplError("this PerInstance is not fitted yet; call fit first.")
        bags = Bags(X)
        if bags.n_features != self.n_features_in_:
            raise MiplError(
                f"the bags have {bags.n_features} features, but the transformer was "
                f"fitted on {self.n_features_in_}."
            )
        bags = bags.load()
        rows = self.transformer_.transform(bags.instances.astype(np.float64))
        return bags.with_instances(np.asarray(rows))
