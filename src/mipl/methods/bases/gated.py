"""GatedClassifier: what the methods with gated attention have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import nn

from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.gated_score import GatedScore
from mipl.nn.heads import HEADS
from mipl.objectives import falling_alpha
from mipl.training.options import Training
from mipl.training.state import Clock

# Where the papers of one group of authors and their programs differ alike.
PAPER: Mapping[str, Any] = {
    "shared_gate": False,
    "score_head": "linear",
    "classifier": "softmax",
    "update_first": True,
    "alpha_lag": 0,
    "dropout": 0.0,
}


class GatedClassifier(NeuralBagClassifier):
    """Base of methods with a gated score and label weights of falling momentum.

    A leaf has the arguments below beside those of its base, and those of its paper.
    ``_build``, ``_loss`` and ``_update`` stay with the leaf.

    Attributes
    ----------
    shared_gate : bool
        Whether one map feeds both gates (programs) or each has its own (papers).
    score_head : {"linear", "mlp"}
        From gates to score: linear (papers), or with a hidden layer (programs).
    attention_bias : bool or "gates"
        Whether the maps of the attention have biases, or the gates alone.
    classifier : {"softmax", "sigmoid-softmax"}
        The programs squash the logits by a sigmoid before the softmax.
    update_first : bool
        Whether the label weights are updated before the loss (papers) or after it.
    alpha_lag : {0, 1}
        0 counts epochs as the papers do, 1 as the programs do.
    """

    shared_gate: bool
    score_head: str
    attention_bias: bool | str
    classifier: str
    update_first: bool
    alpha_lag: int

    _choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "scaling": ("auto", "standard", "none"),
        "shared_gate": (False, True),
        "score_head": ("linear", "mlp"),
        "attention_bias": (False, True, "gates"),
        "classifier": tuple(HEADS),
        "update_first": (False, True),
        "alpha_lag": (0, 1),
    }
    _whole: ClassVar[tuple[str, ...]] = ("width",)
    _ranges: ClassVar[Mapping[str, tuple[float, float | None]]] = {
        "width": (1, None),
        "dropout": (0.0, 0.95),
    }

    def _score(self, width: int, n_classes: int) -> GatedScore:
        return GatedScore(
            width,
            n_classes,
            shared=self.shared_gate,
            head=self.score_head,
            bias=self.attention_bias,
        )

    def _head(self, width: int, n_classes: int) -> nn.Module:
        return HEADS[self.classifier](width, n_classes)

    def _clock(self, epoch: int, epochs: int) -> Clock:
        alpha = falling_alpha(epoch, epochs, self.alpha_lag)
        return Clock(epoch, epochs, self._tau_after(epoch - 1), alpha)

    def _updates_first(self) -> bool:
        return self.update_first

    def _default_training(self) -> Training:
        return Training(lr=0.01, clip=None, batch_size=1)
