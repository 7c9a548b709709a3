"""Bags in a file: the same bits as in memory, and no more memory than promised."""

import subprocess
import sys

import numpy as np
import pytest
from tests.training.test_repeatable import bits, fitted

from mipl import MIPLMA, Bags, Dataset, Training
from mipl.io.native import hdf5
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)
SETTINGS = [
    {},
    {"batch_size": None},
    {"batch_size": None, "batch_instances": 9},
    {"instances_per_bag": 2},
    {"stop_on": "covering_rate", "holdout": 0.3},
    {"dtype": "float64"},
]


@pytest.fixture(scope="module")
def in_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "toy.bags.h5"
    hdf5.write(Dataset(Bags(PROBLEM.bags), PROBLEM.y), path)
    return hdf5.read(path).bags


@pytest.mark.parametrize("build", [MIPLMA, MIPLMA.paper, MIPLMA.released])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_file_trains_to_the_same_bits(in_file, build, settings):
    assert in_file.on_disk
    there, here = (
        fitted(build, bags=bags, **settings) for bags in (in_file, PROBLEM.bags)
    )
    assert bits(there) == bits(here)
    assert there.history_ == here.history_
    np.testing.assert_array_equal(
        there.predict_proba(in_file), here.predict_proba(PROBLEM.bags)
    )


# Reads what a process has used at most; torch alone takes about 400 MB of it.
CHILD = """
import sys
from pathlib import Path
from mipl import load_model, read_dataset
model, file = load_model(sys.argv[1]), sys.argv[2]
data = read_dataset(file)
model.predict_proba(data.bags)
model.attend(data.bags)
model.transform(data.bags)
model.predict_instances(data.bags)
print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]))
"""


class Repeated:
    """Rows made when they are asked for."""

    def __init__(self, n_rows, rows):
        self.rows, self.shape, self.dtype = rows, (n_rows, rows.shape[1]), rows.dtype

    def __getitem__(self, part):
        return self.rows[np.arange(*part.indices(self.shape[0])) % len(self.rows)]

    def select(self, starts, stops):
        raise NotImplementedError


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_bag_of_a_million_instances_is_predicted_below_one_gigabyte(tmp_path):
    rows = np.random.default_rng(0).standard_normal((4001, 512), dtype=np.float32)
    few = Bags(rows, np.append(np.arange(0, 4001, 100), 4001))
    model = MIPLMA(training=Training(epochs=1)).fit(few, np.arange(len(few)) % 5)
    model.save(tmp_path / "model")
    million = Bags(Repeated(10**6, rows), [0, 10**6])
    hdf5.write(Dataset(million, [{0, 1, 2, 3, 4}]), tmp_path / "large.bags.h5")
    command = [sys.executable, "-c", CHILD, tmp_path / "model"]
    done = subprocess.run(
        [*command, tmp_path / "large.bags.h5"], check=True, capture_output=True
    )
    assert int(done.stdout) * 1024 < 1e9
