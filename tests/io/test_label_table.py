"""Label tables: the forms of candidates, and the other columns."""

import json
from pathlib import Path

import numpy as np
import pytest

from mipl import MiplError
from mipl.io import BagsLeftOut, read_dataset
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import LabelTable, read_label_table


def read(folder: Path, text: str, **options: object) -> LabelTable:
    (folder / "labels.csv").write_text(text)
    return read_label_table(folder / "labels.csv", LabelOptions(**options))  # type: ignore[arg-type]


def sets(table: LabelTable) -> list[list[str]]:
    return [sorted(map(str, s)) for s in table.candidates]


@pytest.mark.parametrize(
    "text",
    [
        "bag_id,candidates\np,oak|elm\nq,ash\n",
        "bag_id,candidates\np, elm | oak \nq,ash\n",
        'bag_id,candidates\np,"[""oak"", ""elm""]"\nq,"[""ash""]"\n',
        "bag_id,ash,elm,oak\np,0,1,1\nq,1,0,0\n",
        "bag_id,candidate:ash,candidate:elm,candidate:oak\np,0,1,1\nq,1,0,0\n",
        "BAG_ID;Candidate_Labels\np;oak|elm\nq;ash\n",
        "slide_id\tcandidate_set\np\toak|elm\nq\tash\n",
    ],
)
def test_candidates_in_every_form(tmp_path: Path, text: str) -> None:
    table = read(tmp_path, text)
    assert table.keys == ["p", "q"]
    assert sets(table) == [["elm", "oak"], ["ash"]]
    assert table.candidates.classes.tolist() == ["ash", "elm", "oak"]
    assert table.candidates.weights is None


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("bag_id,a,b,c\np,3,1,0\nq,0,0,2\n", {}),
        ("bag_id,votes:a,votes:b,votes:c,age\np,3,1,0,9\nq,0,0,2,8\n", {}),
        ("bag_id,weight:a,weight:b,weight:c\np,.75,.25,0\nq,0,0,1\n", {}),
        ("bag_id,c,age,b,a\np,0,9,1,3\nq,2,8,0,0\n", {"candidates": ["a", "b", "c"]}),
        ("bag_id,a,b,c,label\np,3,1,0,b\nq,0,0,2,c\n", {}),
    ],
)
def test_votes_become_weights(
    tmp_path: Path, text: str, options: dict[str, list[str]]
) -> None:
    candidates = read(tmp_path, text, **options).candidates
    assert candidates.classes.tolist() == ["a", "b", "c"]
    assert candidates.weights is not None
    assert candidates.weights.tolist() == [[0.75, 0.25, 0], [0, 0, 1]]


def test_whole_numbers_are_classes_by_value(tmp_path: Path) -> None:
    table = read(tmp_path, "bag_id,candidates,label\n1,10|9,9\n2,2,2\n")
    assert table.candidates.classes.tolist() == [2, 9, 10]
    assert table.labels is not None and table.labels.tolist() == [9, 2]


def test_true_labels_alone_are_sets_of_one(tmp_path: Path) -> None:
    table = read(tmp_path, "bag_id,label,age\np,a|b,3\nq,c,4\n")
    assert table.candidates.classes.tolist() == ["a|b", "c"]
    assert table.candidates.matrix.tolist() == [[True, False], [False, True]]


def test_told_classes_give_the_order(tmp_path: Path) -> None:
    text = "bag_id,candidates\np,b|a\nq,a\n"
    table = read(tmp_path, text, classes=["c", "b", "a"])
    assert table.candidates.matrix.astype(int).tolist() == [[0, 1, 1], [0, 0, 1]]
    text = "bag_id,a,b\np,1,1\nq,1,0\n"
    table = read(tmp_path, text, classes=["b", "a"])
    assert table.candidates.matrix.astype(int).tolist() == [[1, 1], [0, 1]]


def test_group_uri_and_splits(tmp_path: Path) -> None:
    text = (
        "bag_id,label,patient,uri,split,split_0,split_1\n"
        "p,a,7,x.png,train,test,train\n"
        "q,b,8,y.png,val,train,test\n"
        "r,b,8,z.png,test,train,\n"
    )
    with pytest.raises(MiplError, match="gives the split 'default' twice"):
        read(tmp_path, text)
    table = read(tmp_path, text.replace("split_", "split:mine:"))
    assert table.groups is not None and table.groups.tolist() == [7, 8, 8]
    assert table.uris is not None and table.uris.tolist() == ["x.png", "y.png", "z.png"]
    one = table.splits["default"][0]
    assert (one.train.tolist(), one.test.tolist()) == ([0], [2])
    first, second = table.splits["mine"]
    assert (first.train.tolist(), first.test.tolist()) == ([1, 2], [0])
    assert (second.train.tolist(), second.test.tolist()) == ([0], [1])


