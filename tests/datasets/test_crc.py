"""crc-mipl from arrays and folders of pictures; the authors' bags from their files."""

import numpy as np
import pytest
from PIL import Image
from safetensors.numpy import save_file

from mipl import Bags, Candidates, Dataset, MiplError, load_dataset, write_dataset
from mipl.datasets import RECORDS
from mipl.datasets.request import Request
from mipl.errors import MissingData
from mipl.images import SIFT, DeepPatches, Row
from mipl.images.bag_generators import image_bags
from mipl.nn.efficientnet_lite import EfficientNetLite0
from mipl.seeds import stream


@pytest.fixture
def tiles():
    """Sixty tiles of three classes, which differ by colour."""
    rng = stream(0, "tiles")
    labels = np.repeat(["mucus", "stroma", "tumour"], 20)
    pixels = rng.integers(0, 60, (60, 24, 24, 3))
    pixels += 60 * np.repeat(np.arange(3), 20)[:, None, None, None]
    return pixels.astype(np.uint8), labels


def test_an_array_of_pictures(tiles):
    pixels, labels = tiles
    data = load_dataset("crc-mipl", images=pixels, labels=labels, generator="row")
    assert data.bags.digest() == Row().transform(pixels).digest()
    assert data.labels.tolist() == labels.tolist()
    assert data.candidates.contains(labels).all()
    assert data.candidates.sizes.mean() == pytest.approx(2.08, abs=0.02)
    assert data.facts["candidates"]["kind"] == "crowd"
    assert data.facts["generator"]["kind"] == "Row"


def test_the_average_size_the_truth_and_the_seed(tiles):
    pixels, labels = tiles
    given = {"images": pixels, "labels": labels, "generator": SIFT(patch=8)}
    wide = load_dataset("crc-mipl", size=2.6, **given)
    assert wide.candidates.sizes.mean() == pytest.approx(2.6, abs=0.02)
    assert (load_dataset("crc-mipl", 0, **given).candidates.sizes == 1).all()
    first, again, other = (load_dataset("crc-mipl", seed=s, **given) for s in (1, 1, 2))
    assert np.array_equal(first.candidates.matrix, again.candidates.matrix)
    assert not np.array_equal(first.candidates.matrix, other.candidates.matrix)


def test_deep_features(tiles, nowhere, monkeypatch):
    pixels, labels = tiles
    some = slice(None, None, 30)
    given = {"images": pixels[some], "labels": labels[some], "raw": nowhere}
    with pytest.raises(MissingData, match=r"with scripts/efficientnet_lite0\.py, and"):
        load_dataset("crc-mipl", generator="deep", **given)
    weights = nowhere / "efficientnet-lite0.safetensors"
    shapes = {name: v.shape for name, v in EfficientNetLite0().state_dict().items()}
    rng = stream(0, "values")
    values = {name: 0.1 * rng.random(shape) for name, shape in shapes.items()}
    save_file({name: np.asarray(v, np.float32) for name, v in values.items()}, weights)
    data = load_dataset("crc-mipl", generator="deep", patches=4, size=1.2, **given)
    expected = DeepPatches(weights=weights, patches=4).transform(pixels[some])
    np.testing.assert_allclose(data.bags.instances, expected.instances, rtol=1e-4)
    assert data.bags.sizes.tolist() == [4, 4] and data.bags.n_features == 1000
    (nowhere / "efficientnet-lite0.onnx").write_bytes(b"no model")
    with pytest.raises(MiplError, match=r"lite0\.onnx cannot be opened as an ONNX"):
        load_dataset("crc-mipl", generator="deep", **given)
    monkeypatch.setattr("mipl.datasets.crc.find_spec", lambda _: None)
    without = load_dataset("crc-mipl", generator="deep", patches=4, size=1.2, **given)
    assert np.array_equal(without.bags.instances, data.bags.instances)


def test_a_folder_per_class_without_adipose_and_background(tiles, tmp_path):
    pixels, _ = tiles
    for i, name in enumerate(["ADI", "BACK", "LYM", "TUM"]):
        (tmp_path / name).mkdir()
        for j in range(6):
            Image.fromarray(pixels[10 * i + j]).save(tmp_path / name / f"{j}.png")
    data = load_dataset(
        "crc-mipl", images=tmp_path, generator="row", size=1.3, per_class=4
    )
    assert data.classes.tolist() == ["LYM", "TUM"]
    assert data.labels.tolist() == ["LYM"] * 4 + ["TUM"] * 4
    assert all(name.startswith(("LYM/", "TUM/")) for name in data.bags.bag_ids)
    (tmp_path / "lost.png").write_bytes(b"")
    with pytest.raises(MiplError, match=r"lost\.png lies in no folder of a class"):
        load_dataset("crc-mipl", images=tmp_path)


@pytest.mark.parametrize("generator", ["row", "kmeansseg"])
def test_the_stand_in(loaded, generator):
    if generator == "row":
        data = loaded("crc-mipl", generator=generator)
        assert (len(data), data.bags.n_features) == (3000, 9)
        assert np.unique(data.labels, return_counts=True)[1].tolist() == [600] * 5
        assert data.candidates.sizes.mean() == pytest.approx(2.08, abs=0.005)
    else:
        data = loaded("crc-mipl", generator=generator, per_class=20)
        assert data.bags.n_features == 6 and data.bags.sizes.min() >= 3


