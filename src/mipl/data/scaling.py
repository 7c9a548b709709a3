"""Feature scaling of bags, fitted on the bags it is given and on no others."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on the instances of these bags, block by block where it can.

        With ``sample_weight``, (m,), each instance counts as its bag does.
        """
        bags = Bags(X)
        template = StandardScaler() if self.transformer is None else self.transformer
        self.transformer_ = clone(template)
        fit, weights = self._fit_of(sample_weight)
        if fit == "partial_fit":
            for block in blocks(bags):
                # Sums of squares of float32 lose digits.
                rows = block.rows.astype(np.float64)
                if weights is None:
                    self.transformer_.partial_fit(rows)
                    continue
                sizes = np.diff([*block.starts, len(rows)])
                each = np.repeat(weights[block.bags], sizes)
                self.transformer_.partial_fit(rows, sample_weight=each)
        elif bags.on_disk:
            raise MiplError(
                f"{type(self.transformer_).__name__} cannot be fitted on bags on disk; "
                "use one with partial_fit, or bags.load()."
            )
        else:
            more = {}
            if weights is not None:
                more = {"sample_weight": np.repeat(weights, bags.sizes)}
            self.transformer_.fit(bags.instances.astype(np.float64), **more)
        self.n_features_in_ = bags.n_features
        return self

    def set_output(self, *, transform: Any = None) -> Self:
        """Do nothing: bags stay bags, whatever tables are to become."""
        return self

    def _fit_of(self, sample_weight: Any) -> tuple[str, Any]:
        """Return how the transformer is fitted, and the weights of bags, if any."""
        fit = "partial_fit" if hasattr(self.transformer_, "partial_fit") else "fit"
        if sample_weight is None:
            return fit, None
        if not has_fit_parameter(self.transformer_, "sample_weight"):
            raise MiplError(
                f"{type(self.transformer_).__name__} takes no sample_weight; leave it "
                "out, or take a transformer that does, such as StandardScaler."
            )
        return fit, np.asarray(sample_weight, dtype=np.float64)

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
