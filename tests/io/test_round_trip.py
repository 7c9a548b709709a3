"""What is written comes back: every format, every field, arbitrary data."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mipl import Bags, Candidates, Dataset, read_dataset, write_dataset

FULL = [".bags.h5", ".npz", ".csv", ".parquet", ""]
_CONTROL = {"Cs", "Cc"}
text = st.text(
    st.characters(exclude_categories=_CONTROL), min_size=1, max_size=6
).filter(lambda t: t == t.strip() and "\0" not in t)
names = st.lists(text, min_size=2, max_size=4, unique=True)


def equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    if a is None or b is None:
        return a is b
    same_kind = {a.dtype.kind, b.dtype.kind} <= set(
        "iu"
    ) or a.dtype.kind == b.dtype.kind
    return same_kind and a.shape == b.shape and bool((a == b).all())


def assert_same(a: Dataset, b: Dataset) -> None:
    mine, other = a.bags.load(), b.bags.load()
    for name in (
        "instances",
        "offsets",
        "bag_ids",
        "coords",
        "instance_labels",
        "uris",
    ):
        assert equal(getattr(mine, name), getattr(other, name)), name
    assert mine.instance_shape == other.instance_shape
    for name in ("matrix", "classes", "weights"):
        assert equal(getattr(a.candidates, name), getattr(b.candidates, name)), name
    for name in ("labels", "groups"):
        assert equal(getattr(a, name), getattr(b, name)), name
    for name in ("name", "licence", "source"):
        assert getattr(a, name) == getattr(b, name), name
    assert dict(a.facts) == dict(b.facts)
    assert list(a.splits) == list(b.splits)
    for name, splits in a.splits.items():
        assert len(splits) == len(b.splits[name])
        for x, y in zip(splits, b.splits[name], strict=True):
            assert equal(x.train, y.train) and equal(x.test, y.test)


@pytest.mark.parametrize("suffix", FULL)
def test_every_field_comes_back(trees: Dataset, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"trees{suffix}"
    write_dataset(trees, path)
    assert_same(trees, read_dataset(path))


@pytest.mark.parametrize("suffix", FULL)
def test_absent_fields_stay_absent(tmp_path: Path, suffix: str) -> None:
    data = Dataset(np.arange(12.0).reshape(3, 2, 2), [{0, 1}, {1}, {2, 0}])
    write_dataset(data, tmp_path / f"bare{suffix}")
    assert_same(data, read_dataset(tmp_path / f"bare{suffix}"))


@pytest.mark.parametrize("suffix", FULL)
def test_writing_twice_replaces(trees: Dataset, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    write_dataset(trees, path)
    if suffix:
        write_dataset(trees[:2], path)
        assert len(read_dataset(path)) == 2
    assert not [f.name for f in tmp_path.iterdir() if f.name.startswith(".")]


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet", ""])
def test_a_set_on_disk_can_be_written(
    trees: Dataset, tmp_path: Path, suffix: str
) -> None:
    write_dataset(trees, tmp_path / "lazy.bags.h5")
    lazy = read_dataset(tmp_path / "lazy.bags.h5")
    assert lazy.bags.on_disk
    write_dataset(lazy, tmp_path / f"copy{suffix}")
    assert_same(trees, read_dataset(tmp_path / f"copy{suffix}"))


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    m, n, d = len(sizes), sum(sizes), draw(st.integers(1, 3))
    rows = draw(
        arrays.arrays(
            np.float32,
            (n, d),
            elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
        )
    )
    classes = draw(st.one_of(names, st.just([3, 1, 2]), st.just(["1", "02", "x|y"])))
    k = len(classes)
    votes = draw(
        arrays.arrays(np.float64, (m, k), elements=st.sampled_from([0, 1, 1 / 3, 7.5]))
    )
    truth = draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))
    votes[np.arange(m), truth] += 1
    ids = draw(
        st.one_of(
            st.none(),
            st.lists(text, min_size=m, max_size=m, unique=True),
            st.lists(st.integers(-9, 99), min_size=m, max_size=m, unique=True),
        )
    )
    coords = draw(
        st.one_of(
            st.none(),
            arrays.arrays(
                np.float64,
                (n, 2),
                elements=st.floats(allow_nan=False, allow_infinity=False),
            ),
        )
    )
    groups = draw(st.one_of(st.none(), st.lists(text, min_size=m, max_size=m)))
    splits = {"default": [(np.arange(m - 1), np.array([m - 1]))]}
    return Dataset(
        Bags(rows, np.cumsum([0, *sizes]), bag_ids=ids, coords=coords),
        Candidates(votes if draw(st.booleans()) else votes > 0, classes),
        labels=np.asarray(classes)[truth] if draw(st.booleans()) else None,
        groups=groups,
        splits=splits if draw(st.booleans()) else {},
        name=draw(text),
        facts={"seed": draw(st.integers())},
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    count = iter(range(10**6))
    folder = tmp_path_factory.mktemp("any")
    return lambda suffix: folder / f"{next(count)}{suffix}"


@pytest.mark.parametrize("suffix", FULL)
@settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=datasets())
def test_any_data_set_comes_back(
    place: Callable[[str], Path], suffix: str, data: Dataset
) -> None:
    path = place(suffix)
    write_dataset(data, path)
    assert_same(data, read_dataset(path))
