import subprocess
import sys

import numpy as np
import pytest

from mipl import read_dataset
from mipl.datasets import build_dataset, load_dataset
from mipl.datasets.built import built_path
from mipl.errors import MiplError


def same(one, other):
    assert one.bags.digest() == other.bags.digest()
    assert np.array_equal(one.candidates.matrix, other.candidates.matrix)
    assert np.array_equal(one.labels, other.labels)
    assert dict(one.facts) == dict(other.facts)


def test_a_built_file_holds_the_loaded_set(nowhere):
    path = build_dataset("digits-mipl", 2, 3)
    assert path.parent == nowhere / "mipl_cache"
    same(read_dataset(path), load_dataset("digits-mipl", 2, 3))


def test_every_choice_has_its_own_file(nowhere):
    choices = [
        ("synthetic",),
        ("synthetic", 2),
        ("synthetic", 1, 1),
        ("digits-mipl",),
    ]
    paths = {built_path(*choice) for choice in choices}
    paths |= {built_path("synthetic", n_bags=n) for n in (20, 30)}
    assert len(paths) == 6
    first = built_path("synthetic", n_bags=20, overlap=0.1)
    assert first == built_path("synthetic", overlap=0.1, n_bags=20)


def test_a_damaged_file_is_built_again(nowhere):
    path = build_dataset("synthetic", n_bags=20)
    good = path.read_bytes()
    path.write_bytes(good[: len(good) // 2])
    assert build_dataset("synthetic", n_bags=20) == path
    same(read_dataset(path), load_dataset("synthetic", n_bags=20))


def test_two_processes_may_build_at_once(nowhere):
    code = (
        "from mipl.datasets.built import build_dataset\n"
        "for _ in range(5): build_dataset('synthetic')"
    )
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    same(read_dataset(built_path("synthetic")), load_dataset("synthetic"))
    assert [path.name for path in (nowhere / "mipl_cache").iterdir()] == [
        "synthetic-r1-seed0.bags.h5"
    ]


def test_an_impossible_cache_is_told(nowhere, monkeypatch):
    (nowhere / "file").write_text("")
    monkeypatch.setenv("MIPL_CACHE", str(nowhere / "file" / "cache"))
    with pytest.raises(MiplError, match="set MIPL_CACHE"):
        build_dataset("synthetic")


def test_wrong_names_are_told_before_anything_is_written(nowhere):
    with pytest.raises(MiplError, match="unknown data set"):
        build_dataset("../x")
    assert not (nowhere / "mipl_cache").exists()
