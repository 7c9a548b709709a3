"""Random byte changes of MATLAB and native files, all read behind the fence.

A MATLAB file is refused or gives arrays of the same shapes; a native file, which has
checksums, is refused or gives the very same arrays. Nothing else may happen.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from tests.attacks.test_damaged_files import arrays_of, forest, shapes_of
from tests.io.toy import cells_of, toy

from mipl import Dataset, MiplError, read_dataset
from mipl.errors import BadFile
from mipl.io.matlab import mat
from mipl.io.native import hdf5
from mipl.seeds import stream

CRASHERS = sorted((Path(__file__).parent / "files").glob("loadmat_crash_*.mat"))


@pytest.mark.parametrize("file", CRASHERS, ids=lambda file: file.stem)
def test_files_that_killed_the_interpreter_are_refused(file):
    with pytest.raises(BadFile, match="is damaged"):
        read_dataset(file)


def test_all_four_files_are_there():
    assert len(CRASHERS) == 4


def singles() -> Dataset:
    data = toy()
    rows = np.stack([bag[0] for bag in data.bags])
    return Dataset(rows, data.candidates, labels=data.labels)


def plain_cells(path: Path) -> None:
    savemat(path, {"data": cells_of(toy(names=(1, 2, 3)))})


def plain_matrices(path: Path) -> None:
    data = singles()
    truth = (data.labels[None] == data.classes[:, None]).astype(float)
    sets = data.candidates.matrix.T.astype(float)
    rows = data.bags.instances.astype(np.float64)
    savemat(path, {"data": rows, "partial_target": sets, "target": truth})


SEEDS = {
    "v5-plain.mat": plain_cells,
    "v5-zlib.mat": lambda path: mat.write(labelled(), path),
    "v73.mat": lambda path: mat.write(labelled(), path, version="7.3"),
    "pll-v5-plain.mat": plain_matrices,
    "pll-v5-zlib.mat": lambda path: mat.write(singles(), path, layout="pll"),
    "pll-v73.mat": lambda path: mat.write(singles(), path, layout="pll", version="7.3"),
    "plain.bags.h5": lambda path: hdf5.write(forest(), path),
    "gzip.bags.h5": lambda path: hdf5.write(forest(), path, compression="gzip"),
}


def labelled() -> Dataset:
    return toy(instance_labels=np.array(["x", "y"])[np.arange(21) % 2])


def read(path: Path) -> dict[str, np.ndarray | None]:
    data = read_dataset(path)
    return arrays_of(replace(data, bags=data.bags.load()))


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one to sixteen bytes, most often one."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        changed[rng.integers(len(changed))] = rng.integers(256)
    return bytes(changed)


def run(folder: Path, name: str, count: int) -> Counter:
    """Read mutants of one file and count the outcomes; a wrong one fails the test."""
    path = folder / name
    SEEDS[name](path)
    good, wanted = path.read_bytes(), read(path)
    rng = stream(0, "mutants", name)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        path.write_bytes(mutate(good, rng))
        try:
            found = read(path)
        except MiplError as error:
            assert "\n" not in str(error)
            outcomes["refused"] += 1
            continue
        assert shapes_of(found) == shapes_of(wanted)
        np.testing.assert_array_equal(found["offsets"], wanted["offsets"])
        same = all(np.array_equal(found[key], wanted[key]) for key in wanted)
        assert same or name.endswith(".mat")
        outcomes["equal" if same else "other numbers"] += 1
    assert outcomes["refused"] > count // 4
    return outcomes


@pytest.mark.parametrize("name", SEEDS)
def test_mutants(tmp_path, name):
    run(tmp_path, name, 60 if name.startswith("pll") else 210)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
def test_many_mutants(tmp_path, name):
    outcomes = run(tmp_path, name, 2000)
    print(name, dict(outcomes))


@pytest.mark.parametrize("name", SEEDS)
def test_files_that_were_cut_off_are_refused(tmp_path, name):
    path = tmp_path / name
    SEEDS[name](path)
    content = path.read_bytes()
    for size in np.linspace(0, len(content) - 1, 25).astype(int):
        path.write_bytes(content[:size])
        with pytest.raises(MiplError):
            read(path)
