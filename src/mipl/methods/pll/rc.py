"""RC: a risk-consistent loss (NeurIPS 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor

from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import weighted_log_loss
from mipl.parameters import redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class RC(PartialLabelNetwork):
    """Partial-label learning with a risk that equals the one of true labels.

    If candidate sets are drawn uniformly, the expected loss of the true label is that
    of the candidates, weighted by their posterior; the classifier estimates it.

    ::

        loss = - sum_{c in S} w_c log p_c
        w    = p / sum_{c in S} p_c   on S, after the step;  1 / |S| at first

    The weights come from a second look at the rows once the step is taken: that, and
    the hidden layers, is all that sets RC apart from ``PRODEN``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(RC().fit(X, sets).score(X, y) > 0.8)
    True

    References
    ----------
    Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama: Provably consistent partial-label
    learning. NeurIPS 2020.
    """

    width: int | Sequence[int] = redeclared(default=500)
    training: Training | None = redeclared(
        default=None,
        about="By default 250 epochs of 256 rows per step of gradient "
        "descent with momentum; the publication's Adam is "
        'Training(optimiser="adam").',
    )

    _norm: ClassVar[bool] = False
    _xavier: ClassVar[bool] = False

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        return {"classification": batch.mean(weighted_log_loss(out.log_p, w))}

    def _updates_late(self) -> bool:
        return True

    def _default_training(self) -> Training:
        return plain_sgd(epochs=250)
