"""``mipl images to-bags``: a folder of pictures and a table of candidates."""

import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from PIL import Image
from safetensors.torch import save_file

from mipl import load_model, read_dataset
from mipl.images import SIFT, DeepPatches, KMeansSeg, Row
from mipl.nn.initialisation import initialise
from mipl.nn.pretrained import NETWORKS
from mipl.seeds import stream


@pytest.fixture
def slides(tmp_path):
    """Six pictures, two of them in a folder below, and a table that names them."""
    root = tmp_path / "slides"
    (root / "b").mkdir(parents=True)
    pixels = stream(0, "slides").integers(0, 256, (6, 40, 40, 3)).astype(np.uint8)
    names = ["a0", "a1", "a2", "a3", "b/b0", "b/b1"]
    for name, picture in zip(names, pixels, strict=True):
        Image.fromarray(picture).save(root / f"{name}.png")
    lines = ["bag_id,candidates,label,patient,split"]
    sets = [
        "tumour|stroma",
        "stroma",
        "tumour",
        "mucus|tumour",
        "mucus",
        "mucus|stroma",
    ]
    truth = ["tumour", "stroma", "tumour", "mucus", "mucus", "stroma"]
    parts = ["train", "test", "train", "train", "test", "train"]
    for i in (5, 4, 3, 2, 1, 0):  # In another order than the files.
        lines.append(f"{names[i]},{sets[i]},{truth[i]},{names[i][0]},{parts[i]}")
    (root / "labels.csv").write_text("\n".join(lines))
    return root


def _to_bags(run, slides, out, *more):
    return run("images", "to-bags", slides, "-g", "row", "-o", out, "--jobs", 1, *more)


def test_a_folder_and_its_table_become_a_data_set(run, slides, tmp_path) -> None:
    out = tmp_path / "x.bags.h5"
    ran = run(
        *("images", "to-bags", slides, "--generator", "sift", "--labels"),
        *(slides / "labels.csv", "-o", out, "--set", "patch=8", "--jobs", 2, "--json"),
    )
    assert ran.code == 0 and ran.json["bags"] == 6 and ran.json["skipped"] == {}
    data = read_dataset(out)
    assert data.bags.bag_ids.tolist() == ["a0", "a1", "a2", "a3", "b/b0", "b/b1"]
    expected = SIFT(patch=8).transform(slides)
    assert data.bags.digest() == expected.digest()
    np.testing.assert_array_equal(data.bags.coords, expected.coords)
    assert data.bags.uris[4] == str(slides / "b/b0.png")
    assert data.labels.tolist()[:4] == ["tumour", "stroma", "tumour", "mucus"]
    assert sorted(list(data.candidates)[5]) == ["mucus", "stroma"]
    assert data.groups.tolist() == ["a"] * 4 + ["b"] * 2
    assert data.splits["default"][0].test.tolist() == [1, 4]
    assert data.facts["generator"] == {"kind": "SIFT", "patch": 8, "stride": None}
    assert not (tmp_path / "x.bags.h5.part").exists()


