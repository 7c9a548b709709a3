"""InstanceProcessClassifier: a Gaussian process that explains instance labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.methods.bases.base import Floats
from mipl.methods.bases.sparse_process import Integers, SparseProcessClassifier
from mipl.objectives.instance_labels import BagCopies, InstanceLabels
from mipl.parameters import choice, number, redeclared
from mipl.seeds import stream


@dataclass(eq=False)
class InferenceState:
    """Projections of the instances; their labels and bounds, which move."""

    v: Floats  # (M, N)
    unseen: Floats  # (N,)
    labels: InstanceLabels
    xi: Floats  # (n,) of the instances of the copies


class InstanceProcessClassifier(SparseProcessClassifier, kw_only=True):
    """Base of the methods that believe in labels of instances, tied by their bags.

    A leaf's ``_step`` moves the process by ``_regress``, the beliefs by ``_relabel``.
    """

    update: str = choice(
        "Whether the beliefs of a bag move at once or one after another.",
        ("parallel", "sequential"),
        default="parallel",
    )
    emax: str = choice(
        "M_n: the largest other pi, or 1 - prod (1 - pi) over the others.",
        ("max", "exact"),
        default="max",
    )
    damping: float = number(
        "Share that the old logits keep.", default=0.0, at_least=0, at_most=0.99
    )
    log_h: float = number(
        "ln H, how strictly bags and instances agree.",
        default=27.631021115928547,  # H = 10^12
        at_least=0,
        at_most=100,
    )
    random_state: Any = redeclared(
        default=None, about="Of the inducing points and of the first beliefs."
    )

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> InferenceState:
        each = BagCopies.of(bags.sizes, copies)
        n = len(each.row)
        pi = stream(seed, "pi").uniform(0, 0.1, n)
        xi = stream(seed, "xi").standard_normal(n)
        parts = [(v, unseen) for _, v, unseen in self._projections(bags)]
        v, unseen = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return InferenceState(v, unseen, InstanceLabels(each, pi, self.log_h), xi)

    def _regress(
        self, state: InferenceState, precision: Floats, linear: Floats
    ) -> tuple[Floats, Floats]:
        """Move q(u); return E f and E f^2 of the instances of the copies, (n,) each.

        Both arguments, (n,), are those of the log likelihood of the instances,
        linear f - precision f^2 / 2.
        """
        v, copies = state.v, state.labels.copies
        n = v.shape[1]
        self.posterior_ = q = self.prior_.posterior(
            (v * copies.gather(precision, n)) @ v.T,
            v @ copies.gather(linear, n),
            self.precision_jitter,
        )
        f = q.means(v)  # (N,)
        square = f**2 + q.variances(v) + state.unseen
        return f[copies.row], square[copies.row]

    def _relabel(self, state: InferenceState, evidence: Floats) -> None:
        """Move the beliefs by evidence and bag labels."""
        state.labels.update(evidence, self.update, self.emax, self.damping)
