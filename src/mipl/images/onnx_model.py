"""A trained network of images in an ONNX file, run on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from mipl.errors import BadFile, MiplError
from mipl.generators.onnx_encoder import REAL_TYPES, OnnxFile

Colours = tuple[Sequence[float], Sequence[float]]
_COLOUR = TypeAdapter(tuple[float, float, float])


class OnnxModel(OnnxFile):
    """Images (n, 3, side, side) -> features (n, d): the first output of a model.

    Parameters
    ----------
    path : str or Path
    size : int, optional
        The side of images in pixels that is wanted; the model must not ask for another.
    usual : int
        The side where neither says it.
    colours : pair of three numbers
        Mean and std of the colours, where the model's metadata do not say them.
    threads : int
    """

    def __init__(
        self,
        path: str | Path,
        size: int | None,
        usual: int,
        colours: Colours,
        threads: int,
    ) -> None:
        super().__init__(path, threads, "images")
        self._input = self._images()
        n, *_, own, last = self._input.shape
        self._one_by_one = n == 1  # Many models are written for one image.
        self._channels_last = last == 3 and self._input.shape[1] != 3
        asked = own if isinstance(own, int) else None
        if size and asked and size != asked:
            raise MiplError(
                f"size must be {asked}, the side of images that {path} takes; "
                f"got {size}."
            )
        self.side: int = asked or size or usual
        self.colours = self._said("mean", colours[0]), self._said("std", colours[1])

    def _said(self, name: str, usual: Sequence[float]) -> Sequence[float]:
        """Return what the metadata say of colours."""
        text = self.metadata(name)
        if text is None:
            return usual
        try:
            return _COLOUR.validate_json(text)
        except ValidationError:
            raise BadFile(
                f"the metadata of {self.path} must hold {name!r} as three numbers in "
                f"JSON; they hold {text[:60]!r}."
            ) from None

    def _images(self) -> Any:
        """Return the model's one input, which must be images."""
        inputs = self.inputs()
        if [_are_images(one) for one in inputs] != [True]:
            raise BadFile(
                f"{self.path} must take one input, images (n, 3, side, side) or "
                f"(n, side, side, 3) of real numbers; it takes {self.told_inputs()}."
            )
        self.check_number(inputs[0].shape[0])
        return inputs[0]

    def __call__(self, images: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the features of images."""
        given = images.astype(REAL_TYPES[self._input.type])  # (n, 3, side, side)
        if self._channels_last:
            given = given.transpose(0, 2, 3, 1)
        return self.run(given, self._one_by_one)


def _are_images(given: Any) -> bool:
    real, shape = given.type in REAL_TYPES, given.shape
    # A free side is a name or None.
    return (
        real and len(shape) == 4 and (3 in shape[1::2] or not isinstance(shape[1], int))
    )
