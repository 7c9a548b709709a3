"""MAAM: MIPLMA's margin-aware attention, learnt from true labels (NeurIPS 2024)."""

from __future__ import annotations

from torch import Tensor, nn

from mipl.methods.bases.repeated import RepeatedClassifier
from mipl.nn.attention import GatedScore, MarginAttention, falling_tau, inverse_root
from mipl.nn.heads import HEADS
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import margin_violation, single_bag_margin_loss
from mipl.parameters import choice, number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock

_MARGIN_SCALE, _DDOF = 0.5, 1  # Of MIPLMA's program.


class MAAM(RepeatedClassifier):
    """Margin-aware attention for multi-instance learning.

    The attention of ``MIPLMA``, which sharpens as a temperature falls, on bags whose
    true label is known: nothing is to be disambiguated, so label weights do not move,
    and the loss is cross-entropy.

    ::

        xi_j = score( tanh(V h_j) * sigmoid(U h_j) )
        a    = softmax( xi / tau ),   z = sum_j a_j h_j
        loss = - sum_{c in S} log p_c  [ +  lam * MIPLMA's margin loss ]

    Of several candidates, each is assigned in turn and the losses of these copies of a
    bag add up.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=0).split(0)
    >>> model = MAAM(training=Training(epochs=20, batch_size=4))
    >>> model = model.fit(train.bags, train.labels)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Tang, Yang, Wang, Zhang, Zhang: Multi-instance partial-label learning with margin
    adjustment. NeurIPS 2024.
    """

    attention: str = choice(
        "The program of MIPLMA z-scores xi in the bag, divides by sqrt(L) and then "
        "takes the softmax, so that weights sum to 1; U is V, and a hidden layer makes "
        "the score. The paper z-scores what the softmax gives: weights sum to 0.",
        ("released", "paper"),
        default="released",
    )
    lam: float = number(
        "Weight of the margin loss, one bag at a time as in the program; the paper "
        "tells of none.",
        default=0.0,
        at_least=0,
    )
    tau: float = number(
        "Temperature of the attention at first.", default=5.0, at_least=1e-6
    )
    tau_min: float = number(
        "Temperature below which it does not fall.", default=0.1, at_least=1e-6
    )
    tau_decay: float = number(
        "What the temperature is multiplied by after each epoch.",
        default=0.95,
        at_least=1e-6,
        at_most=1,
    )
    head: str = choice(
        "The program squashes the logits by a sigmoid before the softmax.",
        tuple(HEADS),
        default="sigmoid-softmax",
    )
    training: Training | None = redeclared(
        default=None, about="By default one bag per step, as MIPLMA's program."
    )

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        released = self.attention == "released"
        score = GatedScore(
            width,
            n_classes,
            shared=released,
            head="mlp" if released else "linear",
            bias=released,
        )
        attention = MarginAttention(
            score,
            standardise="scores" if released else "attention",
            scale=inverse_root(width) if released else 1.0,
            detach_spread=released,
        )
        return self._network(encoder, attention, HEADS[self.head](width, n_classes))

    def _clock(self, epoch: int, epochs: int) -> Clock:
        return Clock(epoch, epochs, self._tau_after(epoch - 1))

    def _tau_after(self, epoch: int) -> float:
        return falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, lag=0)

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        terms = super()._loss(out, batch, w, clock)
        if self.lam > 0:
            phi = margin_violation(out.p, batch.candidates, _MARGIN_SCALE)
            margins = batch.mean(single_bag_margin_loss(phi, _DDOF))
            terms["margin"] = self.lam * margins
        return terms

    def _default_training(self) -> Training:
        return Training(lr=0.01, clip=None, batch_size=1)
