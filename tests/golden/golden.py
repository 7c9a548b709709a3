"""The golden files: what goes in, what must come out, and how a replay is tested."""

import json
from pathlib import Path

import numpy as np

from mipl.testing import replay

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
    "linear_",
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


class Replayed:
    """What every replay must do, for a subclass that says of which files."""

    names = ()  # of the golden files
    random = ()  # names of stored numbers that come from random draws
    fewest = 1  # numbers that a file stores
    altered = ()  # file, module or class, and the part of it that is changed there
    noticed = 1000 * TOLERANCE  # least error of a replay with a changed part

    def changed(self, value):
        """Return a little more than a part has given."""
        return value * 1.001

    def results(self, outputs):
        """Return the names of the stored numbers that a replay must give."""
        return [
            name
            for name in outputs
            if not name.startswith("probe_index_") and name not in self.random
        ]

    def pytest_generate_tests(self, metafunc):
        if "part" in metafunc.fixturenames:
            metafunc.parametrize(("name", "owner", "part"), self.altered)
        elif "name" in metafunc.fixturenames:
            metafunc.parametrize("name", self.names)

    def test_every_stored_number_is_reproduced(self, name, replays):
        _, outputs = load(name)
        found = replays[name]
        errors = {key: error(found, key, outputs) for key in self.results(outputs)}
        assert len(errors) >= self.fewest
        worst = max(errors, key=errors.get)
        assert max(errors.values()) <= TOLERANCE, f"{worst} is {errors[worst]} off"

    def test_every_array_is_float64_and_whole(self, name, replays):
        for key, value in replays[name].items():
            assert value.dtype == np.float64, key
            assert not key.endswith(("_probe", "_sumsq")), key

    def test_replay_reads_no_output_and_leaves_the_inputs_alone(self, name, replays):
        inputs, outputs = load(name)
        spoiled = {key: np.full_like(value, 77) for key, value in outputs.items()}
        again = replay(name, spoiled | inputs)
        for key, value in replays[name].items():
            np.testing.assert_array_equal(again[key], value, err_msg=key)
        fresh, _ = load(name)
        for key, value in inputs.items():
            np.testing.assert_array_equal(value, fresh[key], err_msg=key)

    def test_an_altered_part_changes_the_numbers(self, name, owner, part, monkeypatch):
        """What a replay computes comes from what fit uses."""
        given = getattr(owner, part)
        monkeypatch.setattr(owner, part, lambda *a, **k: self.changed(given(*a, **k)))
        inputs, outputs = load(name)
        found = replay(name, inputs)
        errors = [error(found, k, outputs) for k in self.results(outputs) if k in found]
        assert max(errors) > self.noticed
