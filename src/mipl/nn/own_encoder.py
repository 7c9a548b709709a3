"""OwnEncoder: a module of the user's, trained along with the rest."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint

from mipl.errors import MiplError, counted
from mipl.nn.dropout import Keyed
from mipl.seeds import stream_seed


class OwnEncoder(Keyed):
    """A module of the user's, which sees instances in their declared shape.

    It returns a tensor (n, L), or an object with a ``pooler_output`` or a
    ``last_hidden_state``, as the models of Hugging Face do. It keeps the values it came
    with. What it draws at random (dropout) comes from torch's global generator, which
    is set from the step's key and put back. Messages call it as the argument that it
    was given as.

    More instances than ``at_once`` are embedded in pieces. In training each piece is
    computed again when its gradient is needed, so that what the layers keep for it is
    there for one piece at a time.
    """

    _FAILURES = (RuntimeError, ValueError, TypeError, IndexError)

    def __init__(
        self,
        module: nn.Module,
        shape: tuple[int, ...],
        called: str = "encoder",
        at_once: int | None = None,
    ) -> None:
        super().__init__()
        self.module = copy.deepcopy(module)
        self.shape = shape
        self.called = called
        self.at_once = at_once

    def forward(self, x: Tensor) -> Tensor:
        """Embed the instances."""
        key = self.key if self.training else 0
        if self.at_once is None or len(x) <= self.at_once:
            return self._embed(x, key)
        parts = torch.split(x, self.at_once)
        if not torch.is_grad_enabled():
            return torch.cat([self._embed(part, key) for part in parts])
        self._check_pieces()
        keys = [stream_seed(key, "piece", i) for i in range(len(parts))]
        return torch.cat(
            [
                checkpoint(
                    self._embed, *piece, use_reentrant=False, preserve_rng_state=False
                )
                for piece in zip(parts, keys, strict=True)
            ]
        )

    def _embed(self, x: Tensor, key: int) -> Tensor:
        with torch.random.fork_rng():
            torch.manual_seed(key)
            try:
                h = pooled(self.module(x.view(-1, *self.shape)))
            except self._FAILURES as error:
                raise MiplError(
                    f"the {self.called} failed on {counted(len(x), 'instance')} of "
                    f"shape {self.shape}: {error}"
                ) from error
        if not isinstance(h, Tensor) or h.ndim != 2 or h.shape[0] != x.shape[0]:
            got = tuple(h.shape) if isinstance(h, Tensor) else type(h).__name__
            raise MiplError(
                f"the {self.called} must turn {counted(len(x), 'instance')} of shape "
                f"{self.shape} into a ({len(x)}, L) tensor, or an object with a "
                f"pooler_output or a last_hidden_state; it gave {got}."
            )
        return h

    def _check_pieces(self) -> None:
        """Refuse layers that would see other instances, and count each one twice."""
        for name, layer in self.module.named_modules():
            if isinstance(layer, _BatchNorm) and layer.training:
                raise MiplError(
                    f"the layer {name} ({type(layer).__name__}) of the {self.called} "
                    "cannot be trained in pieces: what it does to an instance depends "
                    "on the others; take GroupNorm, or leave batch_instances of "
                    "Training out."
                )


def pooled(h: Any) -> Any:
    """Return the vector of each instance in what a model has returned.

    Of a ``last_hidden_state`` without a ``pooler_output`` it is the mean: over the
    tokens of (n, T, L), over the places of (n, L, height, width).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> tokens = torch.tensor([[[1.0, 2.0], [3.0, 6.0]]])
    >>> pooled(SimpleNamespace(pooler_output=None, last_hidden_state=tokens))
    tensor([[2., 4.]])
    """
    if isinstance(h, Tensor):
        return h
    vectors = getattr(h, "pooler_output", None)
    if isinstance(vectors, Tensor):
        # (n, L, 1, 1) where a convolutional model has pooled.
        return vectors.flatten(1) if vectors.ndim > 2 else vectors
    states = getattr(h, "last_hidden_state", None)
    if isinstance(states, Tensor) and states.ndim == 3:
        return states.mean(dim=1)
    if isinstance(states, Tensor) and states.ndim == 4:
        return states.mean(dim=(2, 3))
    return h
