"""ProMIPL: a probabilistic generative model of candidate sets (ICDM 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import MarginAttention, falling_tau, inverse_root
from mipl.nn.encoders import Standardise
from mipl.nn.latent_label import LatentLabel, LatentNetwork, LatentOutput
from mipl.objectives import bernoulli_entropy, momentum_update, weighted_log_loss
from mipl.parameters import number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class ProMIPL(GatedClassifier):
    """Multi-instance partial-label learning with a latent true label.

    One network infers the true label from a bag and its label weights, another explains
    the candidate set by the bag and that label. The classifier learns what the first
    infers, and the label weights move to what the second explains.

    ::

        z    = bag vector of MIPLMA's attention, whose temperature falls
        q    = q(y | z, w),   y ~ q relaxed,   s = p(s | z, y)
        loss = - sum_c q_c log p_c  -  entropy_weight * mean_c H(q_c)
               - reconstruction_weight * sum_c w_c log softmax(s)_c
        w    = alpha w + (1 - alpha) s / sum_{c in S} s_c   on S

    q counts as a constant in the first term.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> steps = Training(epochs=20, lr=0.1, batch_size=4)
    >>> model = ProMIPL(training=steps, random_state=0)
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    Yang, Tang, Zhang: ProMIPL: a probabilistic generative model for multi-instance
    partial-label learning. ICDM 2024.
    """

    entropy_weight: float = number("Of the second term.", default=1.0, at_least=0)
    reconstruction_weight: float = number("Of the third term.", default=1.0, at_least=0)
    tau: float = number(
        "Temperature of the attention at first; at 5 it is nearly an average.",
        default=5.0,
        at_least=1e-6,
    )
    tau_min: float = number(
        "Temperature below which it does not fall.", default=0.1, at_least=1e-6
    )
    tau_decay: float = number(
        "What the temperature is multiplied by each epoch; 1 keeps it, as the authors' "
        "settings for MNIST-MIPL do.",
        default=0.95,
        at_least=1e-6,
        at_most=1,
    )
    training: Training | None = redeclared(
        default=None, about="By default one bag per step."
    )

    _stacks: ClassVar[bool] = True
    _before: ClassVar[Mapping[str, Any]] = {"tau_decay": 1.0}

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> LatentNetwork:
        attention = MarginAttention(
            self._score(width, n_classes),
            standardise="scores",
            scale=inverse_root(width),
            detach_spread=True,
        )
        return LatentNetwork(
            Standardise(self.n_features_in_),
            encoder,
            attention,
            self._head(width, n_classes),
            LatentLabel(width, n_classes),
        )

    def _tau_after(self, epoch: int) -> float:
        # The program's first epoch has the starting temperature.
        return falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, lag=0)

    def _loss(
        self, out: LatentOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        q, s = out.of(w)
        classification = weighted_log_loss(out.log_p, q.detach())
        reconstruction = weighted_log_loss(s.log_softmax(dim=-1), w)
        return {
            "classification": batch.mean(classification),
            "entropy": -self.entropy_weight * batch.mean(bernoulli_entropy(q)),
            "reconstruction": self.reconstruction_weight * batch.mean(reconstruction),
        }

    def _update(
        self, out: LatentOutput, batch: Batch, w: Tensor, clock: Clock
    ) -> Tensor:
        _, s = out.of(w)
        return momentum_update(w, s, batch.candidates, clock.alpha)
