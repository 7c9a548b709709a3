"""GatedABMIL: attention-based multi-instance learning with a gate (ICML 2018)."""

from __future__ import annotations

from torch import nn

from mipl.methods.bases.repeated import ScoredClassifier
from mipl.nn.attention import GatedScore


class GatedABMIL(ScoredClassifier):
    """Attention-based multi-instance learning with a gate.

    As ``ABMIL``, but each number of the hidden layer that scores an instance is let
    through by a sigmoid, because a tanh alone is nearly linear around 0.

    ::

        a    = softmax_j( w . ( tanh(V h_j) * sigmoid(U h_j) ) ),   z = sum_j a_j h_j
        loss = - sum_{c in S} log p_c

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=0).split(0)
    >>> steps = Training(epochs=20, optimiser="adam", lr=0.01)
    >>> model = GatedABMIL(training=steps).fit(train.bags, train.labels)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Ilse, Tomczak, Welling: Attention-based deep multiple instance learning. ICML 2018.
    """

    def _score(self, width: int) -> nn.Module:
        return GatedScore(
            width, self.attention_width, shared=False, head="linear", bias=True
        )
