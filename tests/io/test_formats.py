"""Which reader and which writer are chosen, and what is told otherwise."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mipl
from mipl import Bags, Dataset, MiplError, read_dataset, write_dataset

LEAVES_OUT = pytest.mark.filterwarnings("ignore:.* has no place for")


@LEAVES_OUT
@pytest.mark.parametrize("suffix", [".bags.h5", ".npz", ".parquet", ".mat"])
def test_content_decides_not_the_name(
    trees: Dataset, tmp_path: Path, suffix: str
) -> None:
    write_dataset(trees, tmp_path / f"t{suffix}")
    shutil.copy(tmp_path / f"t{suffix}", tmp_path / "renamed.txt")
    options = {} if suffix != ".parquet" else {"labels": tmp_path / "t.labels.parquet"}
    data = read_dataset(tmp_path / "renamed.txt", **options)
    assert np.array_equal(data.bags.load().instances, trees.bags.instances)


def test_text_with_a_csv_like_start_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "t.data").write_text("bag_id\tf\tlabel\np\t1\toak\nq\t2\telm\n")
    data = read_dataset(tmp_path / "t.data")
    assert data.bags.bag_ids is not None and data.bags.bag_ids.tolist() == ["p", "q"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x01\x02",
        b"GIF89a,,,\xff\xfe\xfd",
        b"hello",
        b"PK\x03\x04" + bytes(40),
    ],
)
def test_a_foreign_file_is_told_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "what").write_bytes(content)
    with pytest.raises(MiplError, match="is of no kind that is read: HDF5"):
        read_dataset(tmp_path / "what")


def test_a_letter_cut_in_two_at_the_end_of_the_look_is_text(tmp_path: Path) -> None:
    header = "bag_id,label," + "é" * 5000
    (tmp_path / "t.csv").write_text(f"{header}\np,oak,1\nq,elm,2\n")
    assert len(read_dataset(tmp_path / "t.csv")) == 2


@pytest.mark.skipif(
    not Path("/proc/self/mem").is_file(), reason="needs a file that cannot be read"
)
def test_a_file_that_cannot_be_read_is_told() -> None:
    with pytest.raises(MiplError, match="/proc/self/mem cannot be opened: Input"):
        read_dataset("/proc/self/mem")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(MiplError, match=r"gone\.csv does not exist"):
        read_dataset(tmp_path / "gone.csv")


def test_an_unknown_suffix_is_told(trees: Dataset, tmp_path: Path) -> None:
    with pytest.raises(MiplError, match=r"'\.xlsx' names no format; use \.bags\.h5"):
        write_dataset(trees, tmp_path / "t.xlsx")


def test_only_data_sets_are_written(tmp_path: Path) -> None:
    with pytest.raises(MiplError, match="needs a Dataset; got a Bags"):
        write_dataset(Bags(np.zeros((2, 1))), tmp_path / "t.npz")  # type: ignore[arg-type]


@LEAVES_OUT
def test_an_unknown_option_is_told(trees: Dataset, tmp_path: Path) -> None:
    for suffix, options, says in (
        (".npz", {"labels": "x"}, "unknown option 'labels'"),
        (".mat", {"variabel": "x"}, "did you mean 'variable'"),
        (".csv", {"lable": "x"}, "did you mean 'label'"),
        ("", {"lable": "x"}, "did you mean 'label'"),
    ):
        write_dataset(trees, tmp_path / f"t{suffix}")
        with pytest.raises(MiplError, match=says):
            read_dataset(tmp_path / f"t{suffix}", **options)
    with pytest.raises(MiplError, match="unknown option 'level'"):
        write_dataset(trees, tmp_path / "t.npz", level=9)


def test_nothing_is_written_into_a_folder_that_is_not_there(
    trees: Dataset, tmp_path: Path
) -> None:
    for suffix in (".bags.h5", ".npz", ".csv", ".parquet", ".mat", ""):
        with pytest.raises(MiplError, match="does not exist"):
            write_dataset(trees, tmp_path / "no" / f"t{suffix}")


def test_names_that_no_file_can_have_are_told(trees: Dataset, tmp_path: Path) -> None:
    for suffix in (".bags.h5", ".npz", ".csv", ".parquet", ".mat", ""):
        for name in ("n" * 300, "a\0b"):
            path = tmp_path / f"{name}{suffix}"
            with pytest.raises(MiplError, match=r"file name too long|zero byte"):
                write_dataset(trees, path)
            with pytest.raises(MiplError, match=r"file name too long|does not exist"):
                read_dataset(path)
    assert not list(tmp_path.iterdir())


def test_own_splits_become_the_default(trees: Dataset, tmp_path: Path) -> None:
    write_dataset(trees, tmp_path / "t.npz")
    (tmp_path / "s.json").write_text('{"train": ["e", "c"], "test": ["b1"]}')
    data = read_dataset(tmp_path / "t.npz", splits=tmp_path / "s.json")
    train, test = data.split(0)
    assert train.bags.bag_ids is not None and train.bags.bag_ids.tolist() == ["e", "c"]
    assert test.bags.bag_ids is not None and test.bags.bag_ids.tolist() == ["b1"]
    assert list(data.splits) == ["default", "mine"]


def test_parquet_without_pyarrow_names_the_extra(
    trees: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_dataset(trees, tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"Parquet needs pyarrow.*mipl\[tables\]"):
        read_dataset(tmp_path / "t.parquet")


def test_reading_needs_no_torch() -> None:
    code = "import sys, mipl.io; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert mipl.read_dataset is read_dataset
