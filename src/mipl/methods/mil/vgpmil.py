"""VGPMIL: instance labels and a Gaussian process, tied by the bags (CVPR 2017)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mipl.methods.bases.instance_process import (
    InferenceState,
    InstanceProcessClassifier,
)
from mipl.objectives.logistic_bound import bound_curvature, logistic_bound


class VGPMIL(InstanceProcessClassifier):
    """Variational Gaussian process multiple instance learning, for two classes.

    Every instance has a label of its own, which a Gaussian process explains; a bag has
    the second class if one of its instances has. Beliefs pi in the instance labels and
    the process follow one another.

    ::

        f ~ GP(0, k),   p(y_n = 1) = sigmoid(f_n),   p(T_b | y) = H^G / (1 + H)
        G = T max(y) + (1 - T)(1 - max(y))
        repeat:  q(u) = N(m, S),  S^-1 = K^-1 + A diag(2 lambda(xi)) A^T
                 m = S A (pi - 1/2)
                 logit(pi_n) = E f_n +- ln H (1 - M_n),   + in positive bags
                 xi_n = sqrt( E f_n^2 )
        lambda(xi) = (sigmoid(xi) - 1/2) / (2 xi),   A = K_zz^-1 K_zx
        p_b = max_n sigmoid(E f_n)

    M_n stands for the largest label of the other instances of the bag: in the published
    program, the default here, their largest pi, all moved at once. Such rounds do not
    come to rest: a positive bag whose beliefs have all fallen is pushed up again. So
    the number of rounds is a setting like others. With ``update="sequential"`` and
    ``emax="exact"`` every round raises a bound of the evidence, and decides worse.

    A bag with both candidates is repeated, once with each. For more classes:
    ``OneVsRest(VGPMIL())``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> bags = [rng.normal(0, 0.5, (3, 2)) for _ in labels]
    >>> for bag, y in zip(bags, labels):
    ...     bag[0] += 3 * y
    >>> VGPMIL().fit(bags, labels).score(bags, labels)
    1.0

    References
    ----------
    Haussmann, Hamprecht, Kandemir: Variational Bayesian multiple instance learning with
    Gaussian processes. CVPR 2017.
    """

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, with the default length of this library."""
        return cls(**{"precision_jitter": 1e-8, **arguments})

    def _step(self, state: InferenceState) -> dict[str, float]:
        labels, before = state.labels, state.labels.pi
        mean, square = self._regress(state, 2 * bound_curvature(state.xi), before - 0.5)
        self._relabel(state, mean)
        state.xi = np.sqrt(square)
        told = logistic_bound(labels.pi, mean, square, state.xi)
        return {
            "bound": float(told.sum()) + labels.bound() - self.posterior_.kl(),
            "change": float(np.abs(labels.pi - before).mean()),
        }