def test_deep_features_are_kept_for_the_next_data_set(
    run, slides, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("MIPL_CACHE", str(tmp_path / "cache"))
    module = NETWORKS["efficientnet-lite0"].build()
    initialise(module, 0)
    weights = tmp_path / "w.safetensors"
    values = module.state_dict()
    save_file({name: v.contiguous() for name, v in values.items()}, weights)
    command = ("images", "to-bags", slides, "-g", "deep", "--jobs", 1)
    command += ("--set", f"weights={weights}", "--set", "patches=1", "--set", "size=32")
    opened = []
    real = DeepPatches.chunk
    monkeypatch.setattr(
        DeepPatches, "chunk", lambda *given: opened.append(1) or real(*given)
    )
    for name in ("x.bags.h5", "y.npz"):
        ran = run(*command, "-o", tmp_path / name)
        assert ran.code == 0 and "6 bags, 6 instances x 1,000 features" in ran.out
    assert opened == [1]
    first, second = (read_dataset(tmp_path / name) for name in ("x.bags.h5", "y.npz"))
    assert first.bags.digest() == second.bags.digest()
    assert first.facts["generator"]["backbone"].startswith("EfficientNetLite0 ")
    assert (tmp_path / "cache" / "deep_features.db").is_file()
    command = ["weights=none" if str(weights) in str(w) else w for w in command]
    ran = run(*command, "-o", tmp_path / "z.npz")
    assert ran.code == 2 and "none does not exist" in ran.err
    assert not list(tmp_path.glob("*.part"))


def test_the_table_may_name_files_with_their_suffix(run, slides, tmp_path) -> None:
    text = (slides / "labels.csv").read_text()
    for name in ("a0", "a1", "b/b1"):
        text = text.replace(f"{name},", f"{name}.png,")
    (slides / "labels.csv").write_text(text)
    ran = _to_bags(run, slides, tmp_path / "x.bags.h5")
    assert ran.code == 0 and "6 bags, 48 instances x 9 features" in ran.out
    assert read_dataset(tmp_path / "x.bags.h5").bags.bag_ids[0] == "a0"


def test_votes_make_the_sets(run, slides, tmp_path) -> None:
    lines = ["bag,annotator,label"]
    for name in ("a0", "a1", "a2", "a3", "b/b0", "b/b1"):
        lines += [f"{name},{w},{c}" for w, c in zip("123", "xxy", strict=True)]
    (tmp_path / "votes.csv").write_text("\n".join(lines))
    ran = _to_bags(
        *(run, slides, tmp_path / "x.npz", "--annotations", tmp_path / "votes.csv"),
        *("--rule", "2"),
    )
    assert ran.code == 0
    assert [set(s) for s in read_dataset(tmp_path / "x.npz").candidates] == [{"x"}] * 6


def test_bad_pictures_stop_the_work_or_are_left_out_by_name(run, slides, tmp_path):
    out = tmp_path / "x.bags.h5"
    (slides / "a1.png").write_bytes(b"damaged")
    ran = _to_bags(run, slides, out)
    assert ran.code == 2 and "a1.png cannot be read as a picture" in ran.err
    assert not out.exists()
    ran = _to_bags(run, slides, out, "--skip-bad", "--json")
    assert ran.code == 0 and list(ran.json["skipped"]) == [str(slides / "a1.png")]
    assert "left out" in ran.err and ran.err.count("a1.png") == 1
    data = read_dataset(out)
    assert data.bags.bag_ids.tolist() == ["a0", "a2", "a3", "b/b0", "b/b1"]
    assert data.labels.tolist() == ["tumour", "tumour", "mucus", "mucus", "stroma"]
    split = data.splits["default"][0]
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2, 4], [3])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda root: (root / "labels.csv").unlink(), "labels.csv does not exist"),
        (lambda root: (root / "a0.png").unlink(), "bag 'a0' has no instances"),
        (
            lambda root: (root / "a0.png").rename(root / "c.png"),
            "bag 'c' has no row in",
        ),
        (
            lambda root: (root / "labels.csv").write_text("bag_id,label\n./a0,x\n"),
            "whose first is of bag './a0'",
        ),
    ],
)
def test_pictures_and_rows_must_match(run, slides, tmp_path, change, sentence) -> None:
    change(slides)
    ran = _to_bags(run, slides, tmp_path / "x.npz")
    assert ran.code == 2 and sentence in " ".join(ran.err.split())
    assert ran.err.startswith("error:")  # No bar of pictures that were never begun.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-g", "sfit", "-o", "x.npz"), "did you mean 'sift'"),
        (("-g", "sift", "-o", "x.png"), "names no format"),
        (("-g", "sift", "-o", "nowhere/x.npz"), "its folder does not exist"),
        (("-g", "row", "-o", "x.npz", "--set", "rows=3"), "unknown argument of row"),
        (
            ("-g", "row", "-o", "x.npz", "--set", "size=0"),
            "size of Row must be an integer",
        ),
    ],
)
def test_wrong_arguments_end_with_2_and_a_sentence(
    run, slides, monkeypatch, tmp_path, arguments, sentence
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("images", "to-bags", slides, *arguments)
    assert ran.code == 2 and sentence in ran.err and "Traceback" not in ran.err


def test_an_interrupted_command_goes_on(run, slides, tmp_path, monkeypatch) -> None:
    (slides / "labels.csv").write_text(
        "bag_id,label\n" + "".join(f"p{i:03},a\n" for i in range(70))
    )
    for old in slides.rglob("*.png"):
        old.unlink()
    pictures = stream(0, "many").integers(0, 256, (70, 9, 9, 3)).astype(np.uint8)
    for i, picture in enumerate(pictures):
        Image.fromarray(picture).save(slides / f"p{i:03}.png")
    computed = []
    real = Row.instances

    def counted(self, pixels):
        if len(computed) == 40:
            raise KeyboardInterrupt
        computed.append(1)
        return real(self, pixels)

    monkeypatch.setattr(Row, "instances", counted)
    out = tmp_path / "x.bags.h5"
    ran = _to_bags(run, slides, out)
    assert ran.code == 130 and not out.exists()
    assert f"interrupted: {out}.part keeps what is done" in ran.err
    computed[:] = []
    assert _to_bags(run, slides, out).code == 0
    assert len(computed) == 70 - 32  # One chunk was finished before.
    monkeypatch.setattr(Row, "instances", real)
    assert read_dataset(out).bags.digest() == Row().transform(pictures).digest()


def test_a_killed_command_goes_on_to_the_same_file(run, slides, tmp_path) -> None:
    rough = stream(0, "kill").integers(0, 256, (96, 64, 64, 3)).astype(np.uint8)
    for old in slides.rglob("*.png"):
        old.unlink()
    for i, picture in enumerate(rough):
        Image.fromarray(picture).save(slides / f"p{i:03}.png")
    rows = "".join(f"p{i:03},{'ab'[i % 2]}\n" for i in range(len(rough)))
    (slides / "labels.csv").write_text("bag_id,label\n" + rows)
    out, part = tmp_path / "x.bags.h5", tmp_path / "x.bags.h5.part"
    arguments = ["images", "to-bags", str(slides), "-g", "kmeansseg", "-o", str(out)]
    arguments += ["--jobs", "1"]
    child = subprocess.Popen(
        [sys.executable, "-m", "mipl.cli.main", *arguments], stderr=subprocess.DEVNULL
    )
    while child.poll() is None and not _finished(part):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    assert not out.exists() and 0 < _finished(part) < len(rough)
    assert run(*arguments).code == 0
    assert read_dataset(out).bags.digest() == KMeansSeg().transform(rough).digest()
    assert not part.exists()


def test_what_the_format_cannot_hold_is_told(run, slides, tmp_path) -> None:
    ran = _to_bags(run, slides, tmp_path / "x.mat")
    assert ran.code == 0 and "warning: " in ran.err
    assert "has no place for groups, coord" in ran.err and "UserWarning" not in ran.err


def test_a_file_in_place_of_a_folder_is_told(run, slides, tmp_path) -> None:
    ran = _to_bags(run, slides / "a0.png", tmp_path / "x.npz")
    assert ran.code == 2 and "a0.png is a file; give the folder" in ran.err


def _finished(part) -> int:
    """Count the finished pictures; 0 where the file or its table is not there yet."""
    if not part.exists():
        return 0
    connection = sqlite3.connect(part)
    try:
        return connection.execute("SELECT count(*) FROM bags").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


# -- new pictures ----------------------------------------------------------------------


@pytest.fixture
def trained(run, slides, tmp_path):
    """A model of the slides, and a folder of new pictures without labels."""
    data = tmp_path / "x.bags.h5"
    assert _to_bags(run, slides, data, "--set", "size=4").code == 0
    ran = run("fit", data, "--out", tmp_path / "run", "--set", "training.epochs=2")
    assert ran.code == 0, ran.err
    new = tmp_path / "new"
    new.mkdir()
    (slides / "a1.png").rename(new / "p.png")
    (slides / "b/b0.png").rename(new / "q.png")
    return tmp_path / "run", new


def test_new_pictures_are_predicted_without_labels(run, trained) -> None:
    folder, new = trained
    ran = run("predict", folder, new, "-g", "row", "--set", "size=4", "--json")
    assert ran.code == 0, ran.err
    expected = load_model(folder / "model").predict_proba(Row(size=4).transform(new))
    assert [row["bag_id"] for row in ran.json] == ["p", "q"]
    told = [[row[f"p_{c}"] for c in ("mucus", "stroma", "tumour")] for row in ran.json]
    np.testing.assert_allclose(told, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            ("-g", "row"),
            "the model learnt from pictures cut by Row(border='replicate', "
            "neighbour='difference', size=4), and these would be cut by "
            "Row(border='replicate', neighbour='difference', size=8); give the "
            "--generator and --set of the training.",
        ),
        (
            ("-g", "row", "--set", "size=4", "--r", "1"),
            "--r, --data-seed and --raw do not go with --generator, which takes "
            "pictures; leave them out.",
        ),
        (
            ("-g", "row", "--set", "size=4", "--split", "0"),
            "pictures have no splits; leave --split or --generator out.",
        ),
    ],
)
def test_pictures_cut_otherwise_are_refused(run, trained, more, sentence) -> None:
    ran = run("predict", *trained, *more)
    assert ran.code == 2 and f"error: {sentence}" in ran.err


