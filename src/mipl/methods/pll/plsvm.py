"""PL-SVM: a maximum margin between candidates and the others (KDD 2008)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from mipl.data.candidates import Candidates
from mipl.methods.bases.base import Floats
from mipl.methods.bases.solved import SolvedClassifier, with_constant
from mipl.objectives.hinge import candidate_hinge, smooth_candidate_hinge
from mipl.parameters import COUNT, integer, number, redeclared
from mipl.seeds import stream

_TEMPERATURES = (1.0, 0.1, 0.01, 0.001)
_FEW = 100_000  # Up to so many scores times features, twenty starts are cheap.


class PLSVM(SolvedClassifier):
    """Partial-label support vector machine.

    One linear scorer per class. The best candidate of a row should beat its best
    non-candidate by a margin of one; which candidate is the best is left to the scorers
    themselves.

    ::

        min  lam/2 ||W||^2 + (1/m) sum_i max(0, 1 - (max_S s_ic - max_not_S s_ic))
        s_i = W (x_i, 1)

    Rows with full candidate sets have no second maximum, and count as zero. The
    function is not convex. It is minimised by L-BFGS in smooth forms that sharpen step
    by step: the first takes the mean of the candidates, whose minimum leads to good
    ones of the last. Of all steps and starts the W with the least function is kept.
    Time grows with m k d; memory with m k + m d.

    Attributes
    ----------
    coef_ : (k, d + 1)
        W; the last column holds the biases.
    history_ : list of dict
        Start, temperature and function of each step; W has the least of them.
    label_weights_ : (m, k)
        One for the best candidate.

    Notes
    -----
    The paper descends along subgradients (Pegasos); on the data set Lost that ends some
    percent higher. Probabilities are softmax scores, not calibrated ones.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> sets = [{"elm", "ash"}, {"elm"}, {"oak"}, {"ash", "oak"}]
    >>> PLSVM().fit(x, sets).predict(x).tolist()
    ['elm', 'elm', 'oak', 'oak']

    References
    ----------
    Nguyen, Caruana: Classification with partial labels. KDD 2008.
    """

    lam: float = number(
        "The paper's λ.",
        default=0.01,
        at_least=1e-9,
        search=(0.001, 0.01, 0.1, 1.0),
    )
    n_init: int | None = integer(
        "Number of starts: the first from zero, the others random and at once sharp. "
        "By default 20 on small problems, and 1 where m k d exceeds 100 000.",
        default=None,
        at_least=1,
    )
    max_iter: int = integer(
        "Most steps of L-BFGS for each sharpness.",
        default=200,
        at_least=1,
        bearable=COUNT,
    )
    scaling: str = redeclared(
        default="standard",
        about="Whether features are standardised first; it matters much.",
    )
    random_state: Any = redeclared(default=None, about="Of the random starts.")

    def _solve(self, x: Floats, candidates: Candidates, seed: int) -> Floats:
        x, sets = with_constant(x), candidates.matrix
        shape = (sets.shape[1], x.shape[1])
        least = np.inf
        n_init = self.n_init or (20 if sets.size * x.shape[1] <= _FEW else 1)
        for start in range(n_init):
            w = np.zeros(shape)
            if start > 0:
                w = stream(seed, "start", start).normal(0, self.lam**-0.5, shape)
            for temperature in _TEMPERATURES[start > 0 :]:
                w = self._descended(w, x, sets, temperature)
                value = self._objective(w, x, sets)
                if value < least:
                    self.coef_, least = w, value
                step = {"start": start, "temperature": temperature, "objective": value}
                self.history_.append(step)
        scores = np.where(sets, x @ self.coef_.T, -np.inf)
        weights: Floats = np.eye(len(sets[0]))[scores.argmax(axis=1)]
        return weights

    def _objective(self, w: Floats, x: Floats, sets: Any) -> float:
        loss = candidate_hinge(x @ w.T, sets).mean()
        return float(self.lam / 2 * np.square(w).sum() + loss)

    def _descended(
        self, start: Floats, x: Floats, sets: Any, temperature: float
    ) -> Floats:
        """Return the minimum of the smooth form that L-BFGS finds from a start."""

        def smooth(flat: Floats) -> tuple[float, Floats]:
            w = flat.reshape(start.shape)
            loss, slope = smooth_candidate_hinge(x @ w.T, sets, temperature)
            value = self.lam / 2 * np.square(w).sum() + loss.mean()
            return value, (self.lam * w + slope.T @ x / len(x)).ravel()

        options = {"maxiter": self.max_iter, "maxcor": 20}
        found = minimize(
            smooth, start.ravel(), jac=True, method="L-BFGS-B", options=options
        )
        w: Floats = found.x.reshape(start.shape)
        return w

    def _probabilities(self, x: Floats) -> Floats:
        p: Floats = softmax(with_constant(x) @ self.coef_.T, axis=1)
        return p
