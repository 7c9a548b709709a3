"""RepeatedClassifier: attention methods made for one true label per bag."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import MarginAttention
from mipl.nn.heads import SigmoidHead, SoftmaxHead
from mipl.nn.network import BagNetwork, Output
from mipl.objectives import copies, weighted_log_loss
from mipl.parameters import choice, integer, redeclared
from mipl.training.batches import Batch
from mipl.training.options import Training
from mipl.training.state import Clock


class RepeatedClassifier(NeuralBagClassifier, kw_only=True):
    """Base of the multi-instance methods with attention.

    A bag with several candidates is given to them as in the MIPL papers, once with each
    as its label. The copies of a bag are looked at together: their losses add up, which
    is |S| times the cross-entropy with the even target on S. Label weights stay as they
    were given.
    """

    width: int | Sequence[int] = redeclared(
        default=128,
        about="Length of the embedding; 500 for the authors' images. Of several, each "
        "is one more layer: (256, 128, 64) on the classical data sets.",
    )
    training: Training | None = redeclared(
        default=None, about="By default Adam with one bag per step, as published."
    )

    _stacks: ClassVar[bool] = True

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        targets = copies(w, batch.candidates)  # (B, k)
        return {"classification": batch.mean(weighted_log_loss(out.log_p, targets))}

    def _default_training(self) -> Training:
        return one_bag_adam(epochs=100)


class ScoredClassifier(RepeatedClassifier, kw_only=True):
    """Base of attention-based MIL, whose forms differ in the score of an instance.

    A leaf gives the ``_score`` alone.
    """

    attention_width: int = integer(
        "Number of rows of the maps that score an instance.", default=128, at_least=1
    )
    head: str = choice(
        "One output per class; or the publication's, one for two classes.",
        ("softmax", "sigmoid"),
        default="softmax",
    )

    def _score(self, width: int) -> nn.Module:
        """Return what scores instances of this embedded length."""
        raise NotImplementedError

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        attention = MarginAttention(
            self._score(width), standardise="none", scale=1.0, detach_spread=False
        )
        if self.head == "softmax":
            return self._network(encoder, attention, SoftmaxHead(width, n_classes))
        need_two_classes(type(self).__name__, n_classes)
        return self._network(encoder, attention, SigmoidHead(width))


def need_two_classes(whose: str, n_classes: int) -> None:
    """Refuse other numbers of classes than the published head is for."""
    if n_classes != 2:
        raise MiplError(
            f"head='sigmoid' of {whose} is for two classes; these are {n_classes}: "
            "take head='softmax', or OneVsRest around it."
        )


def one_bag_adam(**settings: Any) -> Training:
    """Return what the publications train with, where they do not say otherwise."""
    usual: dict[str, Any] = {
        "optimiser": "adam",
        "lr": 5e-4,
        "weight_decay": 1e-4,
        "clip": None,
        "schedule": "constant",
        "batch_size": 1,
    }
    return Training(**(usual | settings))