def test_fold_numbers_are_cross_validation(tmp_path: Path) -> None:
    table = read(tmp_path, "bag_id,label,fold\np,a,1\nq,b,0\nr,b,1\n")
    folds = table.splits["default"]
    assert [fold.test.tolist() for fold in folds] == [[1], [0, 2]]
    assert [fold.train.tolist() for fold in folds] == [[0, 2], [1]]


def test_columns_of_other_names(tmp_path: Path) -> None:
    text = "slide,dx,truth,who,part\np,a|b,a,7,train\nq,b,b,8,test\n"
    options = {"bag_id": "slide", "candidates": "dx", "label": "truth", "group": "who"}
    table = read(tmp_path, text, **options, split="part")
    assert sets(table) == [["a", "b"], ["b"]]
    assert table.groups is not None and table.groups.tolist() == [7, 8]
    assert table.splits["default"][0].test.tolist() == [1]


def test_several_files_of_one_bag(tmp_path: Path) -> None:
    text = "bag_id,file,label,stain\np,1.h5,a,red\nq,2.h5,b,red\np,3.h5,a,blue\n"
    table = read(tmp_path, text)
    assert table.keys == ["p", "q"]
    assert table.files == [["1.h5", "3.h5"], ["2.h5"]]
    text = "bag_id,file,label\np,1.h5,a\np,3.h5,b\n"
    with pytest.raises(MiplError, match=r"line 3, column 'label' must repeat .*line 2"):
        read(tmp_path, text)


def test_rows_follow_the_bags(tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("bag_id,label\np,a\nq,b\nr,c\n")
    table = read_label_table(tmp_path / "l.csv", LabelOptions(), keys=["r", "p", "q"])
    assert table.labels is not None and table.labels.tolist() == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("name,label\np,a\n", {}, "has no column of bag ids; .* name, label"),
        ("bag_id,age\np,3\n", {}, "has no candidates; it needs a column of sets"),
        ("bag_id,candidates\np,\n", {}, "line 2, column 'candidates' must name cand"),
        ("bag_id,candidates\np,a||b\n", {}, "must name candidates.* 'a||b'"),
        ("bag_id,candidates\np,[1\n", {}, "begins with '\\[' but is no JSON list"),
        ("bag_id,candidates\np,[]\n", {}, "must name candidates"),
        ("bag_id,candidates\np,[null]\n", {}, "must name candidates"),
        ("bag_id,candidates\np,[[1]]\n", {}, "must name candidates"),
        ("bag_id,candidates,label\np,a|b,c\n", {}, "'c' is not among the classes a, b"),
        ("bag_id,candidates,label\np,a|b,\n", {}, "column 'label' is empty"),
        ("bag_id,candidates\np,a\np,b\n", {}, "line 3: bag 'p' had a row before"),
        ("bag_id,a,b\np,0,0\n", {}, "line 2 has no candidate above 0"),
        (
            "bag_id,votes:a,votes:b\np,-1,2\n",
            {},
            "line 2 has a candidate number below 0",
        ),
        (
            "bag_id,votes:a,votes:b\np,x,2\n",
            {},
            "column 'votes:a' must be a finite num",
        ),
        ("bag_id,candidate:a,candidate:b\np,1,2\n", {}, "cell other than 0, 1"),
        (
            "bag_id,candidate:a,candidate:b,weight:a\np,1,1,1\n",
            {},
            "must have a weight: column per candidate: column",
        ),
        (
            "bag_id,candidates\np,a\n",
            {"classes": ["b"]},
            "'a' is not among the classes",
        ),
        ("bag_id,a,b\np,1,1\n", {"classes": ["a"]}, "they must be the same"),
        ("bag_id,candidates\np,a\n", {"classes": 3}, "classes must be a list of names"),
        ("bag_id,candidates\np,a\n", {"label": "truth"}, "unknown column 'truth'"),
        ("bag_id,a\np,1\n", {"candidates": ["z"]}, "unknown column 'z'"),
        ("bag_id,label,split\np,a,both\n", {}, "must be train, test or val; .* 'both'"),
        ("bag_id,label,split_1\np,a,test\n", {}, r"numbered 0 to 0; they are \[1\]"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, text: str, options: dict[str, object], says: str
) -> None:
    with pytest.raises(MiplError, match=says):
        read(tmp_path, text, **options)


def test_deep_json_is_told(tmp_path: Path) -> None:
    with pytest.raises(MiplError, match="is no JSON list"):
        read(tmp_path, "bag_id,candidates\np," + "[" * 100_000 + "\n")


def test_nothing_to_read_is_told() -> None:
    with pytest.raises(MiplError, match="give a label table"):
        read_label_table(None, LabelOptions())


def test_json_keeps_names_with_bars(tmp_path: Path) -> None:
    names = json.dumps(["a|b", "c"]).replace('"', '""')
    table = read(tmp_path, f'bag_id,candidates\np,"{names}"\n')
    assert table.candidates.classes.tolist() == ["a|b", "c"]


def test_one_class_of_votes(tmp_path: Path) -> None:
    table = read(tmp_path, "bag_id,votes:a\np,3\nq,1\n")
    assert np.array_equal(table.candidates.matrix, [[True], [True]])


TREES = "bag_id,f,g,candidates,case,oak,elm\np,1,2,oak,a,0,1\nq,3,4,elm,b,1,0\n"


def test_a_list_of_columns_is_used_whatever_else_the_table_has(tmp_path: Path) -> None:
    for head in ("candidates", "candidate:oak"):
        path = tmp_path / "t.csv"
        path.write_text(TREES.replace("candidates", head).replace(",oak,a", ",1,a"))
        data = read_dataset(path, candidates=["oak", "elm"], features=["f", "g"])
        assert [sorted(s) for s in data.candidates] == [["elm"], ["oak"]]
        with pytest.raises(MiplError, match="column 'case' must be a finite number"):
            read_dataset(path, candidates=["case", "bag_id"], features=["f"])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"features": "f"}, r"features must be a list of columns, as \["),
        ({"coords": "f"}, "coords must be a list of columns"),
        ({"features": ["f", "g", "f"]}, "features must name each column once; 'f' is"),
        ({"candidates": ["oak", "oak"]}, "candidates must name each column once"),
        ({"annotators": ["case", "case"]}, "annotators must name each column once"),
        ({"group": "cass"}, r"unknown column 'cass'; did you mean 'case'\?"),
        ({"label": "h"}, "Known: bag_id, candidates, case, elm, f, g, oak"),
    ],
)
def test_columns_that_are_named_wrong(tmp_path: Path, options, says) -> None:
    (tmp_path / "t.csv").write_text(TREES)
    with pytest.raises(MiplError, match=says):
        read_dataset(tmp_path / "t.csv", **options)


