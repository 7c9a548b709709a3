"""DeepPatches: the tiles of a picture as a trained network sees them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from mipl.errors import BadType, MiplError, unknown
from mipl.images.image_bags import ImageBags, PictureBag
from mipl.images.patches import cut, resized
from mipl.images.pixels import Pixels
from mipl.nn.pretrained import IMAGENET_MEAN, IMAGENET_STD, NETWORKS, Pretrained
from mipl.nn.torch_encoder import TorchEncoder
from mipl.parameters import anything, integer

if TYPE_CHECKING:
    from mipl.images.onnx_model import OnnxModel

Images = npt.NDArray[np.float32]  # (n, 3, side, side)
Colours = tuple[Sequence[float], Sequence[float]]
_USUAL_SIDE = 224
_IMAGENET = IMAGENET_MEAN, IMAGENET_STD


class DeepPatches(ImageBags):
    """Cut a picture into tiles, and take what a trained network says of each.

    The tiles are those of ``Patches``: 16 are 56 pixels a side on a picture of 224, 25
    are 44 pixels on its centre of 220. Each is resized to the side that the network
    takes and normalised per colour. With the 1000-class networks an instance is 1000
    logits, as in the CRC-MIPL sets of the paper.

    Examples
    --------
    >>> pooled = nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten())
    >>> pictures = np.zeros((2, 224, 224, 3), np.uint8)
    >>> DeepPatches(pooled, patches=25).transform(pictures)
    Bags(2 bags, 50 instances x 12 features, 25-25 per bag)
    """

    backbone: str | Path | nn.Module = anything(
        "A network by name, efficientnet-lite0 or resnet34; an ONNX file; or a module "
        "of one's own, which is used as in evaluation, on the device where it lies. It "
        "turns (n, 3, side, side) into (n, d).",
        "str, path or torch.nn.Module",
        default="efficientnet-lite0",
    )
    weights: str | Path | None = anything(
        "The safetensors file of a network given by name: for EfficientNet-Lite0 what "
        "scripts/efficientnet_lite0.py writes, for ResNet-34 torchvision's layout.",
        "path",
        default=None,
    )
    patches: int = integer(
        "Instances per picture, a square number: 16 or 25 in the paper.",
        default=16,
        at_least=1,
    )
    size: int | None = integer(
        "Side in pixels to which each tile is resized: by default what an ONNX file "
        "asks for, or 224.",
        default=None,
        at_least=1,
    )
    mean: Sequence[float] | None = anything(
        "Normalisation of red, green and blue from 0 to 1: by default that with which "
        "a network given by name was trained, what the entries mean and std of an ONNX "
        "file's metadata say (JSON), ImageNet's for others.",
        "three numbers",
        default=None,
    )
    std: Sequence[float] | None = anything("Its spread.", "three numbers", default=None)
    cache: str | Path | None = anything(
        "A file that keeps features: what lies there already, by the content of the "
        "picture, the values of the backbone and all arguments, is not computed again. "
        "Any number of processes may use it at once. It serves in place of finished.",
        "path",
        default=None,
    )

    def check(self) -> None:
        """Refuse wrong arguments."""
        super().check()
        if isqrt(self.patches) ** 2 != self.patches:
            raise MiplError(
                f"patches must be a square number such as 16 or 25; got {self.patches}."
            )
        self._check_backbone()
        for name in ("mean", "std"):
            if getattr(self, name) is not None:
                _colour(name, getattr(self, name))

    def _check_backbone(self) -> None:
        if not isinstance(self.backbone, (str, Path, nn.Module)):
            raise BadType(
                "backbone must be a name, an ONNX file or a torch.nn.Module; got "
                f"{type(self.backbone).__name__}."
            )
        known = self._known()
        if known is None and isinstance(self.backbone, str):
            if Path(self.backbone).suffix.lower() != ".onnx":
                raise unknown("backbone", self.backbone, [*NETWORKS, "FILE.onnx"])
        if known is not None and self.weights is None:
            raise MiplError(
                f"backbone={self.backbone!r} needs weights=, a safetensors file for "
                f"{known.called}."
            )
        if known is None and self.weights is not None:
            raise MiplError(
                f"weights= belongs to a backbone by name ({', '.join(NETWORKS)}); an "
                "ONNX file or a module has values of its own: leave it out."
            )

    def _known(self) -> Pretrained | None:
        """Return the row of a backbone that is given by name."""
        return NETWORKS.get(self.backbone) if isinstance(self.backbone, str) else None

    def _opened(self) -> TorchModel | OnnxModel:
        known, side = self._known(), self.size or _USUAL_SIDE
        if known is not None and self.weights is not None:
            return TorchModel(known.load(self.weights), side, (known.mean, known.std))
        if isinstance(self.backbone, nn.Module):
            return TorchModel(self.backbone, side, _IMAGENET)
        from mipl.images.onnx_model import OnnxModel  # noqa: PLC0415

        threads = torch.get_num_threads()
        return OnnxModel(self.backbone, self.size, _USUAL_SIDE, _IMAGENET, threads)

    def _colours(self, model: TorchModel | OnnxModel) -> tuple[Images, Images]:
        """Return mean and spread of the colours, each (3, 1, 1)."""
        mean, std = model.colours
        return (
            _colour("mean", mean if self.mean is None else self.mean),
            _colour("std", std if self.std is None else self.std),
        )

    def store(self, finished: str | Path | None) -> str | Path | None:
        """Return the cache, where there is one."""
        return finished if self.cache is None else self.cache

    def rebuilt_from_facts(self) -> bool:
        """Tell that the values of the network are elsewhere."""
        return False

    def settings(self) -> dict[str, Any]:
        """Return what the features depend on, for the keys of finished pictures."""
        model = self._opened()
        return {
            "backbone": model.fingerprint(),
            "patches": int(self.patches),
            "side": model.side,
            "colours": [colour.ravel().tolist() for colour in self._colours(model)],
        }

    def chunk(self, pictures: Sequence[Pixels]) -> list[PictureBag | MiplError]:
        """Return the bags of some pictures; an error takes the place of a bag."""
        model = self._opened()
        mean, std = self._colours(model)
        results: list[PictureBag | MiplError] = []
        for pixels in pictures:
            try:
                tiles, where = cut(pixels, isqrt(self.patches))
            except MiplError as error:
                results.append(error)
                continue
            images = _normalised(resized(tiles, model.side), mean, std)
            # One picture at a time: in another company, the last bits would differ.
            features = model(images)
            if not np.isfinite(features).all():
                raise MiplError(
                    "the backbone gave features that are NaN or infinite; check its "
                    "values, mean and std."
                )
            results.append(PictureBag(features, where))
        return results


class TorchModel(TorchEncoder):
    """Images (n, 3, side, side) -> features (n, d) by a copy of a module."""

    def __init__(self, module: nn.Module, side: int, colours: Colours) -> None:
        super().__init__(module, (3, side, side), "backbone")
        self.side, self.colours = side, colours


def _normalised(tiles: Sequence[Pixels], mean: Images, std: Images) -> Images:
    images = np.stack(tiles).transpose(0, 3, 1, 2).astype(np.float32)
    images /= 255
    images -= mean
    images /= std
    return images  # (n, 3, side, side)


def _colour(name: str, values: Sequence[float]) -> Images:
    try:
        colour = np.asarray(values, np.float32)
    except (TypeError, ValueError):
        colour = np.zeros(0, np.float32)
    good = colour > 0 if name == "std" else np.isfinite(colour)
    if colour.shape != (3,) or not (np.isfinite(colour) & good).all():
        kind = "positive numbers" if name == "std" else "numbers"
        raise MiplError(
            f"{name} must be three {kind}, for red, green and blue; got {values!r}."
        )
    return colour[:, None, None]
