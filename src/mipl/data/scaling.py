"""Feature scaling of bags, fitted on the bags it is given and on no others."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.preprocessing import StandardScaler

from mipl.data.arrays import numbers
from mipl.data.bags import Bags
from mipl.data.blocks import blocks
from mipl.data.frozen import Array
from mipl.errors import MiplError


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
        """Fit on the instances of these bags, block by block where it can."""
        bags = Bags(X)
        template = StandardScaler() if self.transformer is None else self.transformer
        self.transformer_ = clone(template)
        if hasattr(self.transformer_, "partial_fit"):
            for block in blocks(bags):
                # Sums of squares of float32 lose digits.
                self.transformer_.partial_fit(block.rows.astype(np.float64))
        elif bags.on_disk:
            raise MiplError(
                f"{type(self.transformer_).__name__} cannot be fitted on bags on disk; "
                "use one with partial_fit, or bags.load()."
            )
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
        rows = np.concatenate([self._transformed(piece) for piece in bags.pieces()])
        rows.flags.writeable = False  # Nobody else holds it, so it need not be copied.
        return bags.with_instances(rows)

    def _transformed(self, piece: Bags) -> Array:
        rows = self.transformer_.transform(piece.instances.astype(np.float64))
        # Through Bags, so that a number too large for float32 is named with its bag.
        return cast(Array, piece.with_instances(numbers(rows, "the output")).instances)


def standardisation(bags: Bags, scaling: str) -> tuple[Array, Array, Array]:
    """Return shift and scale of each feature, and the variances they leave.

    Parameters
    ----------
    bags : Bags
    scaling : {"auto", "standard", "none"}
        ``"auto"`` standardises features, unless they are images; otherwise shift and
        scale are 0 and 1.

    Examples
    --------
    >>> bags = Bags([np.array([[1.0, 5.0], [3.0, 5.0]])])
    >>> [part.tolist() for part in standardisation(bags, "standard")]
    [[2.0, 5.0], [1.0, 1.0], [1.0, 0.0]]
    """
    scaler = PerInstance().fit(bags).transformer_
    if scaling == "standard" or (scaling == "auto" and bags.instance_shape is None):
        return scaler.mean_, scaler.scale_, scaler.var_ / scaler.scale_**2
    return np.zeros(bags.n_features), np.ones(bags.n_features), scaler.var_
