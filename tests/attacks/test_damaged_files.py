"""Random byte changes of good files: a clear refusal, or arrays of the same shapes.

Where the format has checksums (npz), a refusal or the very same arrays.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.io.toy import without_hashes

from mipl import Bags, Candidates, Dataset, MiplError, read_dataset, write_dataset

Arrays = dict[str, np.ndarray | None]
TEXT = np.frombuffer(b'0123456789,;"\n\r|:.-e ab\0[]{}\t', np.uint8)


def forest() -> Dataset:
    rng = np.random.default_rng(0)
    bags = Bags(
        [rng.normal(size=(n, 4)) for n in (3, 1, 2, 4, 2)],
        bag_ids=["b1", "b2", "c", "d10", "e"],
        coords=rng.random((12, 2)).round(3),
        instance_labels=["leaf", "bark"] * 6,
        uris=["u1", "u2", "u3", "u4", "u5"],
    )
    votes = np.array([[3, 1, 0], [0, 1, 0], [1, 1, 1], [0.3, 0, 0.2], [1, 1, 0]])
    return Dataset(
        bags,
        Candidates(votes, ["oak", "elm", "ash"]),
        labels=["oak", "elm", "elm", "ash", "oak"],
        groups=[1, 1, 2, 2, 3],
        splits={"default": [([0, 1, 4], [2, 3]), ([0, 2], [3])]},
        facts={"r": 1},
    )


def arrays_of(data: Dataset) -> Arrays:
    bags, candidates = data.bags, data.candidates
    splits = {
        f"{name} {fold} {part}": getattr(split, part)
        for name, folds in data.splits.items()
        for fold, split in enumerate(folds)
        for part in ("train", "test")
    }
    return {
        "instances": bags.instances,
        "offsets": bags.offsets,
        "bag_ids": bags.bag_ids,
        "coords": bags.coords,
        "instance_labels": bags.instance_labels,
        "uris": bags.uris,
        "candidates": candidates.matrix,
        "classes": candidates.classes,
        "weights": candidates.weights,
        "labels": data.labels,
        "groups": data.groups,
        **splits,
    }


def shapes_of(arrays: Arrays) -> dict[str, tuple[int, ...] | None]:
    return {name: None if a is None else a.shape for name, a in arrays.items()}


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one to three bytes; half of the new ones mean something in text."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        any_byte = rng.integers(256) if rng.random() < 0.5 else rng.choice(TEXT)
        changed[rng.integers(len(changed))] = any_byte
    return bytes(changed)


def damaged_in_place(folder: Path, count: int) -> Iterator[None]:
    """Damage one of the files below a folder, again and again, in turn."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    rng = np.random.default_rng(len(files))
    for number in range(count):
        file = files[number % len(files)]
        content = file.read_bytes()
        file.write_bytes(damaged(content, rng))
        yield
        file.write_bytes(content)


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet", ""])
@pytest.mark.parametrize("hashed", [True, False])
def test_a_damaged_file_is_refused_or_keeps_its_shapes(
    tmp_path: Path, suffix: str, hashed: bool
) -> None:
    data = forest()
    path = tmp_path / f"forest{suffix}"
    write_dataset(data, path)
    table = suffix in (".csv", ".parquet")
    if table and not hashed:
        without_hashes(path)
    wanted = arrays_of(data)
    outcomes: Counter[str] = Counter()
    for _ in damaged_in_place(tmp_path, 300):
        try:
            found = arrays_of(read_dataset(path))
        except MiplError as error:
            assert "\n" not in str(error)
            outcomes["refused"] += 1
            continue
        assert shapes_of(found) == shapes_of(wanted)
        same = all(np.array_equal(wanted[n], found[n]) for n in wanted)
        assert same or not (suffix == ".npz" or (table and hashed))
        outcomes["equal" if same else "other numbers"] += 1
    # The damage is real: most of it is noticed, and not every byte matters.
    assert outcomes["refused"] > 150
    if not (table and hashed):
        assert outcomes["equal"] + outcomes["other numbers"] > 5


def test_a_damaged_foreign_table_keeps_its_shapes(tmp_path: Path) -> None:
    """A long table from elsewhere: no record beside it that could tell."""
    rng = np.random.default_rng(1)
    lines = ["bag_id,height,width,age"]
    for bag in ("p", "q7", "r", "s"):
        for values in rng.normal(size=(4, 3)).tolist():
            lines.append(f"{bag}," + ",".join(f"{v:.5f}" for v in values))
    good = ("\n".join(lines) + "\n").encode()
    labels = "bag_id,candidates\np,oak|elm\nq7,elm\nr,oak|elm|ash\ns,ash\n"
    (tmp_path / "t.labels.csv").write_text(labels)
    table = tmp_path / "t.csv"
    kept = 0
    for _ in range(300):
        table.write_bytes(damaged(good, rng))
        try:
            data = read_dataset(table)
        except MiplError:
            continue
        kept += 1
        assert data.bags.instances.shape == (16, 3)
        assert data.candidates.shape == (4, 3)
    assert kept > 5


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"forest{suffix}"
    write_dataset(forest(), path)
    content = path.read_bytes()
    # Up to the last character of the last number, which may be cut unseen in text.
    for size in range(0, len(content) - 20, max(1, len(content) // 60)):
        path.write_bytes(content[:size])
        with pytest.raises(MiplError):
            read_dataset(path)


def test_rows_that_were_lost_or_repeated_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "forest.csv"
    write_dataset(forest(), path)
    without_hashes(path)
    lines = path.read_text().splitlines(keepends=True)
    for wrong in (lines[:3] + lines[4:], lines[:3] + lines[2:]):
        path.write_text("".join(wrong))
        with pytest.raises(MiplError, match="rows were lost or added"):
            read_dataset(path)
