"""CC: a classifier-consistent loss (NeurIPS 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from torch import Tensor

from mipl.methods.bases.partial_network import PartialLabelNetwork, plain_sgd
from mipl.nn.network import Output
from mipl.objectives import candidate_log_loss
from mipl.parameters import redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class CC(PartialLabelNetwork):
    """Partial-label learning by the likelihood of the candidate sets.

    ::

        loss = - log sum_{c in S} p_c

    If candidate sets are drawn uniformly, the best classifier for this loss is the best
    one for true labels. Its gradient is that of ``RC`` with the weights of the moment.
    The loss has no label weights; ``label_weights_`` tells p / sum_{c in S} p_c.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(CC().fit(X, sets).score(X, y) > 0.8)
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
        likelihood = candidate_log_loss(out.log_p, batch.candidates)
        return {"candidates": batch.mean(likelihood)}

    def _default_training(self) -> Training:
        return plain_sgd(epochs=250)
