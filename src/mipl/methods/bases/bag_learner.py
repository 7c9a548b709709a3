"""BagLearner: a method put together from parts, by name or as functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.methods.bases.neural import NeuralBagClassifier
from mipl.nn.attention import Attention
from mipl.nn.heads import HEADS
from mipl.nn.network import BagNetwork, Output
from mipl.parameters import anything, flag
from mipl.parts.attention_parts import ATTENTIONS, AttentionPart
from mipl.parts.label_updates import SCHEDULES, UPDATES
from mipl.parts.loss_terms import LOSSES
from mipl.training.batches import BagWeights, Batch
from mipl.training.options import Training
from mipl.training.state import Clock

LossFunction = Callable[[Output, Batch, Tensor, Clock], Tensor]
_WORDS = "str, part or function"


class BagLearner(NeuralBagClassifier, kw_only=True):
    """A method put together: an attention, a head, losses, an update, a schedule.

    Each is named, or given as a part of ``mipl.parts`` with arguments of its own, or as
    a function. The defaults make MIPLMA. A subclass gives other defaults, arguments of
    its own, or hooks: ``_loss``, ``_update``, ``_clock``.

    ::

        h = encoder(x),   a = attention(h),   z = sum_j a_j h_j,   log p = head(z)
        loss = sum of the terms,   w = update(p, w; alpha),   alpha = schedule(t, T)

    Examples
    --------
    >>> from mipl import Training, load_dataset
    >>> from mipl.parts import CalibratableLoss, InhibitionLoss
    >>> train, test = load_dataset("synthetic", r=1).split(0)
    >>> losses = [CalibratableLoss(gamma=0.5), InhibitionLoss(0.1)]
    >>> model = BagLearner(loss=losses, training=Training(epochs=20, lr=0.1))
    >>> model = model.fit(train.bags, train.candidates)
    >>> bool(model.score(test.bags, test.labels) > 0.8)
    True
    """

    attention: Any = anything(
        'How instances are weighed: "margin" (MIPLMA), "additive" (ELIMIPL), '
        '"disambiguated" (DEMIPL), "plain" and "gated" (ABMIL), "even" (means); or a '
        "function of the embedded length and the number of classes that returns a "
        "module of ``mipl.nn``.",
        _WORDS,
        default="margin",
    )
    head: Any = anything(
        'From bag vectors to log-probabilities: "softmax" or "sigmoid-softmax"; or a '
        "function of the embedded length and the number of classes that returns a "
        "module.",
        "str or function",
        default="softmax",
    )
    loss: Any = anything(
        'The terms that are added up, one or several: "log", "candidates", "repeated", '
        '"calibratable", "margin", "sparsity", "inhibition", "entropy"; or functions '
        "of (out, batch, w, clock) that return a number, or one for each bag.",
        "str, part, function or several",
        default=("log", "margin"),
    )
    update: Any = anything(
        'How label weights move: "momentum", "balanced" (MIPLMA) or "none"; or a '
        "function of (out, batch, w, clock) that returns them.",
        _WORDS,
        default="balanced",
    )
    schedule: Any = anything(
        'The share of old label weights that stays: "falling", "falling-late", '
        '"held-first"; or a function of the epoch and the number of epochs.',
        _WORDS,
        default="falling-late",
    )
    update_first: bool = flag(
        "Whether label weights are updated before the loss or after it.", default=False
    )
    unit_start: bool = flag(
        "Whether the embedding starts at unit spread on the training instances.",
        default=True,
    )

    def _build(self, encoder: nn.Module, width: int, n_classes: int) -> BagNetwork:
        made = self._attention()
        build = made.build if isinstance(made, AttentionPart) else made
        attention = build(width, n_classes)
        if not isinstance(attention, Attention):
            raise self._wrong("attention", "return an Attention of mipl.nn", attention)
        head = self._part("head", HEADS)(width, n_classes)
        if not isinstance(head, nn.Module):
            raise self._wrong("head", "return a torch module", head)
        return self._network(encoder, attention, head)

    def _unit_start(self) -> bool:
        return self.unit_start

    def _clock(self, epoch: int, epochs: int) -> Clock:
        made = self._attention()
        tau = made.temperature(epoch) if isinstance(made, AttentionPart) else 1.0
        alpha = self._made("schedule", SCHEDULES)(epoch, epochs)
        if not isinstance(alpha, (int, float)) or not 0 <= alpha <= 1:
            raise self._wrong("schedule", "return a number from 0 to 1", alpha)
        return Clock(epoch, epochs, tau, float(alpha))

    def _tau_after(self, epoch: int) -> float:
        made = self._attention()
        return made.temperature_after(epoch) if isinstance(made, AttentionPart) else 1.0

    def _loss(
        self, out: Output, batch: Batch, w: Tensor, clock: Clock
    ) -> dict[str, Tensor]:
        terms: dict[str, Tensor] = {}
        even: list[str] = []  # Terms in which all bags count alike.
        for name, one in self._losses():
            apart = batch.weighed_apart()
            value = one(out, apart, w, clock)
            if not isinstance(value, Tensor) or value.ndim > 1:
                raise self._wrong("loss", "return a number, or one for each bag", value)
            terms[name] = apart.mean(value) if value.ndim else value
            if apart.weighing is not None and not apart.weighing.asked:
                even.append(name)
        if batch.weighing is not None and len(even) < len(terms):
            batch.weighing.asked = True
            self._tell_even(even, batch.weighing)
        return terms

    def _tell_even(self, even: list[str], weighing: BagWeights) -> None:
        """Tell once of terms that do not weigh bags; where none does, fit refuses."""
        if weighing.told or not even:
            return
        weighing.told = True
        warnings.warn(
            f"all bags count alike in {', '.join(map(repr, even))} of the loss of "
            f"{type(self).__name__}, whatever sample_weight and class_weight say; "
            "return one number for each bag, or average by batch.mean, if it is about "
            "bags.",
            stacklevel=2,
        )

    def _update(self, out: Output, batch: Batch, w: Tensor, clock: Clock) -> Tensor:
        moved = self._made("update", UPDATES)(out, batch, w, clock)
        if not isinstance(moved, Tensor) or moved.shape != w.shape:
            raise self._wrong("update", "return label weights of w's shape", moved)
        return moved.detach()

    def _updates_first(self) -> bool:
        return self.update_first

    def _default_training(self) -> Training:
        return Training(lr=0.1, batch_size=32)

    # -- parts -----------------------------------------------------------------------

    def _attention(self) -> Any:
        return self._made("attention", ATTENTIONS)

    def _losses(self) -> list[tuple[str, LossFunction]]:
        """Return the terms with their names, no name twice."""
        several = self.loss if isinstance(self.loss, (list, tuple)) else [self.loss]
        found: dict[str, LossFunction] = {}
        for one in several:
            made = LOSSES[one]() if isinstance(one, str) else one
            name = getattr(made, "term", "") or getattr(made, "__name__", "loss")
            number = sum(other.rstrip("0123456789 ") == name for other in found)
            found[f"{name} {number + 1}" if number else name] = made
        return list(found.items())

    def _made(self, name: str, known: Mapping[str, Callable[[], Any]]) -> Any:
        """Return the part that an argument names, or is."""
        value = getattr(self, name)
        return known[value]() if isinstance(value, str) else value

    def _part(self, name: str, known: Mapping[str, Any]) -> Any:
        value = getattr(self, name)
        return known[value] if isinstance(value, str) else value

    def _check_arguments(self) -> None:
        super()._check_arguments()
        losses = self.loss if isinstance(self.loss, (list, tuple)) else [self.loss]
        if not losses:
            raise self._wrong("loss", "have a term at least", self.loss)
        for name, values, known in (
            ("attention", [self.attention], ATTENTIONS),
            ("head", [self.head], HEADS),
            ("loss", losses, LOSSES),
            ("update", [self.update], UPDATES),
            ("schedule", [self.schedule], SCHEDULES),
        ):
            for value in values:
                self._check_part(name, value, known)

    def _check_part(self, name: str, value: Any, known: Mapping[str, Any]) -> None:
        named = isinstance(value, str) and value in known
        whole = isinstance(value, AttentionPart) and name == "attention"
        function = callable(value) and not isinstance(value, nn.Module)
        if not named and not whole and not function:
            names = ", ".join(map(repr, known))
            raise self._wrong(name, f"be one of {names}, a part or a function", value)
        if hasattr(value, "check_parameters"):
            value.check_parameters()

    def _wrong(self, name: str, must: str, got: Any) -> MiplError:
        return MiplError(f"{name} of {type(self).__name__} must {must}; got {got!r}.")
