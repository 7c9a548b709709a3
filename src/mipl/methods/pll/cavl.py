"""CAVL: class activation value learning (ICLR 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor, nn

from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import activated_label, activation_values, weighted_log_loss
from mipl.parameters import flag, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class CAVL(PartialLabelNetwork):
    """Partial-label learning from the candidate of the largest activation value.

    ::

        v_c  = |z_c - 1| z_c                      of the logits z
        w    = 1 for argmax_{c in S} v_c, else 0  after the step;  1 / |S| at first
        loss = - sum_{c in S} w_c log p_c

    v does not rise with z everywhere: between logits of 1/2 and 1 it falls. And it
    changes where all logits are shifted alike, which the probabilities do not.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(CAVL().fit(X, sets).score(X, y) > 0.6)
    True

    References
    ----------
    Zhang, Feng, Han, Liu, Niu, Qin, Sugiyama: Exploiting class activation value for
    partial-label learning. ICLR 2022.
    """

    restrict: bool = flag(
        "Whether only candidates are chosen. The published program takes a "
        "non-candidate where all candidates have negative values: False.",
        default=True,
    )
    width: int | Sequence[int] = redeclared(default=500)
    training: Training | None = redeclared(
        default=None,
        about="By default 250 epochs of 64 rows per step of gradient "
        "descent with momentum; the publication's Adam is "
        'Training(optimiser="adam").',
    )

    _norm: ClassVar[bool] = False
    _xavier: ClassVar[bool] = False

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        return {"classification": batch.mean(weighted_log_loss(out.log_p, w))}

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        values = activation_values(out.z.detach())
        chosen = activated_label(values, batch.candidates, self.restrict)
        return nn.functional.one_hot(chosen, w.shape[-1]).to(w.dtype)

    def _updates_late(self) -> bool:
        return True

    def _default_training(self) -> Training:
        return plain_sgd(epochs=250, weight_decay=1e-3, batch_size=64)