@pytest.mark.parametrize(
    ("head", "rows", "reason"),
    [
        ("oak,elm", ["1,0", "0,0", "0,1", "0,0"], "has no candidate above 0"),
        ("votes:oak,votes:elm", ["2,1", "0,0", "0,1", "0,0"], "has no candidate abov"),
        ("candidate:oak,candidate:elm", ["1,1", "0,0", "0,1", "0,0"], "has no candid"),
        ("label,patient", ["oak,a", "elm,", "elm,b", "oak,"], "'patient' is empty"),
    ],
)
def test_all_rows_without_a_set_or_a_group_are_told_or_left_out(
    tmp_path: Path, head: str, rows: list[str], reason: str
) -> None:
    for name in "pqrs":
        np.save(tmp_path / f"{name}.npy", np.ones((2, 2)))
    lines = [f"{name},{row}" for name, row in zip("pqrs", rows, strict=True)]
    (tmp_path / "labels.csv").write_text("\n".join([f"bag_id,{head}", *lines]))
    with pytest.raises(MiplError, match=rf"2 of 4 bags .*{reason}.*{reason}.* mend th"):
        read_dataset(tmp_path)
    with pytest.warns(BagsLeftOut) as warned:
        data = read_dataset(tmp_path, on_bad="skip")
    assert [list(one.message.reasons) for one in warned] == [["q", "s"]]
    assert data.bags.bag_ids.tolist() == ["p", "r"]


def test_an_empty_set_is_none_where_votes_make_the_sets(tmp_path: Path) -> None:
    text = "bag_id,candidates,who,also\np,,oak,elm\nq,,elm,elm\n"
    table = read(tmp_path, text, annotators=["who", "also"])
    assert sets(table) == [["elm", "oak"], ["elm"]]


def test_a_list_of_columns_is_used_beside_a_column_of_sets(tmp_path: Path) -> None:
    text = "bag_id,candidates,oak,elm\np,oak,0,1\nq,elm,1,0\n"
    assert sets(read(tmp_path, text)) == [["oak"], ["elm"]]
    assert sets(read(tmp_path, text, candidates=["oak", "elm"])) == [["elm"], ["oak"]]
