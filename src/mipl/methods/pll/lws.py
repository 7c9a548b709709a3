"""LWS: a leveraged weighted loss (ICML 2021)."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from mipl.data.candidates import Candidates
from mipl.methods.bases.base import Floats
from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import leveraged, log_pair, on_both_sides, sigmoid_pair
from mipl.parameters import choice, number, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class LWS(PartialLabelNetwork):
    """Partial-label learning that weighs candidates against the other labels.

    ::

        loss = candidate_weight sum_{c in S} w_c psi(z_c)
               + beta sum_{c not in S} w_c psi(-z_c)
        w    = p / sum_{c in S} p_c          on S, after the step
               p / sum_{c not in S} p_c      elsewhere;  1 / k at first

    psi(z) = sigmoid(-z) of the logits z in the sigmoid form. The cross-entropy form has
    -log p_c for candidates and -log(1 - p_c) for others. The other label that is taken
    for true most gets the largest push; a full candidate set has no second term.

    Probabilities are the softmax of the logits; the sigmoid form is not a proper score,
    so that they are not calibrated: see ``calibrate``. Its gradient vanishes for large
    logits, so that it needs standardised features and a large learning rate.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(LWS().fit(X, sets).score(X, y) > 0.7)
    True

    References
    ----------
    Wen, Cui, Hang, Liu, Wang, Lin: Leveraged weighted loss for partial label learning.
    ICML 2021.
    """

    form: str = choice(
        "Of psi, see above.", ("sigmoid", "cross-entropy"), default="sigmoid"
    )
    beta: float = number(
        "Leverage of the other labels; 1 or 2 in the publication. With 0 nothing is "
        "learnt from them, and little at all.",
        default=2.0,
        at_least=0,
        search=(1.0, 2.0),
        together="differ",
    )
    candidate_weight: float = number(
        "Weight of the candidates' term; 1 in the publication.",
        default=1.0,
        at_least=0,
        together="differ",
    )
    training: Training | None = redeclared(
        default=None,
        about="By default 250 epochs of 256 rows per step; the rate falls by a cosine "
        "where the publication halves it every 50 epochs.",
    )

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        pair = sigmoid_pair(out.z) if self.form == "sigmoid" else log_pair(out.p)
        candidates, others = leveraged(pair, w, batch.candidates)
        return {
            "candidates": self.candidate_weight * batch.mean(candidates),
            "others": self.beta * batch.mean(others),
        }

    def _first_weights(self, candidates: Candidates) -> Floats:
        if candidates.weights is not None:
            return candidates.weights + ~candidates.matrix / candidates.shape[1]
        return np.full(candidates.shape, 1 / candidates.shape[1])

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        return on_both_sides(out.p.detach(), batch.candidates)

    def _updates_late(self) -> bool:
        return True

    def _default_training(self) -> Training:
        return plain_sgd(epochs=250, lr=0.05, weight_decay=1e-3, schedule="cosine")
