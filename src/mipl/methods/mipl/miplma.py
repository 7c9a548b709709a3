"""MIPLMA: margin-aware attention and margin distribution loss (NeurIPS 2024)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import MarginAttention, falling_tau, inverse_root
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import (
    falling_alpha,
    margin_distribution_loss,
    margin_violation,
    momentum_update,
    single_bag_margin_loss,
    weighted_log_loss,
)
from mipl.parameters import choice, flag, number, redeclared
from mipl.training.batches import Batch, weighted_mean
from mipl.training.options import Training
from mipl.training.state import Clock


class MIPLMA(GatedClassifier):
    """Multi-instance partial-label learning with margin adjustment.

    Instances are weighed by an attention that sharpens as a temperature falls, and the
    label weights of a bag move from uniform over its candidates towards what the
    network believes. A margin loss keeps the best candidate above the best
    non-candidate, on average and with little spread.

    ::

        xi_j = score( tanh(V h_j) * sigmoid(U h_j) )
        a    = softmax( xi / tau ),   z = sum_j a_j h_j
        loss = - sum_{c in S} w_c log p_c  +  lam * mean(phi) / (1 - std(phi))
        phi  = 1 - ( max_{c in S} p_c - max_{c not in S} p_c )
        w    = alpha w + (1 - alpha) p / sum_{c in S} p_c   on S

    Ours differs in two more ways, for the sake of large candidate sets: the embedding
    starts at unit spread, and w follows p / mean(p), what is said of this bag rather
    than of all. Without both, images with four candidates of five were not learnt.

    The defaults are this library's own, one setting for all data, chosen without a test
    label by tools/choose_defaults.py. ``MIPLMA.thorough()`` trains longer,
    ``MIPLMA.paper()`` reads the paper to the letter and ``MIPLMA.released()`` computes
    what the authors' program computes.

    Attributes
    ----------
    classes_ : (k,) names
    label_weights_ : (m, k)
        Final label weights of the training bags, on the candidates' simplex.
    history_ : list of dict
        Loss terms, schedules and margins of each epoch.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = MIPLMA(training=Training(epochs=20)).fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Tang, Yang, Wang, Zhang, Zhang: Multi-instance partial-label learning with margin
    adjustment. NeurIPS 2024.
    """

    lam: float = number(
        "Weight of the margin loss, the paper's lambda.",
        default=0.5,
        at_least=0,
        together="differ",
    )
    tau: float = number(
        "Temperature of the attention at first.", default=1.0, at_least=1e-6
    )
    tau_min: float = number(
        "Temperature below which it does not fall.", default=0.1, at_least=1e-6
    )
    tau_decay: float = number(
        "What the temperature is multiplied by each epoch.",
        default=0.95,
        at_least=1e-6,
        at_most=1,
    )
    standardise: str = choice(
        "The z-score inside a bag: before the softmax (program), after it (paper), "
        "none.",
        ("scores", "attention", "none"),
        default="none",
    )
    scale_scores: bool = flag(
        "Whether scores are multiplied by 1/sqrt(L).", default=False
    )
    shared_gate: bool = redeclared(default=False)
    score_head: str = redeclared(default="linear")
    classifier: str = redeclared(default="softmax")
    margin: str = choice(
        'What the statistics of phi are taken over; "bag" is the program\'s {0, phi}, '
        '"mean" drops the spread (MIPL-MaMm).',
        ("batch", "epoch", "bag", "mean", "none"),
        default="batch",
    )
    margin_scale: float = number(
        "phi is multiplied by it; 0.5 in the program.", default=1.0, at_least=1e-6
    )
    margin_ddof: int = choice("Population or sample variance.", (0, 1), default=0)
    detach_spread: bool = flag(
        "Whether the z-score's standard deviation is a constant to the gradient.",
        default=True,
    )
    tau_lag: int = choice(
        "0 counts epochs for the temperature as the paper does, 1 as the program does.",
        (0, 1),
        default=0,
    )
    balance: bool = flag(
        "Whether label weights follow probabilities divided by their mean over all "
        "bags in the last epoch.",
        default=True,
    )
    unit_start: bool = flag(
        "Whether the starting values of the embedding are rescaled, so that it spreads "
        "by 1 around 0 on the training instances (before the ReLU); an encoder of the "
        "user's keeps its values.",
        default=True,
    )

    _stacks: ClassVar[bool] = True

    @classmethod
    def thorough(cls, **arguments: Any) -> Self:
        """Return a longer training, each step on a part of every bag.

        It takes three to four times as long and is more accurate, unless few instances
        of a bag tell its class and most classes are candidates: then a part of a bag
        says too little, and the defaults are better.
        """
        training = Training(lr=0.1, batch_size=32, epochs=400, instances_per_bag=0.65)
        return cls(**({"training": training} | arguments))

    @classmethod
    def paper(cls, **arguments: Any) -> Self:
        """Return the paper's reading: its equations, one step per epoch.

        ``MIPLMA.paper().set_params(training__batch_size=16)`` gives the second form,
        a step per batch.
        """
        preset: dict[str, Any] = {
            "tau": 5.0,
            "standardise": "attention",
            "scale_scores": False,
            "shared_gate": False,
            "score_head": "linear",
            "attention_bias": False,
            "classifier": "softmax",
            "margin": "batch",
            "margin_scale": 1.0,
            "margin_ddof": 0,
            "detach_spread": False,
            "update_first": True,
            "alpha_lag": 0,
            "tau_lag": 0,
            "balance": False,
            "unit_start": False,
            "dropout": 0.0,
            "training": Training(lr=0.05, nesterov=False, clip=None, batch_size=None),
        }
        return cls(**(preset | arguments))

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program: one bag per step, and its departures."""
        preset: dict[str, Any] = {
            "tau": 5.0,
            "standardise": "scores",
            "scale_scores": True,
            "shared_gate": True,
            "score_head": "mlp",
            "attention_bias": True,
            "classifier": "sigmoid-softmax",
            "margin": "bag",
            "margin_scale": 0.5,
            "margin_ddof": 1,
            "detach_spread": True,
            "update_first": False,
            "alpha_lag": 1,
            "tau_lag": 1,
            "balance": False,
            "unit_start": False,
            "dropout": 0.5,
            "training": Training(lr=0.01, clip=None, batch_size=1),
        }
        return cls(**(preset | arguments))

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = MarginAttention(
            self._score(width, n_classes),
            standardise=self.standardise,
            scale=inverse_root(width) if self.scale_scores else 1.0,
            detach_spread=self.detach_spread,
        )
        return self._network(encoder, attention, self._head(width, n_classes))

    def _unit_start(self) -> bool:
        return self.unit_start

    def _clock(self, epoch: int, epochs: int) -> Clock:
        tau = falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, self.tau_lag)
        return Clock(epoch, epochs, tau, falling_alpha(epoch, epochs, self.alpha_lag))

    def _tau_after(self, epoch: int) -> float:
        # However epochs are counted, so many decays have been made by now.
        return falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, lag=0)

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        loss = batch.mean(weighted_log_loss(out.log_p, w))  # Eq. (6)
        terms = {"disambiguation": loss}
        if self.margin != "none":
            phi = margin_violation(out.p, batch.candidates, self.margin_scale)  # (9)
            terms["margin"] = self.lam * self._margin_loss(phi, clock, batch)
        return terms

    def _margin_loss(
        self, phi: Tensor, clock: Clock, batch: Batch | None = None
    ) -> Tensor:
        weights = None if batch is None else batch.bag_weights
        if self.margin == "mean":
            return weighted_mean(phi, weights)
        if self.margin == "bag":
            each = single_bag_margin_loss(phi, self.margin_ddof)
            return weighted_mean(each, weights)
        earlier = torch.cat(clock.seen, dim=-1) if clock.seen else None
        if self.margin == "epoch":
            clock.seen.append(phi.detach())
        ddof = self.margin_ddof
        return margin_distribution_loss(phi, earlier, ddof, weights)  # Eq. (10)

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        p = out.p.detach()
        if self.balance and clock.mean_p is not None:
            p = p / clock.mean_p.clamp_min(torch.finfo(p.dtype).tiny)
        return momentum_update(w, p, batch.candidates, clock.alpha)  # Eq. (8)

    def _default_training(self) -> Training:
        return Training(lr=0.1, batch_size=32)
