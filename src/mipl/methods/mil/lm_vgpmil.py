"""LM-VGPMIL: VGPMIL that asks instances to keep a margin (CVPR 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit

from mipl.data.bags import Bags
from mipl.methods.bases.base import Floats
from mipl.methods.bases.instance_process import Course, InstanceProcessClassifier
from mipl.methods.bases.sparse_process import Integers
from mipl.objectives.logistic_bound import bound_curvature
from mipl.seeds import stream


@dataclass(eq=False)
class GatedCourse(Course):
    """A course with gates; here ``xi`` are the bounds of these."""

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

    Parameters
    ----------
    slope, margin : float
        The paper's C and V.
    margin_labels : {"updated", "previous"}
        y- in the last line: of the pi just moved, or of those before (program).
    inducing : int
        Number of inducing points, at most.
    iterations : int
        Rounds.
    update : {"parallel", "sequential"}
        Whether the beliefs of a bag move at once or one after another.
    emax : {"max", "exact"}
        M_n: the largest other pi, or 1 - prod (1 - pi) over the others.
    damping : float
        Share that the old logits keep.
    log_h : float
        ln H, how strictly bags and instances agree.
    length : float or None
        Length of the kernel; by default its square is the number of features times
        their typical variance, which is 1 after standardisation.
    variance : float
        Of the kernel.
    jitter : float
        Added to the diagonal of K_zz, relative to ``variance``.
    precision_jitter : float
        Added to the diagonal of S^-1; nothing needs it, but the program has 1e-8.
    scaling : {"auto", "standard", "none"}
        ``"auto"`` standardises features, unless they are images.
    random_state : int, optional
        Of the inducing points and of the first beliefs.

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

    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **InstanceProcessClassifier._choices,
        "margin_labels": ("updated", "previous"),
    }
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        **InstanceProcessClassifier._ranges,
        "slope": (0.0, 1000.0),
        "margin": (0.0, 1000.0),
    }

    def __init__(
        self,
        slope: float = 1.0,
        margin: float = 1.0,
        margin_labels: str = "updated",
        inducing: int = 50,
        iterations: int = 10,
        update: str = "parallel",
        emax: str = "max",
        damping: float = 0.0,
        log_h: float = 27.631021115928547,  # H = 10^12
        length: float | None = None,
        variance: float = 1.0,
        jitter: float = 1e-6,
        precision_jitter: float = 0.0,
        scaling: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.slope = slope
        self.margin = margin
        self.margin_labels = margin_labels
        self.inducing = inducing
        self.iterations = iterations
        self.update = update
        self.emax = emax
        self.damping = damping
        self.log_h = log_h
        self.length = length
        self.variance = variance
        self.jitter = jitter
        self.precision_jitter = precision_jitter
        self.scaling = scaling
        self.random_state = random_state

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, with the default length of this library."""
        preset = {"margin_labels": "previous", "precision_jitter": 1e-8}
        return cls(**{**preset, **arguments})

    # -- hooks -----------------------------------------------------------------------

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> GatedCourse:
        start = super()._begin(bags, copies, seed)
        n = len(start.xi)
        tau = stream(seed, "tau").uniform(0, 1, n)
        phi = stream(seed, "phi").standard_normal(n)
        return GatedCourse(**vars(start), tau=tau, phi=phi)

    def _step(self, course: GatedCourse) -> dict[str, float]:
        C, V, labels = self.slope, self.margin, course.labels
        pi, tau = labels.pi, course.tau
        sign = 2 * pi - 1  # (n,) the paper's y-
        lx, lp = bound_curvature(course.xi), bound_curvature(course.phi)
        mean, square = self._regress(
            course,
            2 * (C**2 * lx + tau * lp),
            C * sign * (tau - 0.5) + 2 * C**2 * V * lx * sign + tau * (pi - 0.5),
        )
        tau = expit(C * (sign * mean - V) + mean * (pi - 0.5) - lp * square)
        evidence = (2 * C * (tau - 0.5) + 4 * C**2 * V * lx + tau) * mean
        self._relabel(course, evidence)
        if self.margin_labels == "updated":
            sign = 2 * labels.pi - 1
        inside = np.maximum(square - 2 * sign * V * mean + V**2, 0.0)
        course.tau, course.phi = tau, np.sqrt(tau * square)
        course.xi = C * np.sqrt(inside)
        return {
            "open": float(tau.mean()),
            "change": float(np.abs(labels.pi - pi).mean()),
        }
