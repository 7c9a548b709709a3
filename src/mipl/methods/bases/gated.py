"""GatedClassifier: what the methods with gated attention have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import GatedScore
from mipl.nn.heads import HEADS
from mipl.objectives import falling_alpha
from mipl.parameters import choice, flag, integer
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


class GatedClassifier(NeuralBagClassifier, kw_only=True):
    """Base of methods with a gated score and label weights of falling momentum.

    ``_build``, ``_loss`` and ``_update`` stay with the leaf. Where the papers and the
    programs differ, both can be had.
    """

    width: int = integer(
        "Length of the embedding, the paper's L.", default=128, at_least=1
    )
    shared_gate: bool = flag(
        "Whether one map feeds both gates (program) or each has its own (paper).",
        default=True,
    )
    score_head: str = choice(
        "From gates to score: linear (paper), or with a hidden layer (program).",
        ("linear", "mlp"),
        default="mlp",
    )
    attention_bias: bool | str = choice(
        "Whether the maps of the attention have biases, or the gates alone; the papers "
        "write none, or those of the gates.",
        (False, True, "gates"),
        default=True,
    )
    classifier: str = choice(
        "The program squashes the logits by a sigmoid before the softmax.",
        tuple(HEADS),
        default="sigmoid-softmax",
    )
    update_first: bool = flag(
        "Whether the label weights are updated before the loss (paper) or after it.",
        default=False,
    )
    alpha_lag: int = choice(
        "0 counts epochs for the momentum as the paper does, 1 as the program does.",
        (0, 1),
        default=1,
    )

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
