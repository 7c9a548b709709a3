"""PRODEN: progressive identification of the true labels (ICML 2020)."""

from __future__ import annotations

from torch import Tensor

from mipl.methods.bases.partial_network import PartialLabelNetwork
from mipl.nn.network import Output
from mipl.objectives import weighted_log_loss
from mipl.parameters import redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class PRODEN(PartialLabelNetwork):
    """Partial-label learning with weights that identify the true labels step by step.

    The loss of each candidate is weighted, and the weights follow what the classifier
    believes: an estimate of the smallest loss among the candidates.

    ::

        loss = - sum_{c in S} w_c log p_c
        w    = p / sum_{c in S} p_c   on S,  1 / |S| at first

    The new weights come from the forward pass of the step itself, so that the first
    epoch trains with uniform ones. No row is left out of an epoch, whereas the
    published program drops the last batch.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> sets = [{label, (label + row % 3) % 3} for row, label in enumerate(y)]
    >>> bool(PRODEN().fit(X, sets).score(X, y) > 0.8)
    True

    References
    ----------
    Lv, Xu, Feng, Niu, Geng, Sugiyama: Progressive identification of true labels for
    partial-label learning. ICML 2020.
    """

    training: Training | None = redeclared(
        default=None,
        about="By default the published 500 epochs of 256 rows per step at a constant "
        "rate.",
    )

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        return {"classification": batch.mean(weighted_log_loss(out.log_p, w))}