def test_new_pictures_that_cannot_be_read_are_left_out_on_request(run, trained) -> None:
    folder, new = trained
    (new / "o.png").write_bytes(b"no picture")
    order = ("predict", folder, new, "-g", "row", "--set", "size=4", "--json")
    assert run(*order).code == 2
    ran = run(*order, "--skip-bad")
    assert [row["bag_id"] for row in ran.json] == ["p", "q"]
    assert "1 left out:" in ran.err and "o.png" in ran.err


def test_a_new_picture_is_explained_and_drawn_over(run, trained, tmp_path) -> None:
    folder, new = trained
    order = ("explain", folder, new / "p.png", "-g", "row", "--set", "size=4")
    ran = run(*order, "--bag", 0, "--overlay", tmp_path / "o.png", "--json")
    assert ran.code == 0, ran.err
    model, bags = load_model(folder / "model"), Row(size=4).transform(new)
    told = {one["class"]: one["weight"] for one in ran.json["classes"]}
    # Nobody told which classes it may be of.
    assert all(one["candidate"] for one in ran.json["classes"])
    np.testing.assert_allclose(list(told.values()), model.predict_proba(bags)[0])
    attention = sorted(one["attention"] for one in ran.json["instances"])
    np.testing.assert_allclose(attention, np.sort(model.attend(bags[:1])))
    with Image.open(tmp_path / "o.png") as drawn:
        assert drawn.width > 1000
    assert run(*order[:4], "row", "--bag", 0).code == 2


