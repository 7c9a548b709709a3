"""Input that was a traceback, or made a reader wait: each is one short sentence."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import mipl
from mipl import Dataset, MiplError
from mipl.datasets.download import download
from mipl.datasets.idx import read_idx
from mipl.errors import unknown
from mipl.images.pixels import read_pixels
from mipl.io.split_files import read_split_files
from mipl.io.tables.columns import as_number
from mipl.io.tables.csv_file import read_long
from mipl.runs.folder import open_model
from mipl.runs.named_values import given_options
from mipl.runs.result import Result
from mipl.runs.results_csv import as_csv, read_csv
from mipl.runs.run import Run
from mipl.runs.run_settings import read_tables
from mipl.runs.store import Store
from mipl.training.sealed import seal, unseal

LONG = "n" * 5000
DEEP = "[" * 20_000 + "]" * 20_000


@pytest.fixture(autouse=True)
def deadline():
    def late(*_):
        raise AssertionError("it took too long")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def refused(call, *arguments, **options) -> str:
    with pytest.raises(MiplError) as caught:
        call(*arguments, **options)
    text = str(caught.value)
    assert "\n" not in text and "n" * 201 not in text and len(text) < 1200
    return text


def test_a_short_or_long_line_of_results_is_told(tmp_path):
    path = tmp_path / "a.csv"
    lines = as_csv([Result(Run("miplma", "digits-mipl"), "finished", 0.5, 1.0)])
    head, row, _ = lines.split("\n")
    for wrong, says in (
        ("miplma", "fewer"),
        (f"{row},1", "more"),
        ('"a', "CSV|fewer"),
    ):
        path.write_text(f"{head}\n{wrong}\n")
        with pytest.raises(MiplError, match=says):
            read_csv(path)


def test_an_array_without_axes_in_a_split_is_told(tmp_path):
    data = Dataset(np.zeros((2, 1)), [0, 1], splits={"default": [([0], [1])]})
    mipl.write_dataset(data, tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    for name in [name for name in arrays if name.startswith("split")]:
        np.savez(tmp_path / "b.npz", **{**arrays, name: np.array(0)})
        assert "damaged" in refused(mipl.read_dataset, tmp_path / "b.npz")


@pytest.mark.parametrize("text", ["a = " + "9" * 5000, f"a = {DEEP}", "a = [" * 5000])
def test_toml_that_cannot_be_read_is_told(tmp_path, text):
    (tmp_path / "run.toml").write_text(text)
    refused(read_tables, tmp_path / "run.toml")


def test_settings_that_cannot_be_read_are_told():
    assert "brackets" in refused(given_options, [f"a={DEEP}"])
    assert given_options(["a=" + "9" * 5000])["a"] == "9" * 5000


@pytest.mark.parametrize(
    "address",
    [
        "http://[::1",
        "http://a:b/",
        "http://",
        "http://a b/",
        "ftp://a/b",
        LONG,
        "http://\x00a/",
        "http://é.é\u202e/",
        "http://a..b/",
        "//a/b",
        "http://a:99999/",
    ],
)
def test_an_address_that_is_none_is_told(tmp_path, address):
    refused(download, address, tmp_path / "a")


READERS = {
    "a.csv": mipl.read_dataset,
    "a.npz": mipl.read_dataset,
    "a.mat": mipl.read_dataset,
    "a.bags.h5": mipl.read_dataset,
    "a.toml": read_tables,
    "results.csv": read_csv,
    "results.db": Store,
    "a.png": read_pixels,
    "splits.csv": lambda path: read_split_files(path, mipl.Bags(np.zeros((2, 1)))),
    "images": lambda path: read_idx(Path(path), 3),
    "model": open_model,
}


@pytest.mark.parametrize("name", READERS)
def test_a_pipe_a_long_name_and_a_zero_byte_are_told(tmp_path, name):
    os.mkfifo(tmp_path / name)
    for path in (tmp_path / name, tmp_path / LONG, tmp_path / "none" / name):
        refused(READERS[name], path)


@pytest.mark.parametrize(
    "place",
    [
        "p.npy",
        "features/p.npy",
        "p.h5",
        "features/p.h5",
        "labels.csv",
        "coords/p.npy",
        "inst_labels/p.npy",
        "labels/p.npy",
        "dataset.json",
    ],
)
def test_a_pipe_in_a_folder_makes_nobody_wait(tmp_path, place):
    root = tmp_path / "data"
    (root / place).parent.mkdir(parents=True)
    os.mkfifo(root / place)
    if "/" in place:
        (root / "features").mkdir(exist_ok=True)
    good = root / ("features" if "/" in place else "") / "p.npy"
    if place not in ("p.npy", "p.h5", "features/p.npy", "features/p.h5"):
        np.save(good, np.ones((2, 2)))
    if place != "labels.csv" and not place.startswith("labels/"):
        (root / "labels.csv").write_text("bag_id,label\np,a\n")
    try:
        data = mipl.read_dataset(root)
    except MiplError as error:
        assert "p" in str(error) and "\n" not in str(error)
    else:  # A pipe that is none of the data is passed over.
        assert len(data.bags) == 1


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_a_pipe_in_a_model_makes_nobody_wait(tmp_path, name):
    os.mkfifo(tmp_path / name)
    refused(open_model, tmp_path)


def test_a_message_repeats_at_most_two_hundred_letters():
    for text in (LONG, "n " * 4000, f"{LONG}'{LONG}' {LONG}"):
        assert len(str(MiplError(f"the class {text} is unknown"))) <= 2000
        assert "n" * 201 not in str(MiplError(f"the class {text!r} is unknown"))
    assert len(str(unknown("column", LONG, [f"{i}{LONG}" for i in range(3000)]))) < 3000


@pytest.mark.parametrize("text", ["1_000", "٣", "１", "nan", "inf", "0x10", "1e", ""])
def test_decimal_text_is_ascii_digits(tmp_path, text):
    assert as_number(text) is None
    (tmp_path / "a.csv").write_text(f"bag_id,f\np,1\np,{text}\n")
    if text in ("nan", "inf", ""):
        return  # Told with all bags concerned, by who knows the bags.
    with pytest.raises(MiplError, match="line 3, column 'f' must be a finite number"):
        read_long(tmp_path / "a.csv", lambda names, numeric: (["bag_id"], ["f"]))


def test_a_picture_that_claims_more_than_its_file_can_hold_is_refused(tmp_path):
    Image.new("1", (9000, 9000)).save(tmp_path / "a.png")
    size = (tmp_path / "a.png").stat().st_size
    assert size * 1024 + (1 << 22) < 9000 * 9000
    assert "claims 9000 x 9000 pixels" in refused(read_pixels, tmp_path / "a.png")
    Image.effect_noise((500, 500), 9).save(tmp_path / "b.png")
    assert read_pixels(tmp_path / "b.png").shape == (500, 500, 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_sealed_checkpoint_with_nan_is_refused(value):
    content = seal({"module.a": np.array([0.0, value])}, {"epoch": 1})
    assert "holds NaN or infinity in 'module.a'" in refused(unseal, "c", content)
