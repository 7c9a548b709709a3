"""export_onnx: a fitted network as a file that predicts without this library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sklearn.utils.validation import check_is_fitted

from mipl import files
from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.methods.exports.bag_graph import outputs_of

_TOLERANCE = 1e-4  # On random bags; on such as the training's it is 1e-5.


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    path : Path
    outputs : tuple of str
    n_bytes : int
        Size of the file.
    difference : float
        Largest difference of a probability, between file and model, on the random bags
        that both were tried on.
    int8 : bool
    """

    path: Path
    outputs: tuple[str, ...]
    n_bytes: int
    difference: float
    int8: bool


def export_onnx(
    model: BagClassifier, path: str | Path, *, int8: bool = False
) -> Exported:
    """Write a fitted network to an ONNX file, which predicts without this library.

    Its inputs are ``instances``, (N, d) float32, those of all bags one after another,
    and ``offsets``, (m + 1,) int64: bag i has the rows from offsets[i] to
    offsets[i + 1]. Any number of bags and instances will do. Its outputs are
    ``probabilities`` (m, k), as ``predict_proba`` gives them; ``attention`` (N,) and
    ``instance_scores`` (N, k) where the method has them; ``uncalibrated`` (m, k), the
    probabilities before the temperature, where the model was calibrated. Scaling is
    part of the graph. The metadata, JSON values by name, tell classes, features,
    calibration, method and versions.

    The file is tried on random bags before it gets its name.

    Parameters
    ----------
    model : BagClassifier
        Fitted; of a method that trains a network, or a wrapper around such.
    path : path
        Ends in .onnx; a file that lies there is replaced.
    int8 : bool
        Whether matrices are stored in 8 bits, with a scale for each row: a quarter of
        the size, and slightly other probabilities; what is tried is told, not refused.

    Examples
    --------
    >>> import tempfile
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic")
    >>> model = MIPLMA(training=Training(epochs=1)).fit(data.bags, data.candidates)
    >>> with tempfile.TemporaryDirectory() as place:
    ...     done = export_onnx(model, f"{place}/model.onnx")
    >>> done.outputs, done.difference < 1e-5
    (('probabilities', 'attention', 'instance_scores'), True)
    """
    from mipl.methods.exports.onnx_file import onnx_bytes  # noqa: PLC0415  # Optional.

    path = Path(path)
    if path.suffix != ".onnx":
        raise MiplError(f"the file of an export must end in .onnx; got {path}.")
    if not isinstance(model, BagClassifier):
        raise MiplError(
            "model of export_onnx must be a fitted method of mipl; got a "
            f"{type(model).__name__}."
        )
    check_is_fitted(model)
    data, difference = onnx_bytes(model, int8)
    if not int8 and not difference <= _TOLERANCE:
        raise MiplError(
            f"the file would differ from the model by {difference:.1e}, and at most "
            f"{_TOLERANCE} is allowed; another version of onnxruntime may do, or an "
            "encoder without branches that depend on its input."
        )
    files.write_bytes(path, data)
    return Exported(path, outputs_of(model), len(data), difference, int8)
