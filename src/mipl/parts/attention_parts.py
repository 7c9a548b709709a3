"""How instances are weighed, as parts with arguments of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sklearn.base import BaseEstimator
from torch import nn

from mipl.nn.attention import (
    Attention,
    EvenAttention,
    GatedScore,
    MarginAttention,
    PlainScore,
    SigmoidAttention,
    falling_tau,
    inverse_root,
)
from mipl.parameters import Declared, choice, flag, integer, number, redeclared


class AttentionPart(Declared, BaseEstimator):  # type: ignore[misc]
    """Base of the parts that weigh instances; a leaf gives ``build``."""

    def build(self, width: int, n_classes: int) -> Attention:
        """Return the module for instances of this embedded length."""
        raise NotImplementedError

    def temperature(self, epoch: int) -> float:
        """Return the temperature of the steps of an epoch."""
        return 1.0

    def temperature_after(self, epoch: int) -> float:
        """Return the temperature of predictions once an epoch is done."""
        return 1.0


class GatedPart(AttentionPart, kw_only=True):
    """Base of the parts whose score has gates."""

    shared_gate: bool = flag(
        "Whether one map feeds both gates, or each has its own.", default=False
    )
    score_head: str = choice(
        "From gates to score: linear, or with a hidden layer.",
        ("linear", "mlp"),
        default="linear",
    )
    bias: bool | str = choice(
        "Whether the maps have biases, or the gates alone.",
        (False, True, "gates"),
        default=True,
    )

    def gated_score(self, width: int, gates: int) -> nn.Module:
        """Return the score with so many gates."""
        return GatedScore(
            width,
            gates,
            shared=self.shared_gate,
            head=self.score_head,
            bias=self.bias,
        )


class SoftmaxWeights(GatedPart):
    """A softmax of scores inside a bag, sharpened by a temperature that falls.

    Examples
    --------
    >>> SoftmaxWeights(tau=5.0).temperature(1)
    4.75
    """

    score: str = choice(
        "Of an instance: with a gate (MIPLMA, ELIMIPL), or tanh alone (ABMIL).",
        ("gated", "plain"),
        default="gated",
    )
    gates: int | None = integer(
        "Rows of the maps of the score; None for one per class.",
        default=None,
        at_least=1,
    )
    tau: float = number("Temperature at first.", default=1.0, at_least=1e-6)
    tau_min: float = number(
        "Temperature below which it does not fall.", default=0.1, at_least=1e-6
    )
    tau_decay: float = number(
        "What the temperature is multiplied by each epoch.",
        default=0.95,
        at_least=1e-6,
        at_most=1,
    )
    tau_lag: int = choice(
        "0 counts epochs from the first, 1 from the second.", (0, 1), default=0
    )
    standardise: str = choice(
        "The z-score inside a bag: before the softmax, after it, or none.",
        ("scores", "attention", "none"),
        default="none",
    )
    scaled: bool = flag("Whether scores are multiplied by 1/sqrt(L).", default=False)
    detach_spread: bool = flag(
        "Whether the z-score's deviation is a constant to the gradient.", default=True
    )

    def build(self, width: int, n_classes: int) -> Attention:
        """Return the module for instances of this embedded length."""
        gates = n_classes if self.gates is None else self.gates
        plain = self.score == "plain"
        return MarginAttention(
            PlainScore(width, gates) if plain else self.gated_score(width, gates),
            standardise=self.standardise,
            scale=inverse_root(width) if self.scaled else 1.0,
            detach_spread=self.detach_spread,
        )

    def temperature(self, epoch: int) -> float:
        """Return the temperature of the steps of an epoch."""
        return self._tau(epoch, self.tau_lag)

    def temperature_after(self, epoch: int) -> float:
        """Return the temperature of predictions once an epoch is done."""
        return self._tau(epoch, 0)

    def _tau(self, epoch: int, lag: int) -> float:
        return falling_tau(epoch, self.tau, self.tau_min, self.tau_decay, lag)


class SigmoidWeights(GatedPart):
    """A sigmoid lets each instance in or out, whatever the others (DEMIPL)."""

    shared_gate: bool = redeclared(default=True)
    score_head: str = redeclared(default="mlp")

    def build(self, width: int, n_classes: int) -> Attention:
        """Return the module for instances of this embedded length."""
        return SigmoidAttention(self.gated_score(width, n_classes))


class EvenWeights(AttentionPart):
    """The same weight for every instance of a bag: means."""

    def build(self, width: int, n_classes: int) -> Attention:
        """Return the module, which has nothing to learn."""
        return EvenAttention()


# By name, made anew for each that asks.
ATTENTIONS: Mapping[str, Callable[[], AttentionPart]] = {
    "margin": SoftmaxWeights,
    "additive": lambda: SoftmaxWeights(
        shared_gate=True,
        score_head="mlp",
        scaled=True,
        tau_decay=1.0,
        detach_spread=False,
    ),
    "disambiguated": SigmoidWeights,
    "plain": lambda: SoftmaxWeights(
        score="plain", gates=128, tau_decay=1.0, detach_spread=False
    ),
    "gated": lambda: SoftmaxWeights(gates=128, tau_decay=1.0, detach_spread=False),
    "even": EvenWeights,
}
