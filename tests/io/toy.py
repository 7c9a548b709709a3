"""A small data set and its cell array, for the tests of several files."""

import json
from pathlib import Path

import numpy as np

from mipl.data import Bags, Candidates, Dataset
from mipl.seeds import stream

VERSIONS = ("5", "7.3")


def toy(names=("elm", "oak", "ash"), instance_labels=None, **more):
    """Nine bags of 1 to 4 instances in three classes, two candidates each."""
    rng = stream(0, "toy")
    bags = [rng.normal(size=(1 + i % 4, 3)) for i in range(9)]
    names = np.asarray(names)
    labels = names[np.arange(9) % 3]
    sets = [{names[i % 3].item(), names[(i + 1 + i // 3) % 3].item()} for i in range(9)]
    return Dataset(
        Bags(bags, instance_labels=instance_labels),
        Candidates(sets, classes=names),
        labels=labels,
        **more,
    )


def cells_of(dataset, columns=3):
    """The cell array as MATLAB users make it, by hand."""
    cells = np.empty((len(dataset), columns), dtype=object)
    classes = dataset.classes.tolist()
    for i in range(len(dataset)):
        cells[i, 0] = dataset.bags.bag(i).astype(np.float64)
        cells[i, 1] = np.flatnonzero(dataset.candidates.matrix[i])[None] + 1
        cells[i, 2] = np.array([[classes.index(dataset.labels[i].item()) + 1]])
    return cells


def assert_same(found, expected):
    np.testing.assert_array_equal(found.bags.instances, expected.bags.instances)
    np.testing.assert_array_equal(found.bags.offsets, expected.bags.offsets)
    np.testing.assert_array_equal(found.candidates.matrix, expected.candidates.matrix)
    assert found.classes.tolist() == expected.classes.tolist()
    if expected.labels is None:
        assert found.labels is None
    else:
        assert found.labels.tolist() == expected.labels.tolist()


def without_hashes(path: Path) -> Path:
    """Make the record of a table one of an earlier version, which had no hashes."""
    record = path.with_name(f"{path.name}.json")
    content = json.loads(record.read_text())
    del content["files"], content["token"]
    record.write_text(json.dumps(content))
    return path
