"""Groups, and the other columns of a bag, survive every way into a data set."""

from pathlib import Path

import numpy as np
import pytest

from mipl import MiplError, read_dataset

IDS = ["s1", "s2", "s3", "s4"]
PATIENTS = ["p1", "p1", "p2", "p3"]
LABELS = ["a", "b", "a", "b"]
_ROWS = list(zip(IDS, PATIENTS, LABELS, strict=True))
VOTES = "slide_id,annotator,label,patient_id\n" + "".join(
    f"{s},{who},{vote},{p}\n" for who in "xyz" for s, p, vote in _ROWS
)
TABLE = "slide_id,patient_id,label\n" + "".join(f"{s},{p},{c}\n" for s, p, c in _ROWS)


def slides(folder: Path) -> Path:
    folder = folder / "slides"
    folder.mkdir()
    for i, name in enumerate(IDS):
        np.save(folder / f"{name}.npy", np.full((2, 3), float(i)))
    return folder


def long_table(folder: Path, *, groups: bool) -> Path:
    path, head = folder / "long.csv", "slide_id,f" + ",patient_id" * groups
    rows = [
        f"{s},{i + step}" + f",{p}" * groups
        for i, (s, p, _) in enumerate(_ROWS)
        for step in (0, 0.5)
    ]
    path.write_text("\n".join([head, *rows]))
    return path


def written(folder: Path, text: str, name: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("told", [{}, {"group": "patient_id"}], ids=["usual", "told"])
@pytest.mark.parametrize("kind", ["folder", "table"])
@pytest.mark.parametrize("by", ["annotations", "labels", "votes as labels"])
def test_groups_come_along(tmp_path, kind, by, told) -> None:
    path = slides(tmp_path) if kind == "folder" else long_table(tmp_path, groups=False)
    labels = written(tmp_path, TABLE if by == "labels" else VOTES, "told.csv")
    name = "annotations" if by == "annotations" else "labels"
    data = read_dataset(path, **{name: labels}, **told)
    assert data.groups is not None and data.groups.tolist() == PATIENTS
    assert [sorted(s) for s in data.candidates] == [[label] for label in LABELS]


def test_groups_of_votes_beside_a_label_table(tmp_path) -> None:
    labels = written(tmp_path, "bag_id,label\ns1,a\ns2,b\ns3,a\ns4,b\n", "labels.csv")
    votes = written(tmp_path, VOTES, "votes.csv")
    data = read_dataset(slides(tmp_path), labels=labels, annotations=votes)
    assert data.groups is not None and data.groups.tolist() == PATIENTS
    assert data.labels is not None and data.labels.tolist() == LABELS


@pytest.mark.parametrize("by", ["annotations", "labels"])
def test_groups_of_the_instances_beside_a_label_table(tmp_path, by) -> None:
    path = long_table(tmp_path, groups=True)
    text = VOTES if by == "annotations" else TABLE
    bare = "\n".join(
        ",".join(cell for i, cell in enumerate(line.split(",")) if "p" not in cell[:1])
        for line in text.splitlines()
    )
    assert "p1" not in bare
    data = read_dataset(path, **{by: written(tmp_path, bare, "told.csv")})
    assert data.groups is not None and data.groups.tolist() == PATIENTS


def test_a_votes_table_in_a_folder_names_files_and_splits(tmp_path) -> None:
    folder = slides(tmp_path)
    for name in IDS:
        (folder / f"{name}.npy").rename(folder / f"file_{name}.npy")
    rows = VOTES.splitlines()
    where = {"s1": "train", "s2": "test", "s3": "train", "s4": "test"}
    more = [f"{row},file_{row[:2]}.npy,{where[row[:2]]}" for row in rows[1:]]
    text = "\n".join([rows[0] + ",file,split", *more])
    data = read_dataset(folder, annotations=written(tmp_path, text, "votes.csv"))
    assert data.bags.instances[:, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert data.splits["default"][0].test.tolist() == [1, 3]


@pytest.mark.parametrize("by", ["annotations", "labels"])
@pytest.mark.parametrize("kind", ["folder", "table"])
def test_an_unknown_group_is_refused_by_name(tmp_path, kind, by) -> None:
    path = slides(tmp_path) if kind == "folder" else long_table(tmp_path, groups=False)
    told = written(tmp_path, VOTES if by == "annotations" else TABLE, "told.csv")
    with pytest.raises(MiplError, match="'patient_di'; did you mean 'patient_id'"):
        read_dataset(path, **{by: told}, group="patient_di")


def test_a_bag_in_two_groups_is_refused(tmp_path) -> None:
    text = VOTES.replace("s2,z,b,p1", "s2,z,b,p9")
    votes = written(tmp_path, text, "votes.csv")
    with pytest.raises(MiplError, match=r"line 11, column 'patient_id' must repeat"):
        read_dataset(slides(tmp_path), annotations=votes)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"labels": TABLE, "rule": "crc"}, "rule= is about votes, and there are none"),
        ({"labels": TABLE, "unsure": "?"}, "unsure= is about votes, and there are"),
        ({"annotations": VOTES, "candidates": "label"}, "candidates= is not used besi"),
        ({"annotations": VOTES, "label": "label"}, "holds the votes; label= names a"),
        ({"annotations": VOTES, "label": "truth"}, "unknown column 'truth'"),
        ({"annotations": VOTES, "split": "part"}, "unknown column 'part'"),
        ({"annotations": VOTES, "file": "path"}, "unknown column 'path'"),
        ({"annotations": VOTES, "bag_id": "bag"}, "unknown column 'bag'"),
        (
            {"labels": TABLE, "annotations": VOTES, "annotators": ["label"]},
            "exclude each other",
        ),
        ({"labels": TABLE, "coords": ["x"]}, "unknown option 'coords'"),
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path, options, says) -> None:
    options = {
        name: written(tmp_path, value, f"{name}.csv")
        if name in ("labels", "annotations")
        else value
        for name, value in options.items()
    }
    with pytest.raises(MiplError, match=says):
        read_dataset(slides(tmp_path), **options)


def test_a_table_has_no_files(tmp_path) -> None:
    path = long_table(tmp_path, groups=True)
    labels = written(tmp_path, TABLE, "told.csv")
    with pytest.raises(MiplError, match="unknown option 'file'"):
        read_dataset(path, labels=labels, file="label")


def test_arrays_and_matlab_files_have_no_columns(tmp_path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, X=np.ones((2, 2)), candidates=np.ones((2, 2), bool))
    for option in ("group", "labels", "annotations", "rule", "bag_id", "classes"):
        with pytest.raises(MiplError, match=f"unknown option '{option}'"):
            read_dataset(path, **{option: "x"})
