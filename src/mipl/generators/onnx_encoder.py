"""A trained network in an ONNX file, run on the CPU.

This is the only file that knows onnx and onnxruntime, which are optional: import it on
use.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl import files
from mipl.errors import BadFile, MiplError, MissingExtra

try:
    import onnx
    import onnxruntime
except ImportError:
    raise MissingExtra.of("an ONNX network", "onnxruntime", "onnx") from None

REAL_TYPES = {
    "tensor(float16)": np.float16,
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
}
_TEXT = "tensor(string)"
_ERRORS_ONLY = 3  # A severity of onnxruntime's log.


class OnnxFile:
    """What the first output of a model makes of its one input: features (n, d).

    Parameters
    ----------
    path : str or Path
    threads : int
    called : str
        What the rows of the input are, for messages.
    """

    def __init__(self, path: str | Path, threads: int, called: str) -> None:
        self.path = files.existing_file(path)
        self.called = called
        self._session = _session(self.path, threads)

    def metadata(self, name: str) -> str | None:
        """Return an entry of the metadata."""
        found: str | None = self._session.get_modelmeta().custom_metadata_map.get(name)
        return found

    def inputs(self) -> Any:
        """Return what the model takes."""
        return self._session.get_inputs()

    def told_inputs(self) -> str:
        """Say what the model takes."""
        told = ", ".join(f"{one.type} of shape {one.shape}" for one in self.inputs())
        return told or "none"

    def check_number(self, n: Any) -> None:
        """Refuse a model that takes several rows and no other number of them."""
        if isinstance(n, int) and n != 1:
            raise BadFile(
                f"{self.path} takes {n} {self.called} at a time; export it for any "
                "number."
            )

    def run(self, rows: npt.NDArray[Any], one_by_one: bool) -> npt.NDArray[np.float32]:
        """Return the features of the rows of an array."""
        parts = np.split(rows, len(rows)) if one_by_one else [rows]
        return np.concatenate([self._run(np.ascontiguousarray(x)) for x in parts])

    def _run(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        output = self._session.get_outputs()[0].name
        try:
            (found,) = self._session.run([output], {self.inputs()[0].name: rows})
        except Exception as error:  # onnxruntime's errors have no family.
            raise MiplError(
                f"{self.path} failed on {self.called} of shape {rows.shape}: "
                f"{_reason(error)}."
            ) from None
        n, *rest = getattr(found, "shape", (0,))
        if n != len(rows) or not rest or prod(rest) != rest[0]:
            raise MiplError(
                f"{self.path} must turn {len(rows)} {self.called} into an array "
                f"({len(rows)}, d); it gave {(n, *rest)}."
            )
        return found.reshape(n, -1).astype(np.float32)  # type: ignore[no-any-return]

    def fingerprint(self) -> str:
        """Return a hash of the file, and of those beside it that hold its numbers."""
        names = sorted(set(_elsewhere(onnx.load(self.path, load_external_data=False))))
        beside = [files.inside(self.path.parent, name) for name in names]
        hashes = [files.sha256(path) for path in [self.path, *beside]]
        return f"ONNX {sha256(' '.join(hashes).encode()).hexdigest()}"


class OnnxArrays(OnnxFile):
    """Arrays (n, *shape) -> features (n, d); an axis of one channel may be absent."""

    def __init__(self, path: str | Path, shape: tuple[int, ...], called: str) -> None:
        super().__init__(path, 1, called)
        shapes = [shape] if shape[0] != 1 else [shape, shape[1:]]
        inputs = self.inputs()
        fits = [
            wanted
            for wanted in shapes
            if len(inputs) == 1
            and inputs[0].type in REAL_TYPES
            and len(inputs[0].shape) == len(wanted) + 1
            # A free side is a name or None.
            and all(
                not isinstance(asked, int) or asked == side
                for asked, side in zip(inputs[0].shape[1:], wanted, strict=True)
            )
        ]
        if not fits:
            raise BadFile(
                f"{self.path} must take one input of real numbers, {called} (n, "
                f"{', '.join(map(str, shape))}); it takes {self.told_inputs()}."
            )
        self._shape = fits[0]
        self.check_number(inputs[0].shape[0])
        self._one_by_one = inputs[0].shape[0] == 1

    def __call__(self, arrays: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the features of arrays."""
        kind = REAL_TYPES[self.inputs()[0].type]
        given = arrays.reshape(len(arrays), *self._shape).astype(kind)
        return self.run(given, self._one_by_one)


class OnnxTexts(OnnxFile):
    """Texts, a list of n -> features (n, d): of a model that takes strings."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path, 1, "texts")
        inputs = self.inputs()
        one = len(inputs) == 1 and inputs[0].type == _TEXT
        if not one or len(inputs[0].shape) not in (1, 2):
            raise BadFile(
                f"{self.path} must take one input of strings, (n,) or (n, 1); it takes "
                f"{self.told_inputs()}."
            )
        self._column = len(inputs[0].shape) == 2
        self._one_by_one = inputs[0].shape[0] == 1

    def __call__(self, texts: list[str]) -> npt.NDArray[np.float32]:
        """Return the features of texts."""
        rows = np.array(texts, dtype=object)
        return self.run(rows[:, None] if self._column else rows, self._one_by_one)


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


def _elsewhere(model: Any) -> Iterator[str]:
    """Give the names of the files that hold numbers of a model."""
    for tensor in model.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            yield from (e.value for e in tensor.external_data if e.key == "location")


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0].rpartition(" : ")[2].rstrip(".")
