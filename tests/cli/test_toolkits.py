"""From the folders of a toolkit to predictions, with nothing converted by hand."""

from pathlib import Path

import pytest
from tests.io import toolkits
from tests.io.toolkits import SLIDES


def test_every_toolkit_to_a_prediction(run, tmp_path: Path) -> None:
    labels = toolkits.clam(tmp_path / "clam")
    trident = toolkits.trident(tmp_path / "trident")
    clini, slides = toolkits.stamp(tmp_path / "stamp")
    stamp = tmp_path / "stamp" / "ctranspath-7c9986"
    torchmil = toolkits.torchmil(tmp_path / "torchmil")
    ways = {
        "clam": (tmp_path / "clam" / "features", "--labels", labels),
        "trident": (tmp_path / "trident" / "out", "--labels", trident),
        "stamp": (stamp, "--labels", clini, "--slides", slides, "--label", "GRADE"),
        "torchmil": (torchmil,),
    }
    for name, (folder, *options) in ways.items():
        data, model = tmp_path / f"{name}.bags.h5", tmp_path / f"run-{name}"
        assert run("data", "import", folder, *options, "-o", data).code == 0
        quick = ("--set", "training.epochs=1", "--set", "encoder=linear")
        ran = run("fit", data, "--out", model, *quick)
        assert ran.code == 0, ran.err
        ran = run("predict", model, folder, "--json")
        assert ran.code == 0, ran.err
        assert [row["bag_id"] for row in ran.json] == list(SLIDES)


def test_a_list_of_ids_chooses_slides_and_needs_no_labels(run, tmp_path: Path) -> None:
    labels = toolkits.clam(tmp_path)
    folder, data, model = tmp_path / "features", tmp_path / "x.bags.h5", tmp_path / "r"
    assert run("data", "import", folder, "--labels", labels, "-o", data).code == 0
    quick = ("--set", "training.epochs=1")
    assert run("fit", data, "--out", model, *quick).code == 0
    every = {row["bag_id"]: row for row in run("predict", model, folder, "--json").json}
    ids = tmp_path / "ids.csv"
    ids.write_text("bag_id\nslide_07\nslide_02\n")
    for source in (folder, data):
        rows = run("predict", model, source, "--ids", ids, "--json").json
        assert [row["bag_id"] for row in rows] == ["slide_07", "slide_02"]
        for row in rows:
            told = every[row["bag_id"]]
            assert row["p_grade1"] == pytest.approx(told["p_grade1"])
    ids.write_text("bag_id\nslide_07\nslide_77\nslide_78\n")
    for source in (folder, data):
        ran = run("predict", model, source, "--ids", ids)
        assert ran.code == 2 and "slide_77" in ran.err and "slide_78" in ran.err
        ran = run("predict", model, source, "--ids", ids, "--skip-bad", "--json")
        assert [row["bag_id"] for row in ran.json] == ["slide_07"]
        assert "2 left out:" in ran.err
