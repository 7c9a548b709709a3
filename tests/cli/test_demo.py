"""``mipl demo``, cut down to the quick methods; ``make slow`` runs it whole."""

import re
from pathlib import Path

import pytest

from mipl.runs import demo

TITLES = [one.title for one in demo.CONTESTANTS]


@pytest.fixture
def short(monkeypatch, tmp_path):
    """One fold of the two methods that take seconds, in an empty working folder."""
    monkeypatch.setattr(demo, "FOLDS", (0,))
    monkeypatch.setattr(demo, "IDS", ("paper", "mean"))
    monkeypatch.chdir(tmp_path)


def test_describes_validates_trains_and_writes_a_page(run, short) -> None:
    ran = run("demo", "--workers", "1")
    assert ran.code == 0, ran.err
    for part in ("18-24", "constant-features", "accuracy", "instance violations"):
        assert part in ran.out
    assert "mean pooling" in ran.out and "demo/index.html" in ran.out
    page = Path("demo/index.html").read_text()
    assert page.count("<svg") == 5  # The curves and four bags.
    assert_self_contained(page)


def test_json_holds_every_figure(run, short) -> None:
    told = run("demo", "--workers", "1", "--out", "there", "--json").json
    assert told["page"] == "there/index.html"
    assert sorted(one["method"] for one in told["runs"]) == ["mean", "paper"]
    for one in told["runs"]:
        counts = [sum(row) for row in one["truth"]["confusion"]]
        assert sum(counts) == one["bags"] == 75 and one["split"] == 0
        right = sum(row[c] for c, row in enumerate(one["truth"]["confusion"]))
        assert one["truth"]["accuracy"] == pytest.approx(right / 75)


def test_the_page_cannot_be_where_a_file_is(run, short, tmp_path) -> None:
    (tmp_path / "demo").write_text("mine")
    ran = run("demo", "--workers", "1")
    assert ran.code == 2 and "cannot make the folder demo" in ran.err
    assert (tmp_path / "demo").read_text() == "mine"


@pytest.mark.slow
def test_the_whole_demo_beats_the_rival(run, tmp_path) -> None:
    told = run("demo", "--out", tmp_path / "page", "--json").json
    by = {m: [] for m in demo.IDS}
    for one in told["runs"]:
        by[one["method"]].append(one["truth"]["accuracy"])
    assert all(len(values) == 3 for values in by.values())
    assert min(by["ours"]) > max(by["mean"])


def assert_self_contained(page: str) -> None:
    """No address leads out of the page, but for the names of XML dialects."""
    page = re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert not re.findall(r"""(?:href|src)\s*=\s*["'](?!#|data:)""", page)
    assert not re.findall(r"""url\(\s*["']?(?![#"'])""", page)
    assert "http" not in page and "<script" not in page and "@import" not in page
