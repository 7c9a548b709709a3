"""VWSGP: a Gaussian process whose evidence adds up over a bag (BMVC 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit

from mipl.data.bags import Bags
from mipl.methods.bases.base import Floats
from mipl.methods.bases.sparse_process import Integers, SparseProcessClassifier
from mipl.nn.sparse_gp import InducingPosterior
from mipl.objectives.logistic_bound import bound_curvature, logistic_bound
from mipl.parameters import choice, flag, number, redeclared


@dataclass(eq=False)
class BagInferenceState:
    """What bags have added up, and where their bounds touch, which moves."""

    v: Floats  # (M, m) sums of projections
    unseen: Floats  # (m,) sums of unseen variances
    copies: Floats  # (m,) how often each bag counts
    positive: Floats  # (m,) share of its copies that are positive
    e: Floats | None = None  # (m,) unknown in the first round
    previous: InducingPosterior | None = None


class VWSGP(SparseProcessClassifier):
    """Variational weakly supervised Gaussian process, for two classes.

    The process gives each instance evidence for the second class; a bag has that class
    by the sum of its instances' evidence, not by the largest. So all updates are in
    closed form, and after the first look at the instances only sums are needed.

    ::

        f ~ GP(0, k),   s_b = sum_{n in b} f_n,   p(T_b = 1) = sigmoid(s_b)
        repeat:  q(u) = N(m, S),  S^-1 = K^-1 + 2 sum_b lambda(e_b) a_b a_b^T
                 m = S sum_b (T_b - 1/2) a_b
                 e_b = sqrt( E s_b^2 )
        lambda(e) = (sigmoid(e) - 1/2) / (2 e),   a_b = sum_{n in b} K_zz^-1 k_zn
        p = sigmoid( E s / sqrt(1 + pi/8 Var s) )

    Each round raises a bound of the evidence, ``history_[i]["bound"]``. Bags with many
    instances have larger sums and get surer answers. A bag with both candidates counts
    twice, once with each. For more classes: ``OneVsRest(VWSGP())``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> bags = [rng.normal(y, 0.3, (3, 2)) for y in labels]
    >>> VWSGP().fit(bags, labels).score(bags, labels)
    1.0

    References
    ----------
    Kandemir, Haussmann, Diego, Rajamani, van der Laak, Hamprecht: Variational weakly
    supervised Gaussian processes. BMVC 2016.
    """

    iterations: int = redeclared(
        default=20,
        about="Rounds at most; fewer where the bound rises by less than tol of itself.",
    )
    tol: float = number(
        "Share of the bound by which it must rise.",
        default=1e-6,
        at_least=0,
        at_most=1,
    )
    lag: bool = flag(
        "Takes e_b from the round before, as the published program does after its "
        "first round: then every second round repeats the one before it.",
        default=False,
    )
    spread: str = choice(
        "Var s of predictions: all of it, or without the posterior's part (program).",
        ("full", "unseen"),
        default="full",
    )
    random_state: Any = redeclared(default=None, about="Of the inducing points.")

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, as its demonstration sets it."""
        preset = {"iterations": 10, "lag": True, "spread": "unseen"}
        return cls(**{**preset, "jitter": 1e-7, "precision_jitter": 1e-8, **arguments})

    # -- hooks -----------------------------------------------------------------------

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> BagInferenceState:
        v, unseen = self._sums(bags)
        total = copies.sum(axis=1)
        return BagInferenceState(v, unseen, total, copies[:, 1] / total)

    def _step(self, state: BagInferenceState) -> dict[str, float]:
        v, copies, positive = state.v, state.copies, state.positive
        # The program begins with a curvature of 1, which belongs to no e.
        curvature = 1.0 if state.e is None else bound_curvature(state.e)
        q = self.prior_.posterior(
            (v * (2 * copies * curvature)) @ v.T,
            v @ (copies * (positive - 0.5)),
            self.precision_jitter,
        )
        seen = state.previous if self.lag and state.previous is not None else q
        state.e = e = np.sqrt(self._squares(seen, state))
        state.previous = self.posterior_ = q
        told = logistic_bound(positive, q.means(v), self._squares(q, state), e)
        return {"bound": float(copies @ told) - q.kl()}

    def _settled(self) -> bool:
        if self.lag or len(self.history_) < 2:
            return False
        before, now = (figures["bound"] for figures in self.history_[-2:])
        return abs(now - before) <= self.tol * abs(now)

    def _squares(self, q: InducingPosterior, state: BagInferenceState) -> Floats:
        """Return E s^2 of the training bags, (m,)."""
        return q.means(state.v) ** 2 + q.variances(state.v) + state.unseen

    def _sums(self, bags: Bags) -> tuple[Floats, Floats]:
        """Return sums over bags of projections, (M, m), and unseen variances, (m,)."""
        sums = np.zeros((len(self.prior_.points), len(bags)))
        unseen = np.zeros(len(bags))
        for block, v, rest in self._projections(bags):
            sums[:, block.bags] += np.add.reduceat(v, block.starts, axis=1)
            unseen[block.bags] += np.add.reduceat(rest, block.starts)
        return sums, unseen

    def _bag_proba(self, bags: Bags) -> Floats:
        mean, variance = self._evidence(bags)
        p: Floats = expit(mean / np.sqrt(1 + np.pi / 8 * variance))
        return p

    def _evidence(self, bags: Bags) -> tuple[Floats, Floats]:
        """Return mean and variance of the sums s, (m,) each."""
        v, unseen = self._sums(bags)
        if self.spread == "full":
            unseen = unseen + self.posterior_.variances(v)
        return self.posterior_.means(v), unseen
