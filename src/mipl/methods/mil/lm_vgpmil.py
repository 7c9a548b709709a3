"""LM-VGPMIL: VGPMIL that asks instances to keep a margin (CVPR 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from mipl.data.bags import Bags
from mipl.methods.bases.base import Floats
from mipl.methods.bases.instance_process import (
    InferenceState,
    InstanceProcessClassifier,
)
from mipl.methods.bases.sparse_process import Integers
from mipl.objectives.logistic_bound import bound_curvature
from mipl.parameters import choice, number
from mipl.seeds import stream


@dataclass(eq=False)
class GatedInferenceState(InferenceState):
    """A state with gates; here ``xi`` are the bounds of these."""

    tau: Floats  # (n,) beliefs that gates are open
    phi: Floats  # (n,) bounds of the labels


class LMVGPMIL(InstanceProcessClassifier):
    """Large-margin VGPMIL, for two classes.

    As in VGPMIL every instance has a label, tied by the bags and explained by a
    Gaussian process. But the process explains only what lies outside a margin: a gate
    g_n, open if the instance does, stands between them.

    ::

        y~ = 2 y - 1,   p(g_n = 1) = sigmoid( C (y~_n f_n - V) )
        p(y_n = 1 | g_n) = sigmoid( g_n f_n ),   p(T_b | y) as in VGPMIL
        repeat, with y- = E y~ = 2 pi - 1, lx = lambda(xi), lp = lambda(phi):
            S^-1 = K^-1 + A diag( 2 (C^2 lx + tau lp) ) A^T
            m    = S A [ C y- (tau - 1/2) + 2 C^2 V lx y- + tau (pi - 1/2) ]
            logit(tau) = C (y- E f - V) + E f (pi - 1/2) - lp E f^2
            logit(pi)  = 2 C (tau - 1/2) E f + 4 C^2 V lx E f + tau E f +- ln H (1 - M)
            xi = C sqrt( E f^2 - 2 y- V E f + V^2 ),   phi = sqrt( tau E f^2 )
        p_b = max_n sigmoid(E f_n)

    M, and rounds that do not come to rest: see ``VGPMIL``. Probabilities are small:
    rank by them. A bag with both candidates is repeated, once with each. For more
    classes: ``OneVsRest(LMVGPMIL())``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> bags = [rng.normal(0, 0.5, (3, 2)) for _ in labels]
    >>> for bag, y in zip(bags, labels):
    ...     bag[0] += 3 * y
    >>> LMVGPMIL().fit(bags, labels).score(bags, labels)
    1.0

    References
    ----------
    Haussmann, Hamprecht, Kandemir: Variational Bayesian multiple instance learning with
    Gaussian processes. CVPR 2017.
    """

    slope: float = number("The paper's C.", default=1.0, at_least=0, at_most=1000)
    margin: float = number("The paper's V.", default=1.0, at_least=0, at_most=1000)
    margin_labels: str = choice(
        "y- in the last line: of the pi just moved, or of those before (program).",
        ("updated", "previous"),
        default="updated",
    )

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, with the default length of this library."""
        preset = {"margin_labels": "previous", "precision_jitter": 1e-8}
        return cls(**{**preset, **arguments})

    # -- hooks -----------------------------------------------------------------------

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> GatedInferenceState:
        start = super()._begin(bags, copies, seed)
        n = len(start.xi)
        tau = stream(seed, "tau").uniform(0, 1, n)
        phi = stream(seed, "phi").standard_normal(n)
        return GatedInferenceState(**vars(start), tau=tau, phi=phi)

    def _step(self, state: GatedInferenceState) -> dict[str, float]:
        C, V, labels = self.slope, self.margin, state.labels
        pi, tau = labels.pi, state.tau
        sign = 2 * pi - 1  # (n,) the paper's y-
        lx, lp = bound_curvature(state.xi), bound_curvature(state.phi)
        mean, square = self._regress(
            state,
            2 * (C**2 * lx + tau * lp),
            C * sign * (tau - 0.5) + 2 * C**2 * V * lx * sign + tau * (pi - 0.5),
        )
        tau = expit(C * (sign * mean - V) + mean * (pi - 0.5) - lp * square)
        evidence = (2 * C * (tau - 0.5) + 4 * C**2 * V * lx + tau) * mean
        self._relabel(state, evidence)
        if self.margin_labels == "updated":
            sign = 2 * labels.pi - 1
        inside = np.maximum(square - 2 * sign * V * mean + V**2, 0.0)
        state.tau, state.phi = tau, np.sqrt(tau * square)
        state.xi = C * np.sqrt(inside)
        return {
            "open": float(tau.mean()),
            "change": float(np.abs(labels.pi - pi).mean()),
        }
