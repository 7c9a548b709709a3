"""What is minimised, term by term: each is called with what a step knows.

``out`` is what the network says of a batch, ``w`` the label weights, (B, k), and the
term that is returned a number: the mean over the bags.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import torch
from sklearn.base import BaseEstimator
from torch import Tensor

from mipl.nn.attention import attention_entropy
from mipl.objectives import (
    calibratable_loss,
    candidate_log_loss,
    candidate_mass,
    copies,
    inhibition_loss,
    margin_distribution_loss,
    margin_violation,
    single_bag_margin_loss,
    weighted_log_loss,
)
from mipl.parameters import Declared, choice, number

if TYPE_CHECKING:
    from mipl.nn.network import Output
    from mipl.training.batches import Batch
    from mipl.training.state import Clock


class LossTerm(Declared, BaseEstimator):  # type: ignore[misc]
    """Base of the terms of a loss; ``term`` is its name in histories."""

    term: ClassVar[str] = ""

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        raise NotImplementedError


class LogLoss(LossTerm):
    """- sum_c w_c log p_c, with the label weights of the step."""

    term = "disambiguation"

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return batch.mean(weighted_log_loss(out.log_p, w))


class CandidateLoss(LossTerm):
    """- log sum_{c in S} p_c: any candidate will do, and no label weights."""

    term = "candidates"

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return batch.mean(candidate_log_loss(out.log_p, batch.candidates))


class RepeatedLoss(LossTerm):
    """- sum_{c in S} log p_c: a bag counts once with each candidate (ABMIL)."""

    term = "classification"

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return batch.mean(weighted_log_loss(out.log_p, copies(w, batch.candidates)))


class CalibratableLoss(LossTerm):
    """The log loss, of less weight where a bag is settled (CDL)."""

    term = "disambiguation"
    contrast: str = choice(
        "The best candidate against the best non-candidate or the next candidate.",
        ("cn", "cc"),
        default="cn",
    )
    gamma: float = number("Power of the factor.", default=1.0, at_least=0)

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        each = calibratable_loss(
            out.log_p, w, batch.candidates, self.contrast, self.gamma
        )
        return batch.mean(each)


class MarginLoss(LossTerm):
    """Best candidate above best non-candidate, on average and evenly (MIPLMA)."""

    term = "margin"
    lam: float = number("Weight of the term.", default=0.5, at_least=0)
    over: str = choice(
        "What mean and spread are taken over; of a mean there is no spread.",
        ("batch", "epoch", "bag", "mean"),
        default="batch",
    )
    scale: float = number(
        "What violations are multiplied by.", default=1.0, at_least=1e-6
    )
    ddof: int = choice("Population or sample variance.", (0, 1), default=0)

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        phi = margin_violation(out.p, batch.candidates, self.scale)
        return self.lam * self._spread_out(phi, batch, clock)

    def _spread_out(self, phi: Tensor, batch: Batch, clock: Clock) -> Tensor:
        if self.over == "mean":
            return batch.mean(phi)
        if self.over == "bag":
            return batch.mean(single_bag_margin_loss(phi, self.ddof))
        earlier = torch.cat(clock.seen, dim=-1) if clock.seen else None
        if self.over == "epoch":
            clock.seen.append(phi.detach())
        return margin_distribution_loss(phi, earlier, self.ddof, batch.bag_weights)


class SparsityLoss(LossTerm):
    """mu sum_{c in S} p_c (ELIMIPL)."""

    term = "sparsity"
    mu: float = number("Weight of the term.", default=10.0, at_least=0)

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return self.mu * batch.mean(candidate_mass(out.p, batch.candidates))


class InhibitionLoss(LossTerm):
    """- gamma sum_{c not in S} log(1 - p_c) (ELIMIPL)."""

    term = "inhibition"
    gamma: float = number("Weight of the term.", default=10.0, at_least=0)

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return self.gamma * batch.mean(inhibition_loss(out.log_p, batch.candidates))


class AttentionEntropy(LossTerm):
    """- lam sum_j a_j log a_j, a = sigmoid(score): in or out, not half (DEMIPL)."""

    term = "attention"
    lam: float = number("Weight of the term.", default=1e-3, at_least=0)

    def __call__(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        """Return the term of a batch."""
        return self.lam * batch.mean(batch.per_bag(attention_entropy(out.scores)))


LOSSES: Mapping[str, type[LossTerm]] = {
    "log": LogLoss,
    "candidates": CandidateLoss,
    "repeated": RepeatedLoss,
    "calibratable": CalibratableLoss,
    "margin": MarginLoss,
    "sparsity": SparsityLoss,
    "inhibition": InhibitionLoss,
    "entropy": AttentionEntropy,
}
