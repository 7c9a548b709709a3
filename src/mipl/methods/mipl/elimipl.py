"""ELIMIPL: conjugate label information of candidates and others (IJCAI 2024)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from torch import Tensor, nn

from mipl.methods.bases.gated import PAPER, GatedClassifier
from mipl.nn.attention import MarginAttention, inverse_root
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import (
    candidate_mass,
    inhibition_loss,
    momentum_update,
    weighted_log_loss,
)
from mipl.parameters import number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class ELIMIPL(GatedClassifier):
    """Multi-instance partial-label learning with conjugate label information.

    Instances are weighed by a scaled additive attention. Beside the candidates, which
    the bag is mapped to with moving label weights, the loss looks at the labels that
    cannot be true and keeps their probability low.

    ::

        a    = softmax( score(h) / sqrt(L) ),   z = sum_j a_j h_j
        loss = - sum_{c in S} w_c log p_c  +  mu * sum_{c in S} p_c
               - gamma * sum_{c not in S} log(1 - p_c)
        w    = rho w + (1 - rho) p / sum_{c in S} p_c   on S

    The second term is the paper's sparsity; as probabilities sum to one it takes
    probability out of S as a whole and works against the third.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> model = ELIMIPL(training=Training(epochs=20, lr=0.05, batch_size=4))
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Tang, Zhang, Zhang: Exploiting conjugate label information for multi-instance
    partial-label learning. IJCAI 2024.
    """

    mu: float = number(
        "Weight of the sparsity loss; 0.1 to 1 on the authors' images, 10 elsewhere.",
        default=10.0,
        at_least=0,
        together="differ",
    )
    gamma: float = number(
        "Weight of the inhibition loss; 0.1 to 0.5 on images, 10 elsewhere.",
        default=10.0,
        at_least=0,
        together="differ",
    )
    training: Training | None = redeclared(
        default=None, about="By default one bag per step, as published."
    )

    _stacks: ClassVar[bool] = True

    @classmethod
    def paper(cls, **arguments: Any) -> Self:
        """Return the paper's reading: its equations, momentum without Nesterov."""
        training = Training(lr=0.01, nesterov=False, clip=None, batch_size=1)
        return cls(**{**PAPER, "training": training, **arguments})

    @classmethod
    def released(cls, **arguments: Any) -> Self:
        """Return the authors' program, which the defaults are."""
        return cls(**arguments)

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = MarginAttention(
            self._score(width, n_classes),
            standardise="none",
            scale=inverse_root(width),
            detach_spread=False,
        )
        return self._network(encoder, attention, self._head(width, n_classes))

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        mapping = weighted_log_loss(out.log_p, w)
        sparsity = candidate_mass(out.p, batch.candidates)
        inhibition = inhibition_loss(out.log_p, batch.candidates)
        return {
            "mapping": batch.mean(mapping),
            "sparsity": self.mu * batch.mean(sparsity),
            "inhibition": self.gamma * batch.mean(inhibition),
        }

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
