"""A workspace calls things by ids, and makes a path of none."""

from pathlib import Path

import pytest

from mipl.errors import MiplError
from mipl.page.workspace import Workspace, id_of, is_id, safe_name, shown

WAYS_OUT = [
    *("../x", "..", "/etc/passwd", "data/../../x", "%2e%2e%2f", "..\\..", "C:\\", "~"),
    *("\0", "a" * 5000, "", "．．/x", "data/trees.bags.h5"),
    *("A" * 32, "g" * 32, "0" * 33),
]


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    work = Workspace(tmp_path / "work")
    (work.folder / "data").mkdir()
    (work.folder / "data/trees.bags.h5").write_bytes(b"1")
    (work.folder / "deep/deeper").mkdir(parents=True)
    (work.folder / "deep/deeper/birds.bags.h5").write_bytes(b"1")
    run = work.folder / "runs/first"
    (run / "model").mkdir(parents=True)
    (run / "run.toml").write_text("")
    (run / "model/hidden.bags.h5").write_bytes(b"1")
    (work.folder / "slides").mkdir()
    (work.folder / "votes.csv").write_text("a,b\n")
    (work.folder / "first.checkpoint").write_bytes(b"")
    (work.folder / ".secret.bags.h5").write_bytes(b"")
    return work


def test_what_lies_there_is_found_by_its_kind(work: Workspace) -> None:
    assert {one.within for one in work.datasets()} == {
        "data/trees.bags.h5",
        "deep/deeper/birds.bags.h5",
    }
    assert [one.within for one in work.runs()] == ["runs/first"]
    assert {one.name for one in work.others()} == {"slides", "votes.csv", "deep"}


def test_ids_stay_and_lead_back(work: Workspace) -> None:
    again = Workspace(work.folder)
    for one in work.datasets():
        assert is_id(one.id) and again.dataset(one.id).path == one.path
    (run,) = work.runs()
    assert again.run(run.id).path == work.folder / "runs/first"
    with pytest.raises(MiplError, match="no such data set"):
        work.dataset(run.id)


@pytest.mark.parametrize("id", [*WAYS_OUT, *map(id_of, WAYS_OUT)])
def test_nothing_else_is_an_id(work: Workspace, id: str) -> None:
    for find in (work.dataset, work.run, work.other):
        if id == id_of("data/trees.bags.h5") and find == work.dataset:
            continue
        with pytest.raises(MiplError, match="there is no such"):
            find(id)
    assert is_id(id) == (len(id) == 32 and set(id) <= set("0123456789abcdef"))


def test_links_that_leave_the_workspace_are_not_followed(
    work: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.bags.h5").write_bytes(b"1")
    (work.folder / "out").symlink_to(outside)
    (work.folder / "one.bags.h5").symlink_to(outside / "secret.bags.h5")
    (work.folder / "round").symlink_to(work.folder)
    (work.folder / "nowhere").symlink_to("gone")
    names = {one.name for one in work.datasets() + work.others()}
    assert not names & {"secret", "out", "one", "nowhere"}


def test_new_names_are_free_and_stay_inside(work: Workspace) -> None:
    assert work.new_dataset("trees").name == "trees-2.bags.h5"
    assert work.new_run("first").name == "first-2"
    (work.folder / "runs/second.checkpoint").write_bytes(b"")
    assert work.new_run("second").name == "second-2"  # An interrupted run lies there.
    for name in WAYS_OUT:
        assert work.new_dataset(name).parent == work.folder / "data"


@pytest.mark.parametrize("name", WAYS_OUT)
def test_safe_names_are_plain(name: str) -> None:
    made = safe_name(name)
    assert made and not set(made) & set("/\\:\0 ") and not made.startswith(".")
    assert len(made.encode()) <= 61 and safe_name(made) == made


def test_what_is_shown_does_not_steer() -> None:
    for steering in "\x1b\u202e\0\n":
        assert shown(f"a{steering}b") == "a\N{REPLACEMENT CHARACTER}b"
    assert len(shown("a" * 10_000)) == 200
    assert shown("Дуб 櫟 بلوط") == "Дуб 櫟 بلوط"
