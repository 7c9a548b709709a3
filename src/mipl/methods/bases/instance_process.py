"""InstanceProcessClassifier: a Gaussian process that explains instance labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mipl.data.bags import Bags
from mipl.methods.bases.base import Floats
from mipl.methods.bases.sparse_process import Integers, SparseProcessClassifier
from mipl.objectives.instance_labels import BagCopies, InstanceLabels
from mipl.seeds import stream


@dataclass(eq=False)
class Course:
    """Projections of the instances; their labels and bounds, which move."""

    v: Floats  # (M, N)
    unseen: Floats  # (N,)
    labels: InstanceLabels
    xi: Floats  # (n,) of the instances of the copies


class InstanceProcessClassifier(SparseProcessClassifier):
    """Base of the methods that believe in labels of instances, tied by their bags.

    A leaf's ``_step`` moves the process by ``_regress``, the beliefs by ``_relabel``.
    """

    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **SparseProcessClassifier._choices,
        "update": ("parallel", "sequential"),
        "emax": ("max", "exact"),
    }
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        **SparseProcessClassifier._ranges,
        "damping": (0.0, 0.99),
        "log_h": (0.0, 100.0),
    }

    update: str
    emax: str
    damping: float
    log_h: float

    def _begin(self, bags: Bags, copies: Integers, seed: int) -> Course:
        each = BagCopies.of(bags.sizes, copies)
        n = len(each.row)
        pi = stream(seed, "pi").uniform(0, 0.1, n)
        xi = stream(seed, "xi").standard_normal(n)
        parts = [(v, unseen) for _, v, unseen in self._projections(bags)]
        v, unseen = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return Course(v, unseen, InstanceLabels(each, pi, self.log_h), xi)

    def _regress(
        self, course: Course, precision: Floats, linear: Floats
    ) -> tuple[Floats, Floats]:
        """Move q(u); return E f and E f^2 of the instances of the copies, (n,) each.

        Both arguments, (n,), are those of the log likelihood of the instances,
        linear f - precision f^2 / 2.
        """
        v, copies = course.v, course.labels.copies
        n = v.shape[1]
        self.posterior_ = q = self.prior_.posterior(
            (v * copies.gather(precision, n)) @ v.T,
            v @ copies.gather(linear, n),
            self.precision_jitter,
        )
        f = q.means(v)  # (N,)
        square = f**2 + q.variances(v) + course.unseen
        return f[copies.row], square[copies.row]

    def _relabel(self, course: Course, evidence: Floats) -> None:
        """Move the beliefs by evidence and bag labels."""
        course.labels.update(evidence, self.update, self.emax, self.damping)
