"""From the folders of a toolkit to predictions, with nothing converted by hand."""

import json
from pathlib import Path

import pytest
from PIL import Image
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


def test_a_new_slide_is_explained_where_it_lies(run, tmp_path: Path) -> None:
    labels = toolkits.trident(tmp_path)
    folder, data, model = tmp_path / "out", tmp_path / "x.bags.h5", tmp_path / "r"
    assert run("data", "import", folder, "--labels", labels, "-o", data).code == 0
    assert run("fit", data, "--out", model, "--set", "training.epochs=1").code == 0
    picture, qupath, table = (tmp_path / n for n in ("m.png", "m.geojson", "top.csv"))
    thumbnail = tmp_path / "whole.png"
    Image.new("RGB", (64, 96), "pink").save(thumbnail)
    asked = ("explain", model, folder, "--bag", "slide_05", "--geojson", qupath)
    lying = ("--thumbnail", thumbnail, "--slide-size", "4096x6144")
    ran = run(*asked, "--plot", picture, "--top", 3, "-o", table, *lying)
    assert ran.code == 0, ran.err
    assert picture.read_bytes().startswith(b"\x89PNG")
    features = json.loads(qupath.read_text())["features"]
    assert len(features) == 3 and len(table.read_text().splitlines()) == 1 + 3
    corners = {tuple(corner) for corner in toolkits.tiles(5)[1].tolist()}
    assert tuple(features[0]["geometry"]["coordinates"][0][0]) in corners


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--slide", "a.svs"), "--slide and --thumbnail are drawn by --plot"),
        (("--plot", "p.png", "--thumbnail", "t.png"), "--slide-size WxH"),
        (("--plot", "p.png", "--slide-size", "3x4"), "--slide-size goes with"),
        (("--top", "3"), "--top shortens what --out, --geojson"),
        (("--geojson", "a.txt"), "must end in .geojson"),
        (("--mpp", "0.5"), "--mpp goes with --plot and --geojson"),
    ],
)
def test_options_of_maps_that_say_nothing_are_refused(
    run, tmp_path: Path, monkeypatch, more, says
) -> None:
    labels = toolkits.clam(tmp_path)
    data, model = tmp_path / "x.bags.h5", tmp_path / "r"
    run("data", "import", tmp_path / "features", "--labels", labels, "-o", data)
    run("fit", data, "--out", model, "--set", "training.epochs=1")
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (4, 4)).save("t.png")
    ran = run("explain", model, data, "--bag", 0, *more)
    assert ran.code == 2 and says in ran.err and ran.err.count("\n") == 1
    assert not (tmp_path / "p.png").exists()
