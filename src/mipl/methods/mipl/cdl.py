"""CDL: the calibratable disambiguation loss, with three attentions (TPAMI 2026)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from mipl.methods.bases.gated import GatedClassifier
from mipl.nn.attention import (
    Attention,
    MarginAttention,
    SigmoidAttention,
    inverse_root,
)
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import (
    calibratable_loss,
    falling_alpha,
    falling_tau,
    momentum_update,
)
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

    Parameters
    ----------
    attention : {"mam", "sam", "dam"}
        Margin-aware (that of MIPLMA), scaled additive (ELIMIPL), or disambiguated
        (DEMIPL).
    contrast : {"cn", "cc"}
        What the best candidate is compared with: the best non-candidate, or the second
        best candidate. With the attention this gives the paper's six variants.
    gamma : float
        Power of the factor; 0 gives the plain disambiguation loss.
    tau, tau_min, tau_decay : float
        Of the margin-aware attention: start, floor and decay of the temperature.
    standardise, scale_scores
        As in ``MIPLMA``, the former of the margin-aware attention only; by default as
        the same authors' programs have them.
    width, encoder, dropout, scaling
        As in ``MIPLMA``.
    shared_gate, score_head, attention_bias, classifier, update_first, alpha_lag
        As in ``MIPLMA``. The gate is that of the same authors' programs; their head
        with a sigmoid before the softmax cannot give the calibration of this paper, so
        ``classifier`` is "softmax".
    training : Training, optional
        By default one bag per step.
    random_state : int, optional

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

    _differing: ClassVar[tuple[str, ...] | None] = ()
    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "attention": ("mam", "sam", "dam"),
        "contrast": ("cn", "cc"),
        "standardise": ("scores", "attention", "none"),
        "scale_scores": (False, True),
    }
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        "gamma": (0.0, None),
        "tau": (1e-6, None),
        "tau_min": (1e-6, None),
        "tau_decay": (1e-6, 1.0),
    }

    def __init__(
        self,
        attention: str = "mam",
        contrast: str = "cn",
        gamma: float = 1.0,
        tau: float = 5.0,
        tau_min: float = 0.1,
        tau_decay: float = 0.95,
        standardise: str = "scores",
        scale_scores: bool = True,
        width: int = 128,
        encoder: str | nn.Module = "auto",
        dropout: float = 0.5,
        scaling: str = "auto",
        shared_gate: bool = True,
        score_head: str = "mlp",
        attention_bias: bool | str = True,
        classifier: str = "softmax",
        update_first: bool = True,
        alpha_lag: int = 0,
        training: Training | None = None,
        random_state: Any = None,
    ) -> None:
        self.attention = attention
        self.contrast = contrast
        self.gamma = gamma
        self.tau = tau
        self.tau_min = tau_min
        self.tau_decay = tau_decay
        self.standardise = standardise
        self.scale_scores = scale_scores
        self.width = width
        self.encoder = encoder
        self.dropout = dropout
        self.scaling = scaling
        self.shared_gate = shared_gate
        self.score_head = score_head
        self.attention_bias = attention_bias
        self.classifier = classifier
        self.update_first = update_first
        self.alpha_lag = alpha_lag
        self.training = training
        self.random_state = random_state

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
        return {"disambiguation": loss.mean(-1)}

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
