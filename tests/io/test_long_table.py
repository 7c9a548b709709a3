"""Long tables: what they may look like, and what is told when they are wrong."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.io.toy import without_hashes

from mipl import Bags, Candidates, Dataset, MiplError
from mipl.io.tables import long_table

LABELS = "bag_id,candidates\np,oak|elm\nq,elm\n"


def put(folder: Path, text: str, labels: str | None = LABELS) -> Path:
    (folder / "t.csv").write_text(text)
    if labels is not None:
        (folder / "t.labels.csv").write_text(labels)
    return folder / "t.csv"


def test_rows_of_a_bag_need_not_stand_together(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,a,b\nq,1,2\np,3,4\nq,5,6\np,7,8\nq,9,0\n")
    data = long_table.read(path)
    assert data.bags.bag_ids is not None and data.bags.bag_ids.tolist() == ["q", "p"]
    assert [bag.tolist() for bag in data.bags] == [
        [[1, 2], [5, 6], [9, 0]],
        [[3, 4], [7, 8]],
    ]
    assert [sorted(s) for s in data.candidates] == [["elm"], ["elm", "oak"]]
    assert data.facts["features"] == ["a", "b"]


def test_instance_labels_and_coordinates(tmp_path: Path) -> None:
    text = "bag_id,instance_label,x,y,f\np,leaf,1,2.5,7\nq,bark,3,4,8\n"
    data = long_table.read(put(tmp_path, text))
    assert data.bags.instances.tolist() == [[7], [8]]
    assert data.bags.coords is not None
    assert data.bags.coords.tolist() == [[1, 2.5], [3, 4]]
    assert data.bags.instance_labels is not None
    assert data.bags.instance_labels.tolist() == ["leaf", "bark"]


def test_seconds_are_coordinates_too(tmp_path: Path) -> None:
    data = long_table.read(put(tmp_path, "bag_id,f,start,end\np,7,0,1.5\nq,8,1,2\n"))
    assert data.bags.coords is not None
    assert data.bags.coords.tolist() == [[0, 1.5], [1, 2]]


def test_x_and_y_alone_are_features(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,x,y\np,1,2\nq,3,4\n")
    assert long_table.read(path).bags.instances.tolist() == [[1, 2], [3, 4]]
    assert long_table.read(path).bags.coords is None
    data = long_table.read(path, features=["y"], coords=["x"])
    assert data.bags.instances.tolist() == [[2], [4]]


def test_chosen_features_in_their_order(tmp_path: Path) -> None:
    path = put(tmp_path, "id,a,word,b,c\np,1,hi,2,3\nq,4,ho,5,6\n")
    data = long_table.read(
        path, bag_id="id", labels=_labels(tmp_path), features=["c", "a"]
    )
    assert data.bags.instances.tolist() == [[3, 1], [6, 4]]
    everything = long_table.read(path, bag_id="id", labels=_labels(tmp_path))
    assert everything.facts["features"] == ["a", "b", "c"]


def _labels(folder: Path) -> Path:
    (folder / "other.csv").write_text("id,candidates\nq,elm\np,oak|elm\n")
    return folder / "other.csv"


def test_labels_may_stand_in_the_long_table(tmp_path: Path) -> None:
    text = (
        "bag_id,f,label,candidates,group\n"
        "p,1,oak,oak|elm,7\np,2,oak,oak|elm,7\nq,3,elm,elm,8\n"
    )
    data = long_table.read(put(tmp_path, text, labels=None))
    assert data.labels is not None and data.labels.tolist() == ["oak", "elm"]
    assert data.groups is not None and data.groups.tolist() == [7, 8]
    assert data.bags.instances.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_marks_and_line_ends(tmp_path: Path, mark: str) -> None:
    text = "\ufeff" + "bag_id,f\r\np,1\r\nq,2\r\n\r\n".replace(",", mark)
    (tmp_path / "t.csv").write_bytes(text.encode())
    (tmp_path / "t.labels.csv").write_text(LABELS)
    assert long_table.read(tmp_path / "t.csv").bags.instances.tolist() == [[1], [2]]


def test_a_saved_index_is_no_feature(tmp_path: Path) -> None:
    data = long_table.read(put(tmp_path, ",bag_id,f\n0,p,5\n1,q,6\n"))
    assert data.bags.instances.tolist() == [[5], [6]]


def test_quoted_ids_keep_their_commas(tmp_path: Path) -> None:
    labels = 'bag_id,candidates\n"p, one",oak\n"q ""two""",elm\n'
    path = put(tmp_path, 'bag_id,f\n"p, one",1\n"q ""two""",2\n', labels)
    ids = long_table.read(path).bags.bag_ids
    assert ids is not None and ids.tolist() == ["p, one", 'q "two"']


