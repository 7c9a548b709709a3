"""The image recipe on tiny idx files, good and damaged; needs no raw files."""

import gzip
import struct
from dataclasses import replace

import numpy as np
import pytest

from mipl.datasets.idx import read_idx
from mipl.datasets.mnist import RECIPES, build, build_images
from mipl.datasets.published_table import Record
from mipl.datasets.request import Request
from mipl.errors import BadFile, MiplError

IMAGES = "train-images-idx3-ubyte"
LABELS = "train-labels-idx1-ubyte"
# Ten bags of 36 to 38 images: 30 positives, 340 negatives.
SMALL = Record(10, 370, 36, 38, 784, 5)


@pytest.fixture
def raw(tmp_path, write_idx):
    """A folder of 1000 images; the pixels tell the image's number and its class."""
    classes = np.arange(1000) % 10
    images = np.zeros((1000, 28, 28), np.uint8)
    images[:, 0, 0], images[:, 0, 1] = divmod(np.arange(1000), 256)
    images[:, 0, 2] = classes
    for folder, end in (("mnist", ""), ("fashion-mnist", ".gz")):
        write_idx(tmp_path / folder / (IMAGES + end), images)
        write_idx(tmp_path / folder / (LABELS + end), classes)
    return tmp_path


@pytest.mark.parametrize("name", ["mnist-mipl", "fmnist-mipl"])
def test_recipe_on_tiny_files(raw, name):
    recipe = replace(RECIPES[name], record=SMALL)
    data = build_images(recipe, Request(name, 2, 0, raw))
    bags = data.bags
    assert (len(data), bags.n_instances) == (10, 370)
    assert (bags.sizes.min(), bags.sizes.max()) == (36, 38)
    assert (data.candidates.sizes == 3).all()
    pixels = np.rint(bags.instances * 255).astype(int)
    number = 256 * pixels[:, 0] + pixels[:, 1]
    assert len(np.unique(number)) == 370
    # The class painted into the picture is the one the labels tell.
    names = np.array(recipe.class_names)
    assert np.array_equal(bags.instance_labels, names[pixels[:, 2]])
    positive = bags.instance_labels == data.labels[bags.bag_of_instance]
    assert np.add.reduceat(positive.astype(int), bags.offsets[:-1]).tolist() == [3] * 10
    reserved = set(range(10)) - set(recipe.targets)
    assert set(pixels[~positive, 2].tolist()) == reserved


def test_plain_and_compressed_files_give_the_same(raw):
    recipe = replace(RECIPES["mnist-mipl"], record=SMALL)
    request = Request("mnist-mipl", 1, 5, raw)
    plain = build_images(recipe, request)
    zipped = build_images(replace(recipe, folder="fashion-mnist"), request)
    assert plain.bags.digest() == zipped.bags.digest()


def test_raw_may_be_the_folder_of_the_idx_files_itself(raw):
    recipe = replace(RECIPES["mnist-mipl"], record=SMALL)
    data = [
        build_images(recipe, Request("mnist-mipl", 1, 0, folder))
        for folder in (raw, raw / "mnist", raw / "fashion-mnist")
    ]
    assert len({one.bags.digest() for one in data}) == 1


def test_too_few_images_are_told(raw):
    with pytest.raises(MiplError, match="get the complete files"):
        build(Request("mnist-mipl", 1, 0, raw))


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (np.zeros((5, 28, 28)), np.zeros(4), "4 labels"),
        (np.zeros((5, 28, 27)), np.zeros(5), r"\(5, 28, 27\)"),
        (np.zeros((2, 28, 28)), [3, 10], "holds class 10"),
        (np.zeros((0, 28, 28)), np.zeros(0), "get the complete files"),
    ],
)
def test_images_and_labels_must_fit(tmp_path, write_idx, images, labels, message):
    write_idx(tmp_path / "mnist" / IMAGES, images)
    write_idx(tmp_path / "mnist" / LABELS, labels)
    with pytest.raises(MiplError, match=message):
        build(Request("mnist-mipl", 1, 0, tmp_path))


def header(code, *shape):
    return bytes([0, 0, code, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)


GOOD = header(8, 2, 3) + bytes(range(6))
DAMAGED = {
    "empty": b"",
    "half a header": GOOD[:7],
    "cut off": GOOD[:-1],
    "too long": GOOD + b"\0",
    "foreign": b"GIF89a and so on",
    "floats": header(0x0D, 2, 3) + bytes(24),
    "another number of axes": header(8, 6) + bytes(6),
    "absurd sizes": header(8, 0xFFFFFFFF, 0xFFFFFFFF) + bytes(6),
    "absurd size": header(8, 1 << 29, 1) + bytes(6),
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("what", sorted(DAMAGED))
def test_damaged_idx_files_are_refused(tmp_path, what, zipped):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(DAMAGED[what]) if zipped else DAMAGED[what])
    with pytest.raises(BadFile):
        read_idx(path, 2)


@pytest.mark.parametrize("zipped", [False, True])
def test_good_idx_files_are_read(tmp_path, zipped):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(GOOD) if zipped else GOOD)
    assert read_idx(path, 2).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("cut", [1, 5, 12, 18, -9, -8, -1])
def test_cut_gzip_is_refused(tmp_path, cut):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(GOOD)[:cut])
    with pytest.raises(BadFile):
        read_idx(path, 2)


def test_no_changed_byte_of_a_gzip_goes_unnoticed(tmp_path):
    packed = bytearray(gzip.compress(GOOD, mtime=0))
    path = tmp_path / "x.gz"
    for i in range(len(packed)):
        changed = packed.copy()
        changed[i] ^= 0xFF
        path.write_bytes(changed)
        try:
            # The date and the system's name carry no content.
            assert read_idx(path, 2).tolist() == [[0, 1, 2], [3, 4, 5]]
        except BadFile:
            pass


def test_a_gzip_bomb_takes_no_memory(tmp_path):
    tracemalloc = pytest.importorskip("tracemalloc")
    path = tmp_path / "x.gz"
    with gzip.open(path, "wb", compresslevel=9) as handle:
        handle.write(header(8, 2, 3))
        for _ in range(256):
            handle.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(BadFile, match="holds more"):
            read_idx(path, 2)
        assert tracemalloc.get_traced_memory()[1] < 1 << 21
    finally:
        tracemalloc.stop()


def test_a_header_that_claims_more_than_the_gzip_holds(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(header(8, 1 << 27, 1) + bytes(100)))
    with pytest.raises(BadFile, match="holds only 100"):
        read_idx(path, 2)
