"""Encoders: instances -> embedded instances h (N, L)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from mipl.errors import MiplError
from mipl.nn.dropout import DroppedReLU
from mipl.nn.fused import dropped_maps
from mipl.nn.initialisation import conv, linear
from mipl.nn.own_encoder import OwnEncoder

ENCODERS = ("auto", "linear", "conv", "image")
IMAGE = (1, 28, 28)
_AT_ONCE = 512  # Images in a prediction; with more, memory slows convolutions down.


class Standardise(nn.Module):
    """Subtract the mean and divide by the spread of the training instances."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(d))
        self.register_buffer("scale", torch.ones(d))

    def forward(self, x: Tensor) -> Tensor:
        """Return the scaled features."""
        return (x - self.mean) / self.scale  # type: ignore[operator]


class LinearEncoder(nn.Module):
    """One affine map, dropout, ReLU."""

    def __init__(self, d: int, width: int, dropout: float) -> None:
        super().__init__()
        self.feature = linear(d, width)
        self.dropout = DroppedReLU(dropout)

    def forward(self, x: Tensor, dropout: nn.Module | None = None) -> Tensor:
        """Embed the instances, given flat; other rows have a dropout of their own."""
        h: Tensor = (dropout or self.dropout)(self.feature(self.trunk(x)))
        return h  # (N, L)

    def trunk(self, x: Tensor) -> Tensor:
        """Return what the affine map is applied to."""
        return x

    @torch.no_grad()
    def unit_start(self, x: Tensor) -> None:
        """Rescale the map so that its values for these instances spread by 1 around 0.

        torch's starting values shrink a signal in every layer: after two convolutions
        little more is left of an image than its mean.
        """
        h = self.feature(self.trunk(x))  # (N, L)
        spread, mean = torch.std_mean(h, dim=0, correction=0)
        spread = spread.where(spread > 0, 1.0)
        self.feature.weight.div_(spread.unsqueeze(1))
        self.feature.bias.sub_(mean).div_(spread)


class LinearEncoders(nn.Sequential):
    """Several affine maps, each with dropout and ReLU."""

    def forward(self, x: Tensor) -> Tensor:
        """Embed the instances, given flat, all layers for some of them at a time."""
        layers = [layer for layer in self if isinstance(layer, LinearEncoder)]
        several_runs = not isinstance(layers[0].dropout, DroppedReLU)
        if several_runs or torch.compiler.is_exporting():
            found: Tensor = super().forward(x)  # type: ignore[no-untyped-call]
            return found
        x = layers[0].trunk(x)
        maps = [layer.feature for layer in layers]
        random = [
            layer.dropout.draw(x, layer.feature.weight.shape[:1]) for layer in layers
        ]
        return dropped_maps(x, maps, random, layers[0].dropout.p)  # (N, L)


class ConvEncoder(LinearEncoder):
    """Two 5x5 convolutions with ReLU and pooling, then the affine map; 28x28 only."""

    flat = 800  # Numbers that the convolutions leave of an image.

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__(self.flat, width, dropout)
        self.conv1, self.conv2 = self.convolutions()
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def convolutions(self) -> tuple[nn.Conv2d, nn.Conv2d]:
        """Return the convolutions, empty."""
        return conv(1, 20, 5), conv(20, 50, 5)

    def trunk(self, x: Tensor) -> Tensor:
        """Return the pooled channels of the images."""
        flat = convolved(x, IMAGE, self.conv1, self.conv2)
        return flat.to(self.feature.weight.dtype)  # (N, flat)


class PaddedConvEncoder(ConvEncoder):
    """The same with more channels, padded convolutions and a smaller second one."""

    flat = 3136

    def convolutions(self) -> tuple[nn.Conv2d, nn.Conv2d]:
        """Return the convolutions, empty."""
        return conv(1, 32, 5, padding=2), conv(32, 64, 3, padding=1)


class TwoLayerEncoder(nn.Module):
    """An affine map with dropout and ReLU, and one more with ReLU alone."""

    def __init__(self, d: int, hidden: int, width: int, dropout: float) -> None:
        super().__init__()
        self.feature1 = linear(d, hidden)
        self.dropout = DroppedReLU(dropout)
        self.feature2 = linear(hidden, width)

    def forward(self, x: Tensor, dropout: nn.Module | None = None) -> Tensor:
        """Embed the instances; other rows have a dropout of their own."""
        hidden = (dropout or self.dropout)(self.feature1(x))
        return torch.relu_(self.feature2(hidden))  # (N, L)


def convolved(
    x: Tensor, shape: tuple[int, ...], conv1: nn.Module, conv2: nn.Module
) -> Tensor:
    """Return what two convolutions with ReLU and pooling make of flat images, flat.

    With channels last, in values and images, convolutions on a CPU take half the time;
    pooling before the ReLU gives the same numbers for a quarter of it.
    """
    whole = torch.is_grad_enabled() or torch.compiler.is_exporting()
    if not whole and len(x) > _AT_ONCE:
        parts = torch.split(x, _AT_ONCE)
        return torch.cat([convolved(part, shape, conv1, conv2) for part in parts])
    images = x.view(-1, *shape).to(next(conv1.parameters()).dtype)
    images = images.contiguous(memory_format=torch.channels_last)
    images = torch.relu_(torch.max_pool2d(conv1(images), 2))
    images = torch.relu_(torch.max_pool2d(conv2(images), 2))
    return images.flatten(1)


def build_encoder(
    kind: str | nn.Module,
    d: int,
    shape: tuple[int, ...] | None,
    width: int | Sequence[int],
    dropout: float,
    at_once: int | None = None,
) -> tuple[nn.Module, int]:
    """Return an encoder and its width, picked from the data's declared shape.

    ``"auto"`` takes convolutions for images and one affine map otherwise, ``"image"``
    takes convolutions for images and leaves other features as they are. Of several
    widths, each after the first is one more affine map with dropout and ReLU. A module
    of the user's sees at most so many instances at once.
    """
    if isinstance(width, Sequence):
        first, inner = build_encoder(kind, d, shape, width[0], dropout, at_once)
        as_given = isinstance(kind, nn.Module) or isinstance(first, nn.Identity)
        widths = [inner] if as_given else [inner, *width[1:]]
        more = [LinearEncoder(a, b, dropout) for a, b in pairwise(widths)]
        return LinearEncoders(first, *more) if more else first, widths[-1]
    image = shape in (IMAGE, IMAGE[1:])
    if isinstance(kind, nn.Module):
        own = OwnEncoder(kind, shape or (d,), at_once=at_once).eval()
        with torch.no_grad():
            like = next(own.parameters(), torch.zeros(()))
            return own, int(own(torch.zeros(1, d).to(like)).shape[1])
    if kind == "image" and not image:
        return nn.Identity(), d
    if kind in ("auto", "image"):
        kind = "conv" if image else "linear"
    if kind == "conv" and not image:
        raise MiplError(
            f"encoder='conv' takes 28x28 instances; these have shape {shape or (d,)}."
        )
    if kind == "conv":
        return ConvEncoder(width, dropout), width
    return LinearEncoder(d, width, dropout), width
