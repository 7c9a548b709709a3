"""``mipl audio to-bags``: recordings to bags, to a model, to marks on the recording."""

import numpy as np
import pytest
import soundfile
from matplotlib.image import imread
from tests.audio.calls import recording

from mipl import read_dataset
from mipl.audio import EnergySegments

BIRDS = {"rise": (2000.0, 4500.0), "low": (900.0, 1200.0), "high": (5000.0, 5500.0)}


@pytest.fixture
def recordings(tmp_path):
    """Twelve recordings with a label table, and three new ones."""
    rng = np.random.default_rng(0)
    for name, count in (("old", 12), ("new", 3)):
        folder = tmp_path / name
        folder.mkdir()
        rows = ["bag_id,candidates,label"]
        for i in range(count):
            bird = list(BIRDS)[i % 3]
            calls = [(2.0, 0.3, *BIRDS[bird]), (4.0, 0.3, 6800.0, 6800.0)]
            samples, rate = recording(rng, calls, seconds=6.0)
            suffix = ("wav", "flac", "ogg")[i % 3]
            soundfile.write(folder / f"r{i:02}.{suffix}", samples, rate)
            either = f"|{list(BIRDS)[(i + 1) % 3]}" if i % 2 else ""
            rows.append(f"r{i:02},{bird}{either},{bird}")
        if name == "old":
            (folder / "labels.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def fitted(run, recordings, *more):
    """Fit a model on bags of the old ones; return where they are."""
    data, model = recordings / "birds.bags.h5", recordings / "run"
    made = run(
        *("audio", "to-bags", recordings / "old", "-g", "energy", "-o", data),
        *("--jobs", 1, "--json", *more),
    )
    assert made.code == 0 and made.json["bags"] == 12
    done = run(
        "fit", data, "--method", "miplma", "--set", "training.epochs=40", "--out", model
    )
    assert done.code == 0, done.err
    return model, data


def test_from_recordings_to_marks(run, recordings):
    model, path = fitted(run, recordings)
    data = read_dataset(path)
    expected = EnergySegments().transform(recordings / "old")
    assert data.bags.digest() == expected.digest()
    assert data.facts["coords"] == ["start", "end", "low", "high"]
    assert data.facts["generator"]["kind"] == "EnergySegments"
    assert data.labels.tolist() == list(BIRDS) * 4
    table = recordings / "p.csv"
    ran = run("predict", model, recordings / "new", "-o", table)
    assert ran.code == 0, ran.err
    rows = [line.split(",")[:2] for line in table.read_text().splitlines()[1:]]
    assert rows == [["r00", "rise"], ["r01", "low"], ["r02", "high"]]
    picture, track, selections, instances = (
        recordings / name for name in ("r.png", "a.txt", "r.txt", "i.csv")
    )
    ran = run(
        *("explain", model, recordings / "new", "--bag", "r01", "--overlay", picture),
        *("--audacity", track, "--raven", selections, "--out", instances, "--json"),
    )
    assert ran.code == 0, ran.err
    first = min(ran.json["instances"], key=lambda one: one["coord_start"])
    assert first["coord_start"] == pytest.approx(2.0, abs=0.1)
    assert first["coord_end"] == pytest.approx(2.3, abs=0.1)
    assert 800 < first["coord_low"] < first["coord_high"] < 1300
    assert imread(picture).std() > 0.05
    lines = [line.split("\t") for line in track.read_text().splitlines()]
    assert float(lines[0][0]) == pytest.approx(2.0, abs=0.1)
    assert lines[0][2].split()[0] == "low" and lines[1][0] == "\\"
    assert float(lines[2][0]) == pytest.approx(4.0, abs=0.1)
    head, *rows = (line.split("\t") for line in selections.read_text().splitlines())
    raven = dict(zip(head, rows[0], strict=True))
    assert raven["Selection"] == "1" and raven["Species"] == "low"
    assert float(raven["Begin Time (s)"]) == pytest.approx(2.0, abs=0.1)
    assert 800 < float(raven["Low Freq (Hz)"]) < float(raven["High Freq (Hz)"]) < 1300
    assert (
        len(rows) == len(ran.json["instances"]) and "coord_low" in instances.read_text()
    )


def test_the_models_own_generator_cuts_new_recordings(run, recordings):
    model, data = fitted(run, recordings, "--set", "mels=16", "--set", "threshold=9")
    new = recordings / "new"
    ran = run("predict", model, new, "--json")
    assert ran.code == 0 and len(ran.json) == 3
    same = run(
        *("predict", model, new, "--generator", "energy", "--set", "mels=16"),
        *("--set", "threshold=9", "--json"),
    )
    assert same.json == ran.json
    for more, told in (
        (("-g", "energy"), "learnt from recordings cut by EnergySegments("),
        (("-g", "windows", "--set", "mels=16"), "would be cut by TimeWindows("),
        (("-g", "sift"), "learnt from recordings cut by EnergySegments("),
        (("--set", "mels=16"), "--set goes with --generator"),
        (("--split", "0"), "recordings have no splits"),
    ):
        ran = run("predict", model, new, *more)
        assert ran.code == 2 and told in " ".join(ran.err.split()), ran.err
    ran = run("predict", model, data, "--json")
    assert ran.code == 0 and len(ran.json) == 12


def test_bad_recordings_are_told_at_once_and_left_out_on_request(run, recordings):
    old = recordings / "old"
    (old / "r00.wav").write_bytes(b"no sound")
    (old / "r04.flac").write_bytes((old / "r04.flac").read_bytes()[:5000])
    (old / "extra.mp3").write_bytes(b"")
    (old / "labels.csv").write_text(
        (old / "labels.csv").read_text() + "gone,rise,rise\n"
    )
    command = ("audio", "to-bags", old, "-g", "windows", "-o", recordings / "x.npz")
    ran = run(*command, "--jobs", 1)
    told = " ".join(ran.err.split())
    assert ran.code == 2 and "4 of 14 recordings" in told
    for part in (
        "'extra' has no row", "bag 'gone' has no instances: the folder has no such "
        "recording", "r00.wav cannot be read", "r04.flac cannot be read",
    ):  # fmt: skip
        assert part in told
    assert not (recordings / "x.npz").exists()
    ran = run(*command, "--jobs", 1, "--skip-bad", "--json")
    assert ran.code == 0 and ran.json["bags"] == 10 and len(ran.json["skipped"]) == 4


def test_marks_that_cannot_be_made_are_refused(run, recordings):
    model, data = fitted(run, recordings)
    (recordings / "old" / "r01.flac").unlink()
    explain = ("explain", model, data, "--bag")
    for more, told in (
        (
            ("r00", "--raven", recordings / "x.csv"),
            "Raven are a file that ends",
        ),
        (("r01", "--overlay", recordings / "x.png"), "the recording of bag 1"),
        (("r00", "--raven", recordings / "old" / "r00.wav"), "ends in .txt"),
        (("r00", "--geojson", recordings / "x.geojson"), "GeoJSON is for slides"),
        (("r00", "--top", "3"), "--top shortens what"),
    ):
        ran = run(*explain, *more)
        assert ran.code == 2 and told in " ".join(ran.err.split()), ran.err
    assert not (recordings / "x.png").exists()
    other = recordings / "old" / "r02.ogg"
    soundfile.write(other, np.zeros(22050), 22050)
    ran = run(*explain, "r02", "--overlay", recordings / "x.png")
    assert ran.code == 2 and "it is another recording" in " ".join(ran.err.split())


def test_labels_of_sounds_need_times(run, trees, tmp_path):
    run(
        "fit",
        trees,
        "--method",
        "miplma",
        "--set",
        "training.epochs=2",
        "--out",
        tmp_path / "run",
    )
    ran = run("explain", tmp_path / "run", trees, "--bag", "p", "--raven", "x.txt")
    assert ran.code == 2 and "has no coordinates" in " ".join(ran.err.split())
