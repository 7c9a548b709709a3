"""What somebody brings: taken in, recognised, corrected, and only then written."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from tests.page.loops import finished

from mipl import read_dataset
from mipl.errors import MiplError
from mipl.page import import_job, look_job
from mipl.page.recognition import recognise
from mipl.page.uploads import Uploads, kept_name, source_of
from mipl.page.workspace import Workspace


class BrokenOff(Exception):
    """What the server hears where a browser is closed."""


VOTES = "slide_id,anna,björn,chiara,patient\n"


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(Workspace(tmp_path / "work"))


@pytest.fixture
def slides(tmp_path: Path) -> Path:
    folder = tmp_path / "slides"
    folder.mkdir()
    rows = []
    for i, votes in enumerate([("a", "a", "b"), ("b", "b", "b"), ("c", "a", "c")] * 4):
        np.save(folder / f"s{i}.npy", np.full((i + 1, 3), i, np.float32))
        rows.append(",".join((f"s{i}", *votes, f"P{i // 2}")))
    (folder / "labels.csv").write_text(VOTES + "\n".join(rows) + "\n")
    return folder


def sent(uploads: Uploads, draft: str, name: str, content: bytes) -> str:
    async def pieces():
        for start in range(0, len(content), 1000):
            yield content[start : start + 1000]

    return finished(uploads.take(draft, name, pieces()))


def test_files_are_taken_whole_into_their_draft(uploads: Uploads) -> None:
    draft, content = uploads.begin(), bytes(range(256)) * 20
    assert sent(uploads, draft, "slides/a 1.npy", content) == "slides/a-1.npy"
    assert uploads.files(draft) == ["slides/a-1.npy"]
    assert (uploads.draft(draft) / "slides/a-1.npy").read_bytes() == content
    assert source_of(uploads.draft(draft)).name == "a-1.npy"
    uploads.remove(draft)
    with pytest.raises(MiplError, match="no such upload"):
        uploads.draft(draft)


@pytest.mark.parametrize(
    "name",
    ["../../x", "/etc/x", "..\\..\\x", "a/../../x", "\0", "", ".", "C:x", "．．/x"],
)
def test_no_name_leads_out_of_its_draft(uploads: Uploads, name: str) -> None:
    draft = uploads.begin()
    sent(uploads, draft, name, b"1")
    inside = [p for p in uploads.workspace.folder.rglob("*") if p.is_file()]
    (path,) = inside
    assert path.resolve().is_relative_to(uploads.draft(draft).resolve())
    assert not kept_name(name).startswith("/") and ".." not in kept_name(name)


@pytest.mark.parametrize("draft", ["", "..", "0" * 32, "../" + "0" * 29])
def test_there_are_no_other_drafts(uploads: Uploads, draft: str) -> None:
    with pytest.raises(MiplError, match="no such upload"):
        sent(uploads, draft, "a", b"1")


def test_what_breaks_off_leaves_nothing(uploads: Uploads) -> None:
    draft = uploads.begin()

    async def broken():
        yield b"some"
        raise BrokenOff

    with pytest.raises(BrokenOff):
        finished(uploads.take(draft, "a.npy", broken()))
    assert uploads.files(draft) == []


def test_a_zip_of_a_folder_is_the_folder(uploads: Uploads, slides: Path) -> None:
    path = slides.parent / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in slides.iterdir():
            archive.write(file, f"slides/{file.name}")
    draft = uploads.begin()
    sent(uploads, draft, "all.zip", path.read_bytes())
    uploads.unpack(draft)
    source = source_of(uploads.draft(draft))
    assert source.name == "slides"
    assert recognise(source, {}).labels == "labels.csv"


def test_a_zip_that_leaves_its_folder_is_refused_whole(
    uploads: Uploads, tmp_path: Path
) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("good.npy", b"1")
        archive.writestr("../../bad.npy", b"1")
    draft = uploads.begin()
    sent(uploads, draft, "bad.zip", path.read_bytes())
    with pytest.raises(MiplError, match="leaves its folder"):
        uploads.unpack(draft)
    assert uploads.files(draft) == ["bad.zip"]


def test_a_folder_and_the_columns_of_its_table_are_recognised(slides: Path) -> None:
    seen = recognise(slides, {})
    assert seen.kind == "folder" and seen.labels == "labels.csv"
    assert seen.columns == ("slide_id", "anna", "björn", "chiara", "patient")
    assert seen.roles == {"bag_id": "slide_id", "group": "patient"}
    assert seen.rows[0] == ("s0", "a", "a", "b", "P0")
    assert recognise(slides, {"group": "anna"}).roles["group"] == "anna"


def test_a_look_tells_what_lacks_and_after_correction_what_is_in_it(
    slides: Path, tmp_path: Path
) -> None:
    source = slides.as_posix()
    seen = look_job.work({"source": source, "options": {}}, tmp_path)
    assert "no candidates" in seen["error"] and str(tmp_path) not in seen["error"]
    options = {"annotators": ["anna", "björn", "chiara"]}
    seen = look_job.work({"source": source, "options": options}, tmp_path)
    assert seen["figures"]["bags"] == "12" and seen["figures"]["k"] == "3"
    assert seen["bags"][0][1:3] == ["1", "a, b"]
    before = sorted(path.name for path in slides.iterdir())
    out = tmp_path / "trees.bags.h5"
    wanted = {"source": source, "options": options, "out": out.as_posix()}
    told = import_job.work(wanted, tmp_path)
    assert told["bags"] == 12 and told["left_out"] == {}
    data = read_dataset(out)
    assert sorted(data.candidates[0:1].classes.tolist()) == ["a", "b", "c"]
    assert data.groups.tolist() == [f"P{i // 2}" for i in range(12)]
    assert sorted(path.name for path in slides.iterdir()) == before


def test_bags_without_a_file_are_left_out_where_one_says_so(
    slides: Path, tmp_path: Path
) -> None:
    (slides / "s3.npy").unlink()
    options = {"annotators": ["anna", "björn", "chiara"]}
    wanted = {"source": slides.as_posix(), "options": options}
    out = (tmp_path / "a.bags.h5").as_posix()
    with pytest.raises(MiplError, match="s3"):
        import_job.work({**wanted, "out": out}, tmp_path)
    told = import_job.work({**wanted, "out": out, "skip_bad": True}, tmp_path)
    assert told["bags"] == 11 and list(told["left_out"]) == ["s3"]


def test_a_table_and_its_labels_beside(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("bag,x,y1\n" + "p,1,2\nq,3,4\n")
    (tmp_path / "truth.csv").write_text("bag,candidates\np,u|v\nq,u\n")
    seen = recognise(tmp_path / "a.csv", {})
    assert seen.kind == "table" and seen.tables == ("truth.csv",)
    assert seen.columns == ("bag", "x", "y1") and seen.roles == {"bag_id": "bag"}
    source = (tmp_path / "a.csv").as_posix()
    wanted = {"source": source, "options": {"labels": "truth.csv"}}
    told = look_job.work(wanted, tmp_path)
    assert told["bags"][0][2] == "u, v" and "error" not in told


@pytest.mark.parametrize("name", ["../a.csv", "/etc/passwd", "nothing.csv"])
def test_tables_from_elsewhere_are_not_read(slides: Path, name: str) -> None:
    (slides.parent / "a.csv").write_text("slide_id,label\ns0,a\n")
    wanted = {"source": slides.as_posix(), "options": {"labels": name}}
    told = look_job.work(wanted, slides.parent)
    assert "error" in told and "a,b" not in str(told)


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 300, b"MATLAB 5.0 MAT-file" + bytes(500)]
)
def test_what_is_no_data_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.mat"
    path.write_bytes(content)
    told = look_job.work({"source": path.as_posix(), "options": {}}, tmp_path)
    assert told["error"].endswith(".") and told["error"].startswith("wrong.mat")
