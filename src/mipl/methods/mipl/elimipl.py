"""ELIMIPL: conjugate label information of candidates and others (IJCAI 2024)."""

from __future__ import annotations

from collections.abc import Mapping
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

    Parameters
    ----------
    mu : float
        Weight of the sparsity loss; 0.1 to 1 on the authors' images, 10 elsewhere.
    gamma : float
        Weight of the inhibition loss; 0.1 to 0.5 on images, 10 elsewhere.
    width : int
        Length of the embedding, the paper's L; 512 on CRC-MIPL.
    encoder, dropout, scaling
        As in ``MIPLMA``.
    shared_gate, score_head, attention_bias, classifier, update_first, alpha_lag
        Where paper and program differ, as in ``MIPLMA``; the defaults are the
        program's, and ``ELIMIPL.paper()`` has the paper's.
    training : Training, optional
        By default one bag per step, as published.
    random_state : int, optional

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

    _differing: ClassVar[tuple[str, ...] | None] = ("mu", "gamma")
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        "mu": (0.0, None),
        "gamma": (0.0, None),
    }

    def __init__(
        self,
        mu: float = 10.0,
        gamma: float = 10.0,
        width: int = 128,
        encoder: str | nn.Module = "auto",
        dropout: float = 0.5,
        scaling: str = "auto",
        shared_gate: bool = True,
        score_head: str = "mlp",
        attention_bias: bool | str = True,
        classifier: str = "sigmoid-softmax",
        update_first: bool = False,
        alpha_lag: int = 1,
        training: Training | None = None,
        random_state: Any = None,
    ) -> None:
        self.mu = mu
        self.gamma = gamma
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
            "mapping": mapping.mean(-1),
            "sparsity": self.mu * sparsity.mean(-1),
            "inhibition": self.gamma * inhibition.mean(-1),
        }

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return momentum_update(w, out.p, batch.candidates, clock.alpha)
