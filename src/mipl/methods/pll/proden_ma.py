"""PRODEN-MA: PRODEN with margin adjustment (NeurIPS 2024)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mipl.methods.bases.partial_network import PartialLabelNetwork
from mipl.nn.network import Output
from mipl.objectives import (
    counted_margin_loss,
    margin_violation,
    single_bag_margin_loss,
    weighted_log_loss,
)
from mipl.parameters import choice, number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock

_PROGRAM_SCALE = 0.5  # Of phi, in the authors' program of MIPLMA.


class PRODENMA(PartialLabelNetwork):
    """PRODEN with a loss that keeps margins large, and alike.

    ::

        phi  = 1 - ( max_{c in S} p_c - max_{c not in S} p_c )
        loss = - sum_{c in S} w_c log p_c  +  lam mean(phi) / (1 - std(phi))
        w    = p / sum_{c in S} p_c   on S,  1 / |S| at first

    Mean and deviation are those of the rows of a step. A full candidate set has no
    other label, whose probability counts as 0: its phi pushes the best candidate up. A
    step of one row has no margin term, and 1 - std stays above 0.05.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(PRODENMA(backbone="linear").fit(X, sets).score(X, y) > 0.8)
    True

    References
    ----------
    Tang, Yang, Wang, Zhang, Zhang: Multi-instance partial-label learning with margin
    adjustment. NeurIPS 2024 (section on partial-label learning).
    """

    lam: float = number(
        "Weight of the margin loss; 1 in the publication.",
        default=1.0,
        at_least=0,
        together="differ",
    )
    margin: str = choice(
        "Statistics over the rows of a step (publication), or, as the authors' program "
        "of MIPLMA computes it, over each row's phi / 2 and a zero.",
        ("batch", "miplma-program"),
        default="batch",
    )
    full_sets: str = choice(
        "Whether rows with full candidate sets count in the margin loss, as above, or "
        "are left out of it.",
        ("count", "skip"),
        default="count",
    )
    backbone: str | nn.Module = redeclared(default="mlp")
    training: Training | None = redeclared(
        default=None,
        about="By default the published 500 epochs of 256 rows per step at a constant "
        "rate.",
    )

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        phi = margin_violation(out.p, batch.candidates)  # (..., B)
        counted = torch.ones_like(phi, dtype=torch.bool)
        if self.full_sets == "skip":
            counted = counted & ~batch.candidates.all(dim=-1)
        return {
            "classification": batch.mean(weighted_log_loss(out.log_p, w)),
            "margin": self.lam * self._margin_loss(phi, counted, batch),
        }

    def _margin_loss(self, phi: Tensor, counted: Tensor, batch: Batch) -> Tensor:
        if self.margin == "miplma-program":
            loss = single_bag_margin_loss(_PROGRAM_SCALE * phi) * counted
            if batch.bag_weights is not None:
                loss = loss * batch.bag_weights
            return loss.sum(dim=-1) / counted.sum(dim=-1).clamp_min(1)
        return counted_margin_loss(phi, counted, batch.bag_weights)
