"""Networks by name whose published values the user has in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torch import nn

from mipl.nn.efficientnet_lite import EfficientNetLite0
from mipl.nn.published_values import fill
from mipl.nn.resnet import ResNet34

Colour = tuple[float, float, float]

IMAGENET_MEAN: Colour = (0.485, 0.456, 0.406)
IMAGENET_STD: Colour = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Pretrained:
    """A network, what its file must be, and the colours it was trained to see."""

    build: Callable[[], nn.Module]
    called: str
    mean: Colour = IMAGENET_MEAN
    std: Colour = IMAGENET_STD

    def load(self, weights: str | Path) -> nn.Module:
        """Return the network with the values of a safetensors file."""
        module = self.build()
        fill(module, weights, self.called)
        return module.eval()


NETWORKS = {
    "efficientnet-lite0": Pretrained(
        EfficientNetLite0,
        "EfficientNet-Lite0 as scripts/efficientnet_lite0.py writes it",
        mean=(127 / 255,) * 3,
        std=(128 / 255,) * 3,
    ),
    "resnet34": Pretrained(ResNet34, "ResNet-34 in torchvision's layout"),
}
