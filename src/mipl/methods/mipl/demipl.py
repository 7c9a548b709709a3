"""DEMIPL: disambiguated attention embedding (NeurIPS 2023)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from torch import Tensor, nn

from mipl.methods.bases.gated import PAPER, GatedClassifier
from mipl.nn.attention import SigmoidAttention, attention_entropy
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import momentum_update, weighted_log_loss
from mipl.parameters import number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class DEMIPL(GatedClassifier):
    """Multi-instance partial-label learning with disambiguated attention.

    Each instance is let in or kept out by a sigmoid of its own score, and a bag is the
    mean of its instances weighted by it. An entropy pushes these weights to 0 or 1,
    while the label weights move from uniform to what the network believes.

    ::

        a_j  = sigmoid( score(h_j) ),   z = sum_j a_j h_j / sum_j a_j
        loss = - sum_{c in S} w_c log p_c  -  lam * sum_j a_j log a_j
        w    = alpha w + (1 - alpha) p / sum_{c in S} p_c   on S

    ``attend`` gives the shares a_j / sum a. The paper has no feature network for data
    other than images: ``encoder="image"``.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = DEMIPL(training=Training(epochs=20, lr=0.05, batch_size=4))
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.6)
    True

    References
    ----------
    Tang, Zhang, Zhang: Disambiguated attention embedding for multi-instance
    partial-label learning. NeurIPS 2023.
    """

    lam: float = number(
        "Weight of the entropy of the attention, the paper's lambda_a.",
        default=1e-3,
        at_least=0,
        together="differ",
    )
    width: int = redeclared(default=500)
    training: Training | None = redeclared(
        default=None, about="By default one bag per step, as published."
    )

    _stacks: ClassVar[bool] = True

    @classmethod
    def paper(cls, **arguments: Any) -> Self:
        """Return the paper's reading: its equations, features as they are."""
        preset = {
            **PAPER,
            "encoder": "image",
            "attention_bias": "gates",
            "training": Training(lr=0.01, nesterov=False, clip=None, batch_size=1),
        }
        return cls(**(preset | arguments))

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, which the defaults are."""
        return cls(**arguments)

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = SigmoidAttention(self._score(width, n_classes))
        return self._network(encoder, attention, self._head(width, n_classes))

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        disambiguation = weighted_log_loss(out.log_p, w)
        entropy = batch.per_bag(attention_entropy(out.scores))
        return {
            "disambiguation": batch.mean(disambiguation),
            "attention": self.lam * batch.mean(entropy),
        }

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
