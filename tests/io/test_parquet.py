"""Long tables in Parquet: list cells, types, and what is told when they are wrong."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mipl import MiplError
from mipl.io.tables import long_table

LABELS = "bag_id,candidates\np,oak|elm\nq,elm\n"


def test_parquet_with_list_cells(tmp_path: Path) -> None:
    rows = pa.table({"bag_id": [7, 8, 7], "f": [1, 2, 3], "g": [0.5, 1.5, 2.5]})
    labels = pa.table({"bag_id": [8, 7], "candidates": [["oak"], ["elm", "oak"]]})
    pq.write_table(rows, tmp_path / "t.parquet")
    pq.write_table(labels, tmp_path / "t.labels.parquet")
    data = long_table.read(tmp_path / "t.parquet")
    assert data.bags.bag_ids is not None and data.bags.bag_ids.tolist() == [7, 8]
    assert data.bags.bag(0).tolist() == [[1, 0.5], [3, 2.5]]
    assert [sorted(s) for s in data.candidates] == [["elm", "oak"], ["oak"]]


def test_parquet_beside_a_csv_label_table(tmp_path: Path) -> None:
    rows = pa.table({"bag_id": ["p", "q"], "f": [True, False]})
    pq.write_table(rows, tmp_path / "t.parquet")
    (tmp_path / "t.labels.csv").write_text(LABELS)
    assert long_table.read(tmp_path / "t.parquet").bags.instances.tolist() == [[1], [0]]


def test_pandas_index_is_no_column(tmp_path: Path) -> None:
    rows = pa.table({"bag_id": ["p", "q"], "f": [1, 2], "__index_level_0__": [5, 6]})
    pq.write_table(rows, tmp_path / "t.parquet")
    (tmp_path / "t.labels.csv").write_text(LABELS)
    assert long_table.read(tmp_path / "t.parquet").bags.instances.tolist() == [[1], [2]]


@pytest.mark.parametrize(
    ("columns", "options", "says"),
    [
        ({"bag_id": ["p", None], "f": [1, 2]}, {}, "row 2, column 'bag_id' is empty"),
        ({"bag_id": ["p", "q"], "f": [1, None]}, {}, "row 2, column 'f' must be a fin"),
        ({"bag_id": ["p", "q"], "f": [1.0, 1e300]}, {}, "row 2, column 'f' must be"),
        (
            {"bag_id": ["p", "q"], "f": ["a", "b"]},
            {"features": ["f"]},
            "column 'f' must hold numbers to be a feature; it holds string",
        ),
    ],
)
def test_what_is_wrong_in_parquet_is_told(
    tmp_path: Path,
    columns: dict[str, list[object]],
    options: dict[str, list[str]],
    says: str,
) -> None:
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    (tmp_path / "t.labels.csv").write_text(LABELS)
    with pytest.raises(MiplError, match=says):
        long_table.read(tmp_path / "t.parquet", **options)


def test_a_parquet_column_named_twice_is_told(tmp_path: Path) -> None:
    rows = pa.Table.from_arrays(
        [pa.array(["p"]), pa.array([1]), pa.array([2])], ["bag_id", "f", "f"]
    )
    pq.write_table(rows, tmp_path / "t.parquet")
    with pytest.raises(MiplError, match="names a column twice"):
        long_table.read(tmp_path / "t.parquet")


def test_millions_of_rows_in_a_small_parquet_file_are_refused(tmp_path: Path) -> None:
    nothing = pa.nulls(10_000_000, pa.int8())
    rows = pa.table({"bag_id": nothing, **{f"f{i}": nothing for i in range(8)}})
    pq.write_table(rows, tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 10**6
    with pytest.raises(MiplError, match="times its size is not read"):
        long_table.read(tmp_path / "t.parquet")
