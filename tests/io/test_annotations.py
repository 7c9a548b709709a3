"""Crowd tables: votes become candidate sets, by three rules."""

from pathlib import Path

import numpy as np
import pytest

from mipl import MiplError, describe, read_dataset, validate, write_dataset
from mipl.io import read_annotations
from mipl.io.left_out import BagsLeftOut

# Bag p: oak twice, elm once; bag q: ash three times; bag r: three that differ.
VOTES = """bag,annotator,label
p,1,oak
q,1,ash
p,2,oak
q,2,ash
p,3,elm
q,3,ash
r,3,ash
r,2,oak
r,1,elm
"""


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    (tmp_path / "votes.csv").write_text(VOTES)
    return tmp_path / "votes.csv"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("union", [["elm", "oak"], ["ash"], ["ash", "elm", "oak"]]),
        (1, [["elm", "oak"], ["ash"], ["ash", "elm", "oak"]]),
        # Agreed are oak and ash alone, so each worker's first label counts instead.
        ("crc", [["elm", "oak"], ["ash"], ["ash", "elm", "oak"]]),
    ],
)
def test_rules(votes: Path, rule: str | int, expected: list[list[str]]) -> None:
    ids, classes, candidates = read_annotations(votes, rule=rule)
    assert ids == ["p", "q", "r"]
    assert classes.tolist() == ["ash", "elm", "oak"]
    assert [sorted(s) for s in candidates] == expected


def test_at_least_two_votes(votes: Path) -> None:
    text = VOTES.replace("r,1,elm", "r,1,oak")
    votes.write_text(text)
    _, _, candidates = read_annotations(votes, rule=2)
    assert [sorted(s) for s in candidates] == [["oak"], ["ash"], ["oak"]]
    votes.write_text(VOTES)
    with pytest.raises(MiplError, match=r"votes\.csv: bag 'r' has no label with at le"):
        read_annotations(votes, rule=2)


def test_votes_are_kept_as_weights(votes: Path) -> None:
    _, _, candidates = read_annotations(votes)
    assert candidates.weights is not None
    assert np.allclose(candidates.weights, [[0, 1 / 3, 2 / 3], [1, 0, 0], [1 / 3] * 3])


def test_probabilities_are_weights(tmp_path: Path) -> None:
    text = "bag,worker,label,probability\np,1,a,.9\np,1,b,.1\np,2,b,1\n"
    (tmp_path / "v.csv").write_text(text)
    _, _, candidates = read_annotations(tmp_path / "v.csv")
    assert candidates.weights is not None
    assert np.allclose(candidates.weights, [[0.45, 0.55]])


def test_the_rule_of_the_paper_on_sets_with_probabilities(tmp_path: Path) -> None:
    # a is in three sets and b in two: agreed. c is in one.
    rows = ["1,a,.6", "1,b,.4", "2,a,.2", "2,b,.8", "3,a,.5", "3,c,.5"]
    text = "bag,annotator,label,weight\n" + "".join(f"p,{row}\n" for row in rows)
    (tmp_path / "v.csv").write_text(text)
    _, _, candidates = read_annotations(tmp_path / "v.csv", rule="crc")
    assert [sorted(s) for s in candidates] == [["a", "b"]]


def test_columns_and_classes_of_other_names(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("scan,who,says,sure\np,1,b,2\np,2,a,1\n")
    ids, classes, candidates = read_annotations(
        tmp_path / "v.csv",
        bag="scan",
        annotator="who",
        label="says",
        probability="sure",
        classes=["b", "a", "z"],
    )
    assert ids == ["p"] and classes.tolist() == ["b", "a", "z"]
    assert candidates.weights is not None
    assert np.allclose(candidates.weights, [[2 / 3, 1 / 3, 0]])


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (VOTES, {"rule": "most"}, "rule must be 'union', 'crc' or a whole number"),
        (VOTES, {"rule": 0}, "'crc' or a whole number of annotators >= 1; got 0"),
        (VOTES, {"classes": ["oak", "elm"]}, "line 3, column 'label': 'ash' is not am"),
        (VOTES, {"bag": "scan"}, "unknown column 'scan'"),
        ("bag,label\np,a\n", {}, "has no annotator column; the usual names are annot"),
        ("bag,annotator,label\np,,a\n", {}, "line 2, column 'annotator' is empty"),
        ("bag,annotator,label,weight\np,1,a,-1\n", {}, "column 'weight' must be >= 0"),
        (
            "bag,annotator,label,weight\np,1,a,x\n",
            {},
            "column 'weight' must be a finite",
        ),
        (
            "bag,annotator,label\np,1,a\np,2,a\nq,1,a\n",
            {"rule": "crc"},
            "2 of 2 bags .* bag 'p' has 2 anno.*; .* bag 'q' has 1 anno.* another rule",
        ),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, text: str, options: dict[str, object], says: str
) -> None:
    (tmp_path / "v.csv").write_text(text)
    with pytest.raises(MiplError, match=says):
        read_annotations(tmp_path / "v.csv", **options)  # type: ignore[arg-type]


