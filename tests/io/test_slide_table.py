"""Tables of patients and of their slides: what they must name, in one sentence each."""

import pytest
from tests.io.toolkits import SLIDES, h5, table, tiles

from mipl import MiplError, read_dataset


@pytest.fixture
def folder(tmp_path):
    for i, name in enumerate(SLIDES):
        h5(tmp_path / "features" / f"{name}.h5", {"feats": tiles(i)[0]})
    return tmp_path


def written(folder, patients, slides):
    """Write both tables, as rows of dicts, and read the folder by them."""
    given = {"labels": folder / "patients.csv", "slides": folder / "slides.csv"}
    put(given["labels"], patients)
    put(given["slides"], slides)
    return read_dataset(folder / "features", label="GRADE", **given)


def put(path, rows):
    table(path, ",".join(rows[0]), [",".join(row.values()) for row in rows])


PATIENTS = [{"PATIENT": f"p{i}", "GRADE": "ab"[i % 2]} for i in range(len(SLIDES))]
FILES = [
    {"PATIENT": f"p{i}", "FILENAME": f"{name}.h5"} for i, name in enumerate(SLIDES)
]


def renamed(rows, old, new):
    return [{new if name == old else name: row[name] for name in row} for row in rows]


def test_the_labels_of_patients_reach_their_slides(folder):
    data = written(folder, PATIENTS, FILES[::-1])
    grades = {row["PATIENT"]: row["GRADE"] for row in PATIENTS}
    assert data.labels.tolist() == [grades[name] for name in data.bags.bag_ids]


@pytest.mark.parametrize(
    ("patients", "files", "sentence"),
    [
        (PATIENTS, renamed(FILES, "FILENAME", "x"), "has no column of file names"),
        (renamed(PATIENTS, "PATIENT", "x"), FILES, "has no column of patients; name"),
        (PATIENTS + PATIENTS[:1], FILES, "names a patient twice in column 'PATIENT'"),
        (
            [{**row, "PATIENT": f"q{i}"} for i, row in enumerate(PATIENTS)],
            FILES,
            "name no patient in common",
        ),
    ],
)
def test_tables_that_do_not_fit_are_refused(folder, patients, files, sentence):
    with pytest.raises(MiplError, match=sentence):
        written(folder, patients, files)


def test_slides_without_patients_are_refused(folder):
    put(folder / "slides.csv", FILES)
    with pytest.raises(MiplError, match="slides= goes with labels=, the table of the"):
        read_dataset(folder / "features", slides=folder / "slides.csv")
