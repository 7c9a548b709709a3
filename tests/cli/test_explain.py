"""``mipl explain``: one bag, its instances and its candidates."""

import csv
import re

import numpy as np
import pytest
from PIL import Image

import mipl


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Models of named bags of vectors, and of the digits."""
    folder = tmp_path_factory.mktemp("explain")
    data = mipl.load_dataset("synthetic", n_bags=20)
    ids = [f"plot-{i}" for i in range(20)]
    bags = mipl.Bags(
        data.bags, bag_ids=ids, coords=np.arange(len(data.bags.instances))[:, None]
    )
    named = mipl.Dataset(bags, data.candidates, data.labels)
    mipl.write_dataset(named, folder / "named.npz")
    digits = mipl.load_dataset("digits-mipl")
    for name, one in (("vectors", named), ("images", digits)):
        model = mipl.MIPLMA(training=mipl.Training(epochs=2), random_state=0)
        model.fit(one.bags, one.candidates).save(folder / name)
    return folder


def test_json_tells_attention_weights_and_margin(run, place) -> None:
    told = run(
        "explain", place / "vectors", place / "named.npz", "--bag", "plot-7", "--json"
    ).json
    data = mipl.read_dataset(place / "named.npz")[[7]]
    model = mipl.load_model(place / "vectors")
    p, inside = model.predict_proba(data.bags)[0], data.candidates.matrix[0]
    assert told["predicted"] == model.predict(data.bags)[0]
    assert told["label"] == data.labels[0]
    weights = np.where(inside, p, 0) / p[inside].sum()
    np.testing.assert_allclose([c["weight"] for c in told["classes"]], weights)
    assert [c["candidate"] for c in told["classes"]] == inside.tolist()
    margin = p[inside].max() - p[~inside].max()
    assert told["margin"] == pytest.approx(margin)
    assert told["violated"] == (margin < 0)
    a = model.attend(data.bags)
    by_instance = {row["instance"]: row for row in told["instances"]}
    np.testing.assert_allclose([by_instance[i]["attention"] for i in range(len(a))], a)
    falling = [row["attention"] for row in told["instances"]]
    assert falling == sorted(falling, reverse=True)
    assert by_instance[0]["coord_0"] == data.bags.coords[0, 0]


def test_a_number_names_a_bag_too(run, place) -> None:
    by_id = run(
        "explain", place / "vectors", place / "named.npz", "--bag", "plot-3", "--json"
    )
    by_number = run(
        "explain", place / "vectors", place / "named.npz", "--bag", 3, "--json"
    )
    assert by_id.json == by_number.json


def test_the_table_and_the_screen(run, place, tmp_path) -> None:
    out = tmp_path / "bag.csv"
    ran = run(
        "explain", place / "vectors", place / "named.npz", "--bag", "plot-3", "-o", out
    )
    assert ran.code == 0, ran.err
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert sum(float(row["attention"]) for row in rows) == pytest.approx(1)
    assert {int(row["instance"]) for row in rows} == set(range(len(rows)))
    for part in ("plot-3", "predicted", "best candidate", "margin", "true class"):
        assert part in ran.out


def test_without_attention_the_highest_score_comes_first(run, place, tmp_path) -> None:
    data = mipl.read_dataset(place / "named.npz")
    model = mipl.OneVsRest(mipl.VGPMIL(inducing=4, iterations=2, random_state=0))
    model.fit(data.bags, data.candidates).save(tmp_path / "process")
    asked = ("explain", tmp_path / "process", place / "named.npz", "--bag", "plot-3")
    told = run(*asked, "--json").json
    scores = [row[f"score_{told['predicted']}"] for row in told["instances"]]
    assert len(set(scores)) > 1 and scores == sorted(scores, reverse=True)
    said = run(*asked).out
    assert "highest score first" in said and "attended" not in said


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures(run, place, tmp_path, suffix) -> None:
    plot = tmp_path / f"bag.{suffix}"
    ran = run("explain", place / "images", "digits-mipl", "--bag", 0, "--plot", plot)
    assert ran.code == 0, ran.err
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert plot.read_bytes().startswith(start)


def test_images_are_drawn_as_images_and_vectors_as_bars(run, place, tmp_path) -> None:
    drawn = {}
    for model, data in (("images", "digits-mipl"), ("vectors", place / "named.npz")):
        plot = tmp_path / f"{model}.svg"
        run("explain", place / model, data, "--bag", 0, "--plot", plot)
        drawn[model] = len(re.findall("<image ", plot.read_text()))
    n = len(mipl.load_dataset("digits-mipl").bags.bag(0))
    assert drawn == {"images": n, "vectors": 0}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--bag", "plot-77"), "there is no bag 'plot-77'; did you mean 'plot-7'?"),
        (("--bag", "20"), "plot-0, plot-1, plot-2, or numbers 0 to 19."),
        (("--bag", "-1"), "there is no bag '-1'"),
        (("--bag", "0", "--plot", "bag.gif"), "must end in .png, .svg, .pdf"),
        (("--bag", "0", "-o", "bag.xls"), "must end in .csv or .parquet"),
    ],
)
def test_wrong_input_is_one_sentence(
    run, place, tmp_path, monkeypatch, arguments, sentence
):
    monkeypatch.chdir(tmp_path)
    ran = run("explain", place / "vectors", place / "named.npz", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err and ran.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_overlay_draws_over_the_bags_own_picture(run, tmp_path) -> None:
    slides = tmp_path / "slides"
    slides.mkdir()
    for i in range(4):
        shade = np.full((24, 24, 3), 40 * i, np.uint8)
        Image.fromarray(shade).save(slides / f"s{i}.png")
    rows = "s0,a|b\ns1,a\ns2,b\ns3,b\n"
    (slides / "labels.csv").write_text("bag_id,candidates\n" + rows)
    bags, model = tmp_path / "x.bags.h5", tmp_path / "model"
    made = run("images", "to-bags", slides, "-g", "row", "-o", bags, "--jobs", 1)
    assert made.code == 0
    data = mipl.read_dataset(bags)
    fitted = mipl.MIPLMA(training=mipl.Training(epochs=1), random_state=0)
    fitted.fit(data.bags, data.candidates).save(model)
    picture = tmp_path / "s2.png"
    ran = run("explain", model, bags, "--bag", "s2", "--overlay", picture)
    assert ran.code == 0 and str(picture) in ran.out.replace("\n", "")
    with Image.open(picture) as drawn:
        assert drawn.size[0] > 1000
    wrong = run("explain", model, bags, "--bag", "s2", "--overlay", "x.txt")
    assert wrong.code == 2 and "must end in .png" in wrong.err
    original = slides / "s1.png"
    before = original.read_bytes()
    for option in ("--overlay", "--plot"):
        wrong = run("explain", model, bags, "--bag", "s2", option, original)
        assert wrong.code == 2 and "name another file" in wrong.err
    assert original.read_bytes() == before


def test_overlay_of_bags_without_pictures_is_told(run, place) -> None:
    ran = run(
        *("explain", place / "vectors", place / "named.npz", "--bag", 0),
        *("--overlay", place / "x.png"),
    )
    assert ran.code == 2 and "has no boxes" in ran.err
