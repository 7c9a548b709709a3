"""Bags to predict: read without labels where the format allows it."""

import numpy as np
import pytest

from mipl import Bags, Dataset, MiplError, read_bags, read_dataset, write_dataset


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(6, 4)).astype(np.float32)
    bags = Bags(
        rows,
        [0, 2, 6],
        bag_ids=["p", "q"],
        coords=np.arange(12).reshape(6, 2),
        instance_labels=list("abaabb"),
        instance_shape=(2, 2),
    )
    return Dataset(bags, [{"a", "b"}, {"a"}], labels=["a", "a"])


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.npz", "x.bags.h5", "x"])
def test_the_bags_are_those_of_the_data_set(data, tmp_path, name) -> None:
    write_dataset(data, tmp_path / name)
    bags, whole = read_bags(tmp_path / name), read_dataset(tmp_path / name).bags
    assert bags.digest() == whole.digest()
    assert bags.bag_ids.tolist() == ["p", "q"]
    np.testing.assert_array_equal(bags.coords, whole.coords)
    np.testing.assert_array_equal(bags.instance_labels, whole.instance_labels)
    assert bags.instance_shape == whole.instance_shape


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_without_any_label(tmp_path, suffix) -> None:
    path = tmp_path / f"new.{suffix}"
    columns = {"bag_id": ["p", "q", "p"], "height": [3.0, 4.0, 5.0], "width": [1.0] * 3}
    if suffix == "csv":
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
        path.write_text("\n".join(lines))
    else:
        pytest.importorskip("pandas").DataFrame(columns).to_parquet(path)
    bags = read_bags(path)
    assert [bag.tolist() for bag in bags] == [[[3, 1], [5, 1]], [[4, 1]]]
    assert bags.bag_ids.tolist() == ["p", "q"]
    assert read_bags(path, features=["width"]).n_features == 1
    with pytest.raises(MiplError, match=r"label table|has no candidates"):
        read_dataset(path)


def test_archives_without_any_label(tmp_path) -> None:
    np.savez(tmp_path / "new.npz", X=np.eye(3), offsets=[0, 1, 3])
    assert read_bags(tmp_path / "new.npz").sizes.tolist() == [1, 2]
    with pytest.raises(MiplError, match="has no labels"):
        read_dataset(tmp_path / "new.npz")


def test_unknown_options_are_told(tmp_path) -> None:
    np.savez(tmp_path / "new.npz", X=np.eye(3), offsets=[0, 1, 3])
    with pytest.raises(MiplError, match="unknown option 'features'"):
        read_bags(tmp_path / "new.npz", features=["a"])
    (tmp_path / "new.csv").write_text("bag_id,height\np,1\n")
    with pytest.raises(MiplError, match="unknown option 'feature'"):
        read_bags(tmp_path / "new.csv", feature=["a"])
