"""A trained network in an ONNX file, run on the CPU.

This is the only file that knows onnx and onnxruntime, which are optional: import it on
use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter, ValidationError

from mipl import files
from mipl.errors import BadFile, MiplError, MissingExtra

try:
    import onnx
    import onnxruntime
except ImportError:
    raise MissingExtra.of("an ONNX backbone", "onnxruntime", "onnx") from None

_TYPES = {
    "tensor(float16)": np.float16,
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
}
Colours = tuple[Sequence[float], Sequence[float]]
_COLOUR = TypeAdapter(tuple[float, float, float])
_ERRORS_ONLY = 3  # A severity of onnxruntime's log.


class OnnxModel:
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
        self.path = files.existing_file(path)
        self._session = _session(self.path, threads)
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
        text = self._session.get_modelmeta().custom_metadata_map.get(name)
        try:
            return usual if text is None else _COLOUR.validate_json(text)
        except ValidationError:
            raise BadFile(
                f"the metadata of {self.path} must hold {name!r} as three numbers in "
                f"JSON; they hold {text[:60]!r}."
            ) from None

    def _images(self) -> Any:
        """Return the model's one input, which must be images."""
        inputs = self._session.get_inputs()
        if [_are_images(one) for one in inputs] != [True]:
            told = ", ".join(f"{one.type} of shape {one.shape}" for one in inputs)
            raise BadFile(
                f"{self.path} must take one input, images (n, 3, side, side) or "
                f"(n, side, side, 3) of real numbers; it takes {told or 'none'}."
            )
        n = inputs[0].shape[0]
        if isinstance(n, int) and n != 1:
            raise BadFile(
                f"{self.path} takes {n} images at a time; export it for any number."
            )
        return inputs[0]

    def __call__(self, images: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the features of images."""
        given = images.astype(_TYPES[self._input.type])  # (n, 3, side, side)
        if self._channels_last:
            given = given.transpose(0, 2, 3, 1)
        parts = np.split(given, len(given)) if self._one_by_one else [given]
        return np.concatenate([self._run(np.ascontiguousarray(x)) for x in parts])

    def _run(self, images: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        output = self._session.get_outputs()[0].name
        try:
            (found,) = self._session.run([output], {self._input.name: images})
        except Exception as error:  # onnxruntime's errors have no family.
            raise MiplError(
                f"{self.path} failed on images of shape {images.shape}: "
                f"{_reason(error)}."
            ) from None
        n, *rest = getattr(found, "shape", (0,))
        if n != len(images) or not rest or prod(rest) != rest[0]:
            raise MiplError(
                f"{self.path} must turn {len(images)} images into an array "
                f"({len(images)}, d); it gave {(n, *rest)}."
            )
        return found.reshape(n, -1).astype(np.float32)  # type: ignore[no-any-return]

    def fingerprint(self) -> str:
        """Return a hash of the file, and of those beside it that hold its numbers."""
        names = sorted(set(_elsewhere(onnx.load(self.path, load_external_data=False))))
        beside = [files.inside(self.path.parent, name) for name in names]
        hashes = [files.sha256(path) for path in [self.path, *beside]]
        return f"ONNX {sha256(' '.join(hashes).encode()).hexdigest()}"


def _session(path: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _ERRORS_ONLY
    try:
        return onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors have no family.
        raise BadFile(
            f"{path} cannot be opened as an ONNX model: {_reason(error)}."
        ) from None


def _are_images(given: Any) -> bool:
    real, shape = given.type in _TYPES, given.shape
    # A free side is a name or None.
    return (
        real and len(shape) == 4 and (3 in shape[1::2] or not isinstance(shape[1], int))
    )


def _elsewhere(model: Any) -> Iterator[str]:
    """Give the names of the files that hold numbers of a model."""
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            yield from (e.value for e in tensor.external_data if e.key == "location")


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0].rpartition(" : ")[2].rstrip(".")