def test_one_class_is_enough(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("bag,annotator,label\np,1,a\np,2,a\nq,1,a\n")
    for rule in ("union", 1):
        _, _, candidates = read_annotations(tmp_path / "v.csv", rule=rule)
        assert candidates.matrix.tolist() == [[True], [True]]


def test_votes_in_place_of_a_label_table(votes: Path) -> None:
    table = votes.parent / "t.csv"
    table.write_text("bag_id,f\nq,1\np,2\nr,3\n")
    data = read_dataset(table, annotations=votes)
    assert [sorted(s) for s in data.candidates][:2] == [["ash"], ["elm", "oak"]]
    # The columns of a label table tell that it holds votes.
    votes.rename(votes.parent / "t.labels.csv")
    again = read_dataset(table)
    assert np.array_equal(again.candidates.matrix, data.candidates.matrix)
    # Votes and true labels together.
    (votes.parent / "t.labels.csv").rename(votes)
    (votes.parent / "t.labels.csv").write_text("bag_id,label\np,oak\nq,ash\nr,elm\n")
    both = read_dataset(table, annotations=votes, rule="crc")
    assert both.labels is not None and both.labels.tolist() == ["ash", "oak", "elm"]
    assert np.array_equal(both.candidates.matrix, data.candidates.matrix)


def test_votes_for_other_bags_are_told(votes: Path) -> None:
    table = votes.parent / "t.csv"
    table.write_text("bag_id,f\nq,1\np,2\n")
    with pytest.raises(
        MiplError, match=r"votes\.csv, line 8: bag 'r' has no instances"
    ):
        read_dataset(table, annotations=votes)
    table.write_text("bag_id,f\nq,1\np,2\nr,3\ns,4\n")
    with pytest.raises(MiplError, match=r"bag 's' has no row in .*votes\.csv"):
        read_dataset(table, annotations=votes)


COLUMNS = """slide_id,dr_meier,dr_okafor,dr_silva,patient
s1,tumour,tumour,stroma,p1
s2,stroma,,stroma,p1
s3,unsure,tumour,tumour|necrosis,p2
"""
DOCTORS = ["dr_meier", "dr_okafor", "dr_silva"]


def slides(folder: Path, text: str = COLUMNS) -> Path:
    (folder / "f").mkdir()
    for name in ("s1", "s2", "s3"):
        np.save(folder / "f" / f"{name}.npy", np.ones((2, 2)))
    (folder / "f/labels.csv").write_text(text)
    return folder / "f"


def test_a_column_per_annotator(tmp_path: Path) -> None:
    data = read_dataset(
        slides(tmp_path),
        annotators=DOCTORS,
        unsure={"unsure": ["tumour", "stroma"]},
    )
    assert data.classes.tolist() == ["necrosis", "stroma", "tumour"]
    assert [sorted(s) for s in data.candidates] == [
        ["stroma", "tumour"],
        ["stroma"],
        ["necrosis", "stroma", "tumour"],
    ]
    # A vote for several labels shares its weight; a missing one has none.
    expected = [[0, 1 / 3, 2 / 3], [0, 1, 0], [1 / 6, 1 / 6, 2 / 3]]
    np.testing.assert_allclose(data.candidates.weights, expected)
    assert data.groups is not None and data.groups.tolist() == ["p1", "p1", "p2"]
    told = describe(data).agreement
    assert told is not None and told.annotators == tuple(DOCTORS)
    assert (told.votes, told.undecided, told.missing) == (6, 2, 1)


def test_a_table_of_votes_may_have_a_column_per_annotator_too(tmp_path: Path) -> None:
    folder = slides(tmp_path)
    one = read_dataset(folder, annotators=DOCTORS, unsure="unsure")
    votes = (folder / "labels.csv").rename(tmp_path / "votes.csv")
    other = read_dataset(
        folder, annotations=votes, annotators=DOCTORS, unsure="unsure", group="patient"
    )
    np.testing.assert_array_equal(one.candidates.matrix, other.candidates.matrix)
    assert one.groups is not None and other.groups is not None
    assert one.groups.tolist() == other.groups.tolist()


def test_columns_and_rows_of_votes_are_the_same(tmp_path: Path) -> None:
    folder = slides(tmp_path)
    rows = [line.split(",") for line in COLUMNS.splitlines()[1:]]
    lines = ["slide_id,annotator,label,patient"] + [
        f"{row[0]},{who},{vote},{row[4]}"
        for row in rows
        for who, vote in zip(DOCTORS, row[1:4], strict=True)
    ]
    (tmp_path / "votes.csv").write_text("\n".join(lines))
    for rule in ("union", 2):
        one = read_dataset(folder, annotators=DOCTORS, rule=rule, unsure="unsure")
        other = read_dataset(
            folder, labels=tmp_path / "votes.csv", rule=rule, unsure="unsure"
        )
        np.testing.assert_array_equal(one.candidates.matrix, other.candidates.matrix)
        np.testing.assert_array_equal(one.candidates.weights, other.candidates.weights)
        assert describe(one).agreement == describe(other).agreement


def test_agreement_is_kept_with_the_data(tmp_path: Path) -> None:
    data = read_dataset(slides(tmp_path), annotators=DOCTORS, unsure="unsure")
    for name in ("a.bags.h5", "a.npz", "a.csv", "a"):
        write_dataset(data, tmp_path / name)
        again = read_dataset(tmp_path / name)
        assert describe(again).agreement == describe(data).agreement is not None
        np.testing.assert_allclose(again.candidates.weights, data.candidates.weights)


def test_a_doubtful_vote_that_nobody_explains_is_a_class_and_found(tmp_path) -> None:
    data = read_dataset(slides(tmp_path), annotators=DOCTORS)
    assert "unsure" in data.classes
    assert "unsure-labels" in [found.code for found in validate(data)]


FEW = """slide_id,dr_meier,dr_okafor,dr_silva
s1.svs,tumour,tumour,stroma
s2.svs,,,
s3.svs,stroma,tumour,
"""


@pytest.mark.parametrize(
    ("rule", "lacking", "kept"),
    [
        ("union", {"s2": "no votes"}, [["stroma", "tumour"]] * 2),
        (2, dict.fromkeys(("s2", "s3"), "no label with at least 2"), [["tumour"]]),
        (
            "crc",
            {"s2": "0 annotators where the CRC rule needs 3", "s3": "2 annotators"},
            [["stroma", "tumour"]],
        ),
    ],
)
@pytest.mark.parametrize("form", ["columns", "rows"])
def test_all_bags_of_which_a_rule_makes_no_set_are_told_or_left_out(
    tmp_path: Path, rule, lacking, kept, form
) -> None:
    folder = slides(tmp_path, FEW)
    options = {"rule": rule, "annotators": DOCTORS}
    if form == "rows":
        lines = [line.split(",") for line in FEW.splitlines()[1:]]
        votes = [
            f"{row[0]},{who},{vote}"
            for row in lines
            for who, vote in zip(DOCTORS, row[1:], strict=True)
        ]
        text = "\n".join(["slide_id,annotator,label", *votes])
        (folder / "labels.csv").write_text(text)
        options = {"rule": rule}
    with pytest.raises(MiplError) as told:
        read_dataset(folder, **options)
    with pytest.warns(BagsLeftOut) as warned:
        data = read_dataset(folder, on_bad="skip", **options)
    [reasons] = [one.message.reasons for one in warned]
    assert list(reasons) == [f"{name}.svs" for name in lacking]
    for name, what in lacking.items():
        for sentence in (str(told.value), reasons[f"{name}.svs"]):
            assert f"bag '{name}.svs' has {what}" in sentence
    # A slide is told of once, by whichever of its names.
    assert "no row in the label table" not in str(told.value)
    assert [sorted(s) for s in data.candidates] == kept


def test_a_slide_with_an_empty_label_is_told_once(tmp_path: Path) -> None:
    folder = slides(tmp_path, "slide_id,label\ns1.svs,a\ns2.svs,\ns3.svs,b\n")
    with pytest.warns(BagsLeftOut) as warned:
        read_dataset(folder, on_bad="skip")
    assert [list(one.message.reasons) for one in warned] == [["s2.svs"]]


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (COLUMNS, {"annotators": "dr_meier"}, "annotators must be a list of columns"),
        (COLUMNS, {"annotators": []}, "annotators must be a list of columns"),
        (COLUMNS, {"annotators": ["dr_meyer"]}, "did you mean 'dr_meier'"),
        (COLUMNS, {"annotators": DOCTORS, "unsure": "dunno"}, "no vote .* is 'dunno'"),
        (
            COLUMNS,
            {"annotators": DOCTORS, "unsure": {"unsure": ["tumour", "stoma"]}},
            "'unsure' stand for 'stoma', for which nobody voted; name it in classes=",
        ),
        (COLUMNS, {"annotators": DOCTORS, "unsure": 3}, "unsure must be a vote, or a"),
        (COLUMNS, {"annotators": DOCTORS, "rule": 3}, "bag 's1' has no label w"),
        (COLUMNS, {"annotators": DOCTORS, "classes": ["a"]}, "is not among the class"),
        (
            COLUMNS.replace("s2,stroma,,stroma", "s2,,,"),
            {"annotators": DOCTORS},
            r"labels\.csv: bag 's2' has no votes; mend it, or leave it out by",
        ),
        (COLUMNS.replace("tumour|nec", "||"), {"annotators": DOCTORS}, "'dr_silva' mu"),
    ],
)
def test_what_is_wrong_with_columns_of_votes(tmp_path, text, options, says) -> None:
    with pytest.raises(MiplError, match=says):
        read_dataset(slides(tmp_path, text), **options)
