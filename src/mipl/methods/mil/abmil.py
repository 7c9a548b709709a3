"""ABMIL: attention-based multi-instance learning (ICML 2018)."""

from __future__ import annotations

from torch import nn

from mipl.methods.bases.repeated import ScoredClassifier
from mipl.nn.attention import PlainScore


class ABMIL(ScoredClassifier):
    """Attention-based multi-instance learning, without a gate.

    A small network scores each instance, and a bag is the sum of its embedded instances
    weighed by the softmax of their scores. ``GatedABMIL`` has a gate in the score.

    ::

        a    = softmax_j( w . tanh(V h_j) ),   z = sum_j a_j h_j
        loss = - sum_{c in S} log p_c

    With a set of one label, the loss is the publication's; of several labels, each is
    assigned in turn and the losses of these copies of a bag add up.

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> train, test = load_dataset("synthetic", r=0).split(0)
    >>> steps = Training(epochs=20, optimiser="adam", lr=0.01)
    >>> model = ABMIL(training=steps).fit(train.bags, train.labels)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True

    References
    ----------
    Ilse, Tomczak, Welling: Attention-based deep multiple instance learning. ICML 2018.
    """

    def _score(self, width: int) -> nn.Module:
        return PlainScore(width, self.attention_width)
