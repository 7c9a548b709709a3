"""The golden files: what goes in, what must come out, and how far off it is."""

import json
from pathlib import Path

import numpy as np

FILES = Path(__file__).parent / "files"
TOLERANCE = 1e-9
PREFIXES = (
    "plain_",
    "gated_",
    "after_epoch1_",
    "gradient_",
    "final_",
    "train_",
    "init_",
)


def load(name):
    """Return the inputs of a golden file, and all other arrays."""
    listed = json.loads((FILES / "inputs.json").read_text())[name]
    with np.load(FILES / f"{name}.npz") as stored:
        arrays = {key: stored[key] for key in stored.files}
    inputs = {key: arrays.pop(key) for key in listed}
    return inputs, arrays


def error(found, key, outputs):
    """Return the largest error of one stored array, relative where it is above 1."""
    value, expected = _as_stored(found, key, outputs), outputs[key].astype(float)
    assert value.shape == expected.shape, f"{key}: {value.shape}, {expected.shape}"
    return float((np.abs(value - expected) / np.maximum(1, np.abs(expected))).max())


def _as_stored(found, key, outputs):
    """Return a whole array, or its sample or sum, as the golden file keeps it."""
    if key in found:
        return found[key]
    whole, _, kind = key.rpartition("_")
    value = found[whole]
    if kind == "sum":
        return value.sum()
    if kind == "sumsq":
        return np.square(value).sum()
    role = whole
    for prefix in PREFIXES:
        role = role.removeprefix(prefix)
    return value.ravel()[outputs[f"probe_index_{role}"]]
