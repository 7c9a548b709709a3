"""PL-AGGD: adaptive graph guided disambiguation (KDD 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from mipl.data.candidates import Candidates
from mipl.methods.bases.base import Floats
from mipl.methods.bases.solved import SolvedClassifier
from mipl.nn.kernel_ridge import KernelRidge, gaussian_kernel
from mipl.objectives.neighbour_graph import (
    graph_weights,
    nearest,
    propagated,
    residual_operator,
    squares_of_differences,
)
from mipl.parameters import COUNT, integer, number, redeclared

_ROWS = 1024  # Rows predicted at once.
_LEAST = 1e-6  # Probability of a class whose score is negative.


class PLAGGD(SolvedClassifier):
    """Partial-label learning by adaptive graph guided disambiguation.

    Rows that are alike should have alike label weights. A graph tells how each row is
    put together from its nearest neighbours; label weights follow the graph, a kernel
    regression follows the label weights, and graph and weights follow in turn, so that
    neighbours in features and in labels count.

    ::

        J = ||w - f(X)||^2 + gamma ||f||_H^2
            + lam sum_i ||x_i - sum_j G_ij x_j||^2 + mu sum_i ||w_i - sum_j G_ij w_j||^2

    w_i lies on the simplex of the candidates of row i, G_i on that of its nearest
    neighbours; x_i of the graph has unit length; f has a Gaussian kernel, as wide as
    two rows are apart on average, and a bias. The three are minimised in turn, each
    step to the least value within a proven gap, so that J never rises.

    Memory: two m x m matrices of float64 while fitting, one of them for long (m = 5000:
    0.4 GB); time grows with m^3. At most 6000 rows.

    Attributes
    ----------
    label_weights_ : (m, k)
    history_ : list of dict
        J before the first round and after each.

    Notes
    -----
    The bias is the authors' program's; the paper has none. Probabilities are the scores
    of the regression, which sum to one, negative ones replaced by almost zero.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> sets = [{"elm", "oak"}, {"elm"}, {"oak"}, {"elm", "oak"}]
    >>> PLAGGD(k=1).fit(x, sets).predict(x).tolist()
    ['elm', 'elm', 'oak', 'oak']

    References
    ----------
    Wang, Li, Zhang: Adaptive graph guided disambiguation for partial label learning.
    KDD 2019.
    """

    k: int = integer("Number of neighbours.", default=10, at_least=1)
    lam: float = number("The paper's λ.", default=1.0, at_least=0, search=(0.1, 1.0))
    mu: float = number("The paper's μ.", default=1.0, at_least=0, search=(0.1, 1.0))
    gamma: float = number(
        "The paper's γ.",
        default=0.05,
        at_least=1e-9,
        search=(0.01, 0.05, 0.5),
    )
    max_iter: int = integer(
        "Rounds of the three steps.", default=10, at_least=0, bearable=COUNT
    )
    random_state: Any = redeclared(default=None, about="Not used: nothing is drawn.")

    _most_rows: ClassVar[tuple[int, str] | None] = (
        6000,
        "it holds a matrix of all pairs of them",
    )

    def _solve(self, x: Floats, candidates: Candidates, seed: int) -> Floats:
        sets, unit_and_near = candidates.matrix, nearest(x, self.k)
        near = unit_and_near[1]  # (m, k)
        in_features = squares_of_differences(*unit_and_near)  # (m, k, k)
        graph = np.full(near.shape, 1 / max(near.shape[1], 1))
        graph = graph_weights(in_features, graph)
        residual = residual_operator(near, graph)
        w = propagated(residual, sets, candidates.initial_weights())
        ridge = KernelRidge(x, self.gamma)
        alpha, bias = ridge.solve(w)
        for i in range(self.max_iter + 1):
            if i > 0:
                products = self.lam * in_features
                products += self.mu * squares_of_differences(w, near)
                graph = graph_weights(products, graph)
                residual = residual_operator(near, graph)
                fitted = w - self.gamma * alpha
                w = propagated(residual, sets, w, self.mu, fitted)
                alpha, bias = ridge.solve(w)
            value = self.gamma * float((alpha * (w - bias)).sum())
            value += self.lam * float(np.einsum("mi,mij,mj", graph, in_features, graph))
            value += self.mu * float(np.square(residual @ w).sum())
            self.history_.append({"objective": value})
        self.rows_, self.alpha_, self.bias_ = x, alpha, bias
        self.bandwidth_ = np.array([ridge.bandwidth])
        return w

    def _probabilities(self, x: Floats) -> Floats:
        scores = np.empty((len(x), len(self.bias_)))
        for first in range(0, len(x), _ROWS):
            part = slice(first, first + _ROWS)
            kernel = gaussian_kernel(x[part], self.rows_, float(self.bandwidth_[0]))
            scores[part] = kernel @ self.alpha_ + self.bias_
        p: Floats = np.maximum(scores, _LEAST)
        p /= p.sum(axis=1, keepdims=True)
        return p

    def _shapes(self) -> Mapping[str, tuple[int | None, ...]]:
        m, d, q = len(self.label_weights_), self.n_features_in_, len(self.classes_)
        return {"rows": (m, d), "alpha": (m, q), "bias": (q,), "bandwidth": (1,)}
