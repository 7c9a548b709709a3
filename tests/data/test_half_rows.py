"""Instances that stay float16 in memory until they are needed."""

import pickle

import h5py
import numpy as np
import pytest

from mipl import MIPLMA, Bags, Training, read_dataset, write_dataset
from mipl.data.half_rows import HalfRows
from mipl.seeds import stream


@pytest.fixture
def slides(tmp_path):
    """Six slides of half precision."""
    rng = stream(0, "half")
    rows = ["bag_id,candidates"]
    for i in range(6):
        with h5py.File(tmp_path / f"s{i}.h5", "w") as file:
            file["features"] = rng.normal(i % 2, 1, (4 + i, 5)).astype(np.float16)
        rows.append(f"s{i},{'ab'[i % 2]}" + ("|b" if i == 2 else ""))
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_features_of_half_precision_stay_so_in_memory_and_on_disk(slides) -> None:
    data = read_dataset(slides)
    assert isinstance(data.bags.instances, HalfRows)
    assert data.bags.instances.array.nbytes == data.bags.n_instances * 5 * 2
    assert "float16" in repr(data.bags) and "on disk" not in repr(data.bags)
    write_dataset(data, slides / "x.bags.h5")
    with h5py.File(slides / "x.bags.h5") as file:
        assert file["features"].dtype == np.float16
    assert read_dataset(slides / "x.bags.h5").bags.digest() == data.bags.digest()


def test_they_are_the_numbers_they_would_be_in_float32(slides) -> None:
    half = read_dataset(slides).bags
    whole = half.load()
    assert whole.instances.dtype == np.float32
    np.testing.assert_array_equal(whole.instances, half.instances.array)
    assert half.digest() == whole.digest() == Bags(list(half)).digest()
    for key in (slice(1, 4), [4, 0, 2], np.array([True, False] * 3), 3):
        assert half[key].digest() == whole[key].digest()
        assert isinstance(half[key].instances, HalfRows)
    again = pickle.loads(pickle.dumps(half))
    assert again.digest() == half.digest()


@pytest.mark.parametrize("drawn", [None, 3])
def test_training_and_predictions_have_the_same_bits(slides, drawn) -> None:
    data = read_dataset(slides)
    options = Training(epochs=3, instances_per_bag=drawn)
    p = [
        MIPLMA(training=options, random_state=0)
        .fit(bags, data.candidates)
        .predict_proba(bags)
        for bags in (data.bags, data.bags.load())
    ]
    assert (p[0] == p[1]).all()
