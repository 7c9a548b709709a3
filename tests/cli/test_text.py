"""``mipl text to-bags``: documents to bags, to a model, to marks in the text."""

import json
import re

import numpy as np
import pytest

from mipl import read_dataset
from mipl.text import Sentences

ABOUT = {
    "birds": "The wren builds a nest of moss and the owl hunts.",
    "ships": "The schooner hoists a sail and the crew leaves the harbour.",
    "bread": "The baker kneads dough with yeast and heats the oven.",
}


@pytest.fixture
def documents(tmp_path):
    """Fifteen documents with a label table, and three new ones."""
    rng = np.random.default_rng(0)
    for name, count in (("old", 15), ("new", 3)):
        folder = tmp_path / name
        folder.mkdir()
        rows = ["bag_id,candidates,label"]
        for i in range(count):
            kind = list(ABOUT)[i % 3]
            said = ["It was on Monday that she came.", "They went in May."]
            said.insert(int(rng.integers(3)), ABOUT[kind])
            (folder / f"d{i:02}.txt").write_text(" ".join(said))
            either = f"|{list(ABOUT)[(i + 1) % 3]}" if i % 2 else ""
            rows.append(f"d{i:02},{kind}{either},{kind}")
        if name == "old":
            (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def fitted(run, documents, *more):
    data, model = documents / "docs.bags.h5", documents / "run"
    made = run(
        *("text", "to-bags", documents / "old", "-g", "sentences", "-o", data),
        *("--jobs", 1, "--json", *more),
    )
    assert made.code == 0 and made.json["bags"] == 15, made.err
    fit = ("fit", data, "--method", "miplma", "--set", "training.epochs=40")
    assert run(*fit, "--out", model).code == 0
    return model, data


def test_from_documents_to_marks(run, documents):
    model, path = fitted(run, documents)
    data = read_dataset(path)
    old = documents / "old"
    expected = Sentences().fit_transform(sorted(old.glob("*.txt")))
    assert data.bags.digest() == expected.digest()
    assert data.facts["coords"] == ["from", "to"]
    table, page = documents / "p.csv", documents / "d.html"
    ran = run("predict", model, documents / "new", "-o", table)
    assert ran.code == 0, ran.err
    rows = [line.split(",")[:2] for line in table.read_text().splitlines()[1:]]
    assert rows == [["d00", "birds"], ["d01", "ships"], ["d02", "bread"]]
    ran = run("explain", model, documents / "new", "--bag", "d01", "--page", page)
    assert ran.code == 0, ran.err
    text = (documents / "new" / "d01.txt").read_text()
    assert text.replace(" ", "") in "".join(ran.out.split())
    marked = re.findall(
        r'<mark style="--share: ([\d.]+)"[^>]*>([^<]+)</mark>', page.read_text()
    )
    assert " ".join(piece for _, piece in marked) == text
    assert max(float(share) for share, _ in marked) == 1
    ran = run("explain", model, documents / "new", "--bag", "d01", "--json")
    places = [(one["coord_from"], one["coord_to"]) for one in ran.json["instances"]]
    assert sorted(text[int(a) : int(b)] for a, b in places) == sorted(
        piece for _, piece in marked
    )


def test_tables_hold_texts_and_labels(run, documents):
    model, _ = fitted(run, documents)
    texts = [file.read_text() for file in sorted((documents / "new").iterdir())]
    table, lines = documents / "t.csv", documents / "t.jsonl"
    rows = [f'{i},"{text}",birds|ships' for i, text in enumerate(texts)]
    table.write_text("\n".join(["bag_id,text,candidates", *rows]) + "\n")
    whole = [json.dumps({"id": i, "text": text}) for i, text in enumerate(texts)]
    lines.write_text("\n".join(whole))
    plain = run("predict", model, documents / "new", "--json").json
    for source in (table, lines):
        ran = run("predict", model, source, "--json")
        assert ran.code == 0, ran.err
        for one, other in zip(ran.json, plain, strict=True):
            assert {**one, "bag_id": other["bag_id"]} == other
    out = documents / "t.bags.h5"
    ran = run("text", "to-bags", table, "-g", "sentences", "-o", out, "--json")
    assert ran.code == 0 and ran.json["bags"] == 3, ran.err
    ran = run("predict", model, out)  # Another TF-IDF, were there as many features.
    assert ran.code == 2 and "extractor of the features" in " ".join(ran.err.split())


def test_the_models_own_generator_cuts_new_documents(run, documents):
    model, _ = fitted(run, documents, "--set", "dimensions=8")
    new = documents / "new"
    own = run("predict", model, new, "--json")
    same = run(
        "predict", model, new, "-g", "sentences", "--set", "dimensions=8", "--json"
    )
    assert own.code == same.code == 0 and own.json == same.json
    for more, told in (
        (("-g", "sentences"), "learnt from documents cut by Sentences("),
        (("-g", "passages", "--set", "dimensions=8"), "would be cut by Passages("),
        (("--set", "dimensions=8"), "--set goes with --generator"),
        (("-g", "energy"), "would be cut by EnergySegments("),
    ):
        ran = run("predict", model, new, *more)
        told_there = " ".join(ran.err.split())
        assert ran.code == 2 and told in told_there and len(told_there) < 1500


def test_names_and_texts_steer_neither_terminal_nor_page(run, documents):
    hostile = "<script>alert(1)</script> \x1b[31mred \u202eright. {{ 7 * 7 }} & so on."
    (documents / "new" / "d01.txt").write_text(f"{ABOUT['ships']} {hostile}")
    model, _ = fitted(run, documents)
    page = documents / "d.html"
    ran = run("explain", model, documents / "new", "--bag", "d01", "--page", page)
    assert ran.code == 0 and "\x1b[31m" not in ran.out and "\u202e" not in ran.out
    html = page.read_text()
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert "{{ 7 * 7 }}" in html and "\x1b" not in html and "\u202e" not in html


def test_marks_that_cannot_be_made_are_refused(run, documents):
    model, data = fitted(run, documents)
    explain = ("explain", model, data, "--bag")
    (documents / "old" / "d01.txt").unlink()
    (documents / "old" / "d02.txt").write_text("Short.")
    for more, told in (
        (("d00", "--page", documents / "x.pdf"), "a page must end in .html"),
        (("d00", "--overlay", documents / "x.png"), "write it with --page"),
        (("d00", "--raven", documents / "x.txt"), "has no times"),
        (("d01", "--page", documents / "x.html"), "does not exist|is not there"),
        (("d02", "--page", documents / "x.html"), "it is another document"),
        (("d00", "--page", documents / "old" / "d00.txt"), "a page must end in"),
    ):
        ran = run(*explain, *more)
        assert ran.code == 2 and re.search(told, " ".join(ran.err.split())), ran.err
    assert not (documents / "x.html").exists()
    ran = run(*explain, "d02")  # All else is told, with a warning.
    assert ran.code == 0 and "it is another document" in " ".join(ran.err.split())
