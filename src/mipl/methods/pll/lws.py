"""LWS: a leveraged weighted loss (ICML 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from torch import Tensor, nn

from mipl.data.candidates import Candidates
from mipl.methods.bases.base import Floats
from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import leveraged, log_pair, on_both_sides, sigmoid_pair
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class LWS(PartialLabelNetwork):
    """Partial-label learning that weighs candidates against the other labels.

    ::

        loss = sum_{c in S} w_c psi(z_c)  +  beta sum_{c not in S} w_c psi(-z_c)
        w    = p / sum_{c in S} p_c          on S, after the step
               p / sum_{c not in S} p_c      elsewhere;  1 / k at first

    psi(z) = sigmoid(-z) of the logits z in the sigmoid form. The cross-entropy form has
    -log p_c for candidates and -log(1 - p_c) for others. The other label that is taken
    for true most gets the largest push; a full candidate set has no second term.

    Probabilities are the softmax of the logits; the sigmoid form is not a proper score,
    so that they are not calibrated: see ``calibrate``. Its gradient vanishes for large
    logits, so that it needs standardised features and a large learning rate.

    Parameters
    ----------
    form : {"sigmoid", "cross-entropy"}
    beta : float
        Leverage of the other labels; 1 or 2 in the publication. With 0 nothing is
        learnt from them, and little at all.
    backbone : {"linear", "mlp"} or torch.nn.Module
        One affine map, four hidden layers with batch norm before it (publication),
        or a module of the user's before it.
    width : int or sequence of int
        Widths of the hidden layers of ``"mlp"``.
    scaling : {"auto", "standard", "none"}
        Whether features are standardised with the training rows: "auto" and
        "standard" do.
    training : Training, optional
        By default 250 epochs of 256 rows per step; the rate falls by a cosine where
        the publication halves it every 50 epochs.
    random_state : int, optional

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

    _differing: ClassVar[tuple[str, ...] | None] = ("beta",)
    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        **PartialLabelNetwork._choices,
        "form": ("sigmoid", "cross-entropy"),
    }
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {"beta": (0.0, None)}

    def __init__(
        self,
        form: str = "sigmoid",
        beta: float = 2.0,
        backbone: str | nn.Module = "linear",
        width: int | Sequence[int] = (300, 301, 302, 303),
        scaling: str = "auto",
        training: Training | None = None,
        random_state: Any = None,
    ) -> None:
        self.form = form
        self.beta = beta
        self.backbone = backbone
        self.width = width
        self.scaling = scaling
        self.training = training
        self.random_state = random_state

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        pair = sigmoid_pair(out.z) if self.form == "sigmoid" else log_pair(out.p)
        candidates, others = leveraged(pair, w, batch.candidates)
        return {
            "candidates": candidates.mean(-1),
            "others": self.beta * others.mean(-1),
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
