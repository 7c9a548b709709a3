"""CDL: the calibratable disambiguation loss, with three attentions (TPAMI 2026)."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import (
    Attention,
    MarginAttention,
    SigmoidAttention,
    falling_tau,
    inverse_root,
)
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import calibratable_loss, falling_alpha, momentum_update
from mipl.parameters import choice, flag, number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class CDL(GatedClassifier):
    """Multi-instance partial-label learning with a calibratable loss.

    The usual log loss of a bag is multiplied by how far its best candidate still is
    from certain and from its closest rival. Bags that are settled count less, which
    keeps the probabilities honest. It takes any attention; the paper has three.

    ::

        q    = max_{c in S} p_c
        Phi  = second largest p_c in S  (cc)   or   max_{c not in S} p_c  (cn)
        loss = - (1 - q + Phi)^gamma  sum_{c in S} w_c log p_c
        w    = 1/|S| in the first epoch, then
               alpha w + (1 - alpha) p / sum_{c in S} p_c   on S,  alpha = (T - t) / T

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = CDL(attention="sam", training=Training(epochs=10, batch_size=4))
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    Tang, Yang, Zhang, Zhang: Calibratable disambiguation loss for multi-instance
    partial-label learning. IEEE TPAMI 2026 (arXiv 2512.17788).
    """

    attention: str = choice(
        "Margin-aware (that of MIPLMA), scaled additive (ELIMIPL), or disambiguated "
        "(DEMIPL).",
        ("mam", "sam", "dam"),
        default="mam",
    )
    contrast: str = choice(
        "What the best candidate is compared with: the best non-candidate, or the "
        "second best candidate. With the attention this gives the paper's six "
        "variants.",
        ("cn", "cc"),
        default="cn",
    )
    gamma: float = number(
        "Power of the factor; 0 gives the plain disambiguation loss.",
        default=1.0,
        at_least=0,
    )
    tau: float = number(
        "Temperature of the margin-aware attention at first.",
        default=5.0,
        at_least=1e-6,
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
        "The z-score inside a bag, of the margin-aware attention: before the softmax, "
        "as the same authors' programs have it, after it, or none.",
        ("scores", "attention", "none"),
        default="scores",
    )
    scale_scores: bool = flag(
        "Whether scores are multiplied by 1/sqrt(L).", default=True
    )
    classifier: str = redeclared(
        default="softmax",
        about="With a sigmoid before the softmax, as the same authors' programs have "
        "it, this paper's calibration cannot be had.",
    )
    update_first: bool = redeclared(default=True)
    alpha_lag: int = redeclared(default=0)
    training: Training | None = redeclared(
        default=None, about="By default one bag per step."
    )

    _stacks: ClassVar[bool] = True

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = self._attention(width, n_classes)
        return self._network(encoder, attention, self._head(width, n_classes))

    def _attention(self, width: int, n_classes: int) -> Attention:
        score = self._score(width, n_classes)
        if self.attention == "dam":
            return SigmoidAttention(score)
        return MarginAttention(
            score,
            standardise=self.standardise if self.attention == "mam" else "none",
            scale=inverse_root(width) if self.scale_scores else 1.0,
            detach_spread=True,
        )

    def _clock(self, epoch: int, epochs: int) -> Clock:
        # The first epoch keeps the starting weights, whatever the schedule.
        first = epoch == 1
        alpha = 1.0 if first else falling_alpha(epoch, epochs, self.alpha_lag)
        return Clock(epoch, epochs, self._tau_after(epoch - 1), alpha)

    def _tau_after(self, epoch: int) -> float:
        if self.attention != "mam":
            return 1.0
        return falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, lag=0)

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        loss = calibratable_loss(
            out.log_p, w, batch.candidates, self.contrast, self.gamma
        )
        return {"disambiguation": batch.mean(loss)}

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