def test_every_picture_and_row_that_cannot_be_used_is_told_at_once(
    run, slides, tmp_path
) -> None:
    out = tmp_path / "x.bags.h5"
    (slides / "a0.png").rename(slides / "a0.gif")  # Named in the table as a0.
    (slides / "a1.png").write_bytes(b"damaged")
    (slides / "b" / "b1.png").unlink()
    (slides / "stray.png").write_bytes((slides / "a2.png").read_bytes())
    ran = _to_bags(run, slides, out)
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert "4 of 7 pictures" in ran.err and "--skip-bad" in ran.err
    for part in (
        "a0.gif is named",
        "a1.png cannot be read",
        "'b/b1' has no",
        "'stray'",
    ):
        assert part in ran.err
    ran = _to_bags(run, slides, out, "--skip-bad", "--json")
    assert ran.code == 0, ran.err
    assert len(ran.json["skipped"]) == 4 and ran.err.count("left out:") == 1
    assert read_dataset(out).bags.bag_ids.tolist() == ["a2", "a3", "b/b0"]


def test_new_pictures_are_cut_by_the_models_own_generator(run, trained) -> None:
    folder, new = trained
    told = run("predict", folder, new, "-g", "row", "--set", "size=4", "--json").json
    ran = run("predict", folder, new, "--json")
    assert ran.code == 0 and ran.json == told
    (alone,) = run("predict", folder, new / "p.png", "--json").json
    assert alone["p_stroma"] == pytest.approx(told[0]["p_stroma"])
    ran = run("predict", folder, new, "--set", "size=8")
    assert ran.code == 2 and "leave --set out" in ran.err
    ran = run("explain", folder, new, "--bag", "q", "--json")
    assert ran.code == 0 and ran.json["predicted"] == told[1]["predicted"]
    (folder / "model").rename(folder.parent / "bare")
    ran = run("predict", folder.parent / "bare", new)
    assert ran.code == 2 and "give --generator and its --set" in ran.err