def test_one_class_and_two(tiles):
    pixels, _ = tiles
    given = {"images": pixels, "generator": "row"}
    alone = load_dataset("crc-mipl", labels=["tumour"] * 60, size=1, **given)
    assert [set(s) for s in alone.candidates] == [{"tumour"}] * 60
    pair = load_dataset("crc-mipl", labels=["a", "b"] * 30, size=1.5, **given)
    assert pair.candidates.sizes.mean() == pytest.approx(1.5, abs=0.02)
    with pytest.raises(MiplError, match=r"size, .* must be 1 to 2, .* got 2\.08"):
        load_dataset("crc-mipl", labels=["a", "b"] * 30, **given)


def test_wrong_options(tiles):
    pixels, labels = tiles
    for options, sentence in (
        ({"images": pixels}, "labels must name the class of each of the 60 images"),
        ({"images": pixels, "labels": labels[:3]}, "60 images; got shape .3,."),
        ({"images": pixels, "labels": 5}, "60 images; got shape"),
        ({"images": pixels, "labels": np.c_[labels]}, "60 images; got shape .60, 1."),
        (
            {"images": pixels, "labels": [*labels[:59], ["tumour"]]},
            "each of the 60 images; got a ragged list",
        ),
        ({"images": pixels, "labels": [*labels[:59], None]}, "None of bag 59 must be"),
        ({"images": pixels, "labels": [{"a", "b"}] * 60}, "one class of each image"),
        ({"images": pixels, "labels": [np.nan] + [1, 2] * 29 + [1]}, "bag 0 is nan"),
        ({"images": 5, "labels": labels}, "pictures must be an array"),
        ({"images": pixels, "labels": labels, "generator": "sfit"}, "'sift'"),
        ({"images": pixels, "labels": labels, "size": 9}, "must be 1 to 3"),
        ({"images": pixels, "labels": labels, "size": "2"}, "must be 1 to 3"),
        ({"images": pixels, "labels": labels, "generator": 3}, "an ImageBags; got 3"),
        ({"labels": labels}, "labels go with an array of images"),
        ({"images": pixels, "labels": labels, "per_class": 0}, "per_class must be"),
        ({"images": pixels, "labels": labels, "r": 3}, "r=3 false labels"),
        ({"images": pixels, "labels": labels, "patches": 9}, "argument of row"),
    ):
        with pytest.raises(MiplError, match=sentence):
            load_dataset("crc-mipl", **{"generator": "row", **options})


@pytest.mark.parametrize("name", ["row", "sbn", "sift", "kmeansseg"])
def test_tissue_of_the_published_size_has_the_published_geometry(name):
    try:
        (tissue,) = Request("tissue").arrays("crc_ishil100_224px.npz", images=4)
    except MissingData as missing:
        pytest.skip(str(missing))
    bags = image_bags(name).transform(tissue[:12])
    record = RECORDS[f"crc-mipl-{name}"]
    assert bags.n_features == record.features
    assert bags.sizes.min() >= record.smallest and bags.sizes.max() <= record.largest


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("crc-mipl-row", "CRC-MIPL-Row.mat"),
        ("crc-mipl-sbn", "C-SBN.mat"),
        ("crc-mipl-kmeansseg", "CRC_MIPL_KMeansSeg.mat"),
        ("crc-mipl-sift", "CRC-MIPL-SIFT.mat"),
        ("crc-mipl-r34-16", "C-R34-16.mat"),
        ("crc-mipl-r34-25", "CRC-MIPL-R34-25.mat"),
    ],
)
def test_the_authors_files_are_read_by_their_names(nowhere, name, file):
    y = Candidates([{1, 3}, {2}, {2, 3}], classes=[1, 2, 3])
    rows = Bags(stream(0, "crc").random((9, 4)), [0, 2, 5, 9])
    write_dataset(Dataset(rows, y, [3, 2, 2]), nowhere / file)
    data = load_dataset(name, raw=nowhere)
    assert data.bags.digest() == rows.digest()
    assert [set(s) for s in data.candidates] == [{1, 3}, {2}, {2, 3}]
    assert data.labels.tolist() == [3, 2, 2] and data.name == name
    assert (load_dataset(name, 0, raw=nowhere).candidates.sizes == 1).all()
    with pytest.raises(MiplError, match="labels of its own"):
        load_dataset(name, 2, raw=nowhere)


def test_fetched_files_are_found(nowhere, monkeypatch):
    folder = nowhere / "data" / "published" / "crc-mipl-sbn" / "CRC-MIPL-SBN"
    folder.mkdir(parents=True)
    data = Dataset([[[1.0]], [[2.0]]], [{1, 2}, {2}], [1, 2])
    write_dataset(data, folder / "CRC-MIPL-SBN.mat")
    monkeypatch.setenv("MIPL_DATA", str(nowhere / "data"))
    assert load_dataset("crc-mipl-sbn").labels.tolist() == [1, 2]
