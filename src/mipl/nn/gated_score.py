"""The gated score of an instance, which the attention methods share."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from mipl.nn.initialisation import linear
from mipl.nn.maps import mapped

_HIDDEN = 128  # Width of the score head's hidden layer in the published programs.


class GatedScore(nn.Module):
    """Score of an instance: head(tanh(V h) * sigmoid(U h)).

    Parameters
    ----------
    width : int
        L, the length of h.
    gates : int
        Number of gates; the publications use one per class.
    shared : bool
        Whether one affine map feeds both gates (the program) or each has its own.
    head : {"linear", "mlp"}
        The map from gates to the score: linear (the paper), or with a hidden layer.
    bias : bool or "gates"
        Whether the maps have biases, or the gates alone; some papers write none.
    """

    def __init__(
        self, width: int, gates: int, *, shared: bool, head: str, bias: bool | str
    ) -> None:
        super().__init__()
        inner, outer = bool(bias), bool(bias) and bias != "gates"
        self.gate = linear(width, gates, inner)
        self.gate_sigmoid = None if shared else linear(width, gates, inner)
        self.score_hidden = linear(gates, _HIDDEN, outer) if head == "mlp" else None
        self.score_out = linear(_HIDDEN if head == "mlp" else gates, 1, outer)

    def forward(self, h: Tensor) -> Tensor:
        """Return raw scores."""
        g = gated(mapped(h, *self._both_maps()))  # (N, g)
        if self.score_hidden is not None:
            g = torch.relu_(self.score_hidden(g))  # (N, 128)
        return self.score_out(g).squeeze(1)  # type: ignore[no-any-return]  # (N,)

    def _both_maps(self) -> tuple[Tensor, Tensor | None]:
        """Return V, doubled, above U: one product is faster than two of half its size.

        Doubled, because tanh(v) = 2 sigmoid(2 v) - 1, and a sigmoid takes a third of
        the time of a tanh.
        """
        v, u = self.gate, self.gate_sigmoid or self.gate
        weight = torch.cat([2 * v.weight, u.weight], dim=-2)  # (2 g, L)
        bias = None if v.bias is None else torch.cat([2 * v.bias, u.bias], dim=-1)
        return weight, bias


def gated(maps: Tensor) -> Tensor:
    """Return tanh(v) * sigmoid(u) of rows [2 v, u].

    Examples
    --------
    >>> v, u = torch.tensor(0.5), torch.tensor(1.5)
    >>> float(gated(torch.stack([2 * v, u])[None])), float(v.tanh() * u.sigmoid())
    (0.3778..., 0.3778...)
    """
    found: Tensor = _Gated.apply(maps)  # type: ignore[no-untyped-call]
    return found


class _Gated(torch.autograd.Function):
    """The gates and their gradient, in as few operations as there are."""

    @staticmethod
    def forward(ctx: Any, maps: Tensor) -> Tensor:
        both = torch.sigmoid(maps)  # (N, 2 g)
        first, u = both.chunk(2, dim=1)
        v = first.mul(2).sub_(1)  # (N, g)
        ctx.save_for_backward(both, v)
        return v * u

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        both, v = ctx.saved_tensors
        gates = v.shape[1]
        slopes = torch.empty_like(both)
        torch.mul(g, both[:, gates:], out=slopes[:, :gates]).mul_(2)
        torch.mul(g, v, out=slopes[:, gates:])
        found: Tensor = torch.ops.aten.sigmoid_backward(slopes, both)
        return found