def test_a_table_longer_than_one_buffer(tmp_path: Path) -> None:
    n, d = 3000, 400
    rows = np.arange(n * d).reshape(n, d) % 1001
    lines = [",".join(["bag_id", *(f"f{i}" for i in range(d))])]
    lines += [f"{'pq'[i % 2]}," + ",".join(map(str, row)) for i, row in enumerate(rows)]
    data = long_table.read(put(tmp_path, "\n".join(lines)))
    assert np.array_equal(data.bags.bag(0), rows[::2])
    assert np.array_equal(data.bags.bag(1), rows[1::2])
    lines[-1] = lines[-1].rpartition(",")[0] + ",nan"
    with pytest.raises(
        MiplError, match=r"line 3001, column 'f399' .* it is empty, NaN or"
    ):
        long_table.read(put(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bag_id,f\np,1\nq,two\n", r"t\.csv, line 3, column 'f' .* it is 'two'"),
        ("bag_id,f\np,\nq,2\n", r"line 2, column 'f' .* it is empty, NaN or"),
        ("bag_id,f\np,inf\nq,2\n", r"line 2, column 'f' .* it is empty, NaN or"),
        ("bag_id,f\np,1e39\nq,2\n", r"line 2, column 'f' .* or too large"),
        ("bag_id,f\np,1,3\nq,2\n", r"line 2 has 3 cells for 2 columns"),
        ("bag_id,f\np,1\n\nq,2\n", r"line 3 is empty; remove it"),
        ('bag_id,f\n"p\nq",2\n', r"line 2: a quoted cell runs over its line"),
        ('bag_id,f\n"p,1\nq,2\n', "is not a CSV table: unexpected end of data"),
        ("bag_id,f\np\0,1\nq,2\n", "line 2 holds a zero byte"),
        ("bag_id,f,f\np,1,1\n", "line 1 names column 'f' twice"),
        ("bag_id,f,\np,1,1\n", "line 1 must name every column"),
        ("1,2\n3,4\n", "line 1 must name the columns; it holds numbers"),
        ("bag_id,f\n", "has no rows below its header"),
        ("name,f\np,1\n", "no column of bag ids; .* a bag of its own; .* name, f"),
        ("bag_id,word\np,hi\nq,ho\n", "has no feature columns"),
        ("bag_id,f\n,1\nq,2\n", r"line 2, column 'bag_id' is empty"),
        ("bag_id,f\np,1\nz,2\nq,3\n", r"bag 'z' has no row in .*t\.labels\.csv"),
        ("bag_id,f\np,1\n", r"labels\.csv, line 3: bag 'q' has no instances"),
        ("bag_id,f,x,y\np,1,a,2\nq,2,1,b\n", "column 'x' must be a finite number"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, says: str) -> None:
    path = put(tmp_path, text)
    options = {"coords": ["x", "y"]} if "x,y" in text else {}
    with pytest.raises(MiplError, match=says):
        long_table.read(path, **options)


def test_wrong_options_are_told(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,height\np,1\nq,2\n")
    for options, says in (
        ({"features": ["heigth"]}, "unknown column 'heigth'; did you mean 'height'"),
        ({"bag_id": "bagid"}, "unknown column 'bagid'; did you mean 'bag_id'"),
        ({"coords": ["x"]}, "unknown column 'x'"),
        ({"labels": tmp_path / "no.csv"}, r"no\.csv does not exist"),
        ({"labels": tmp_path}, "must be a CSV, Parquet or Excel table; it is a folder"),
    ):
        with pytest.raises(MiplError, match=says):
            long_table.read(path, **options)


def test_a_label_table_without_rows_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,f\np,1\n", "bag_id,label\n")
    with pytest.raises(MiplError, match=r"t\.labels\.csv has no rows below its header"):
        long_table.read(path)


def test_numbers_that_cannot_be_as_written_are_told(tmp_path: Path) -> None:
    data = Dataset(np.zeros((2, 1)), [{0}, {1}], groups=[0.5, 1.5])
    for cell, says in (("1e999", "not finite"), ("x", "could not convert")):
        long_table.write(data, tmp_path / "t.csv")
        without_hashes(tmp_path / "t.csv")
        labels = tmp_path / "t.labels.csv"
        labels.write_text(labels.read_text().replace("1.5", cell))
        with pytest.raises(MiplError, match=rf"column 'group' must hold <f8: .*{says}"):
            long_table.read(tmp_path / "t.csv")


def test_groups_may_be_numbers_or_names(tmp_path: Path) -> None:
    for cells, expected in (
        (("1.5", "2.5"), [1.5, 2.5]),
        (("1.5", "nan"), ["1.5", "nan"]),
        (("1", "99999999999999999999"), ["1", "99999999999999999999"]),
        (("1", "02"), ["1", "02"]),
    ):
        labels = f"bag_id,label,group\np,a,{cells[0]}\nq,b,{cells[1]}\n"
        groups = long_table.read(put(tmp_path, "bag_id,f\np,1\nq,2\n", labels)).groups
        assert groups is not None and groups.tolist() == expected


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"bag_id,f\np,1\n\xff,2\n")
    with pytest.raises(MiplError, match=r"t\.csv is not UTF-8 text"):
        long_table.read(tmp_path / "t.csv")


def test_no_label_table_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,f\np,1\nq,2\n", labels=None)
    with pytest.raises(MiplError, match=r"put t\.labels\.csv beside it, or name one"):
        long_table.read(path)


def test_labels_that_differ_within_a_bag_are_told(tmp_path: Path) -> None:
    text = "bag_id,f,label\np,1,oak\np,2,elm\nq,3,elm\n"
    with pytest.raises(MiplError, match=r"line 3, column 'label' must be the same"):
        long_table.read(put(tmp_path, text, labels=None))


def test_a_changed_header_of_our_own_table_is_told(
    trees: Dataset, tmp_path: Path
) -> None:
    for name, column in (("t.csv", "f0"), ("t.labels.csv", "label")):
        long_table.write(trees, tmp_path / "t.csv")
        without_hashes(tmp_path / "t.csv")
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace(f",{column},", ",other,", 1))
        with pytest.raises(MiplError, match=r"delete t\.csv\.json"):
            long_table.read(tmp_path / "t.csv")


def test_a_table_without_its_record_can_still_be_read(
    trees: Dataset, tmp_path: Path
) -> None:
    long_table.write(trees, tmp_path / "t.csv")
    (tmp_path / "t.csv.json").unlink()
    data = long_table.read(tmp_path / "t.csv")
    assert np.array_equal(data.bags.instances, trees.bags.instances)
    assert data.candidates.classes.tolist() == ["oak", "elm", "ash"]
    assert data.labels is not None and data.labels.tolist() == list(trees.labels)
    assert data.name == "t"


def test_feature_names_are_kept(tmp_path: Path) -> None:
    path = put(tmp_path, "bag_id,height,x\np,1,2\nq,3,4\n")
    long_table.write(long_table.read(path), tmp_path / "copy.csv")
    assert (tmp_path / "copy.csv").read_text().startswith("bag_id,height,x\n")
    again = long_table.read(tmp_path / "copy.csv")
    assert again.bags.instances.tolist() == [[1, 2], [3, 4]]


def test_what_a_table_cannot_hold_is_told(trees: Dataset, tmp_path: Path) -> None:
    bags = trees.bags.instances, trees.bags.offsets
    for data, says in (
        (replace(trees, bags=Bags(*bags, bag_ids=list("aabcd"))), "'a' is used twice"),
        (replace(trees, groups=["", "a", "b", "c", "d"]), "group holds ''"),
        (replace(trees, groups=["x\ny"] * 5), r"group holds 'x\\ny'"),
        (
            replace(
                trees, candidates=Candidates([{"a", "a "}] * 5), labels=None, splits={}
            ),
            "class names must differ by more than spaces",
        ),
    ):
        with pytest.raises(MiplError, match=says):
            long_table.write(data, tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("part", ["types", "classes", "labels", "features"])
def test_a_wrong_record_is_told(trees: Dataset, tmp_path: Path, part: str) -> None:
    long_table.write(trees, tmp_path / "t.csv")
    record = tmp_path / "t.csv.json"
    record.write_text(
        record.read_text().replace(f'"{part}": ', f'"{part}": 3, "_": ', 1)
    )
    with pytest.raises(MiplError, match="is damaged"):
        long_table.read(tmp_path / "t.csv")
    record.write_bytes(b"\xff")
    with pytest.raises(MiplError, match="is not UTF-8 text"):
        long_table.read(tmp_path / "t.csv")


def test_ids_of_another_type_than_written_are_told(tmp_path: Path) -> None:
    data = Dataset(Bags(np.zeros((2, 1)), bag_ids=[1, 2]), [{0}, {1}])
    long_table.write(data, tmp_path / "t.csv")
    without_hashes(tmp_path / "t.csv")
    for name in ("t.csv", "t.labels.csv"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace("\n2,", "\nz,"))
    with pytest.raises(MiplError, match="column 'bag_id' must hold <i8"):
        long_table.read(tmp_path / "t.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.labels.csv"])
def test_a_part_that_was_changed_by_itself_is_told(
    trees: Dataset, tmp_path: Path, name: str
) -> None:
    long_table.write(trees, tmp_path / "t.csv")
    text = (tmp_path / name).read_text()
    (tmp_path / name).write_text(text.replace("1", "2", 1))
    with pytest.raises(MiplError, match=rf"{name} is not the file .* delete t\.csv\."):
        long_table.read(tmp_path / "t.csv")
    if name == "t.labels.csv":  # Bags to predict need no labels.
        long_table.read_bags(tmp_path / "t.csv")


def test_another_label_table_may_be_given_beside_a_record(
    trees: Dataset, tmp_path: Path
) -> None:
    long_table.write(trees, tmp_path / "t.csv")
    (tmp_path / "t.labels.csv").rename(tmp_path / "moved.csv")
    data = long_table.read(tmp_path / "t.csv", labels=tmp_path / "moved.csv")
    assert data.labels is not None and data.labels.tolist() == list(trees.labels)
