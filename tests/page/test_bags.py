"""Which bags are shown, and how their instances become pictures."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mipl import Bags, Dataset
from mipl.errors import MiplError
from mipl.page.bag_filter import BagFilter, chosen_bags, in_columns_of, neighbours
from mipl.page.data_charts import data_figures
from mipl.page.instance_pictures import (
    ACROSS,
    PER_SHEET,
    TILE,
    sheet,
    sheets_of,
    thumbnail,
)
from mipl.page.original import crops, original, original_path
from mipl.page.png import grey, png
from mipl.page.workspace import Workspace


def opened(data: bytes) -> np.ndarray:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    return np.asarray(picture)


@pytest.fixture
def data() -> Dataset:
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 30, 200)
    names = np.array(["oak", "elm", "ash", "fir"])
    sets = [set(rng.choice(names, rng.integers(1, 4), replace=False)) for _ in sizes]
    bags = Bags(
        [rng.normal(size=(n, 2)) for n in sizes],
        bag_ids=[f"Tree-{i:03d}" for i in range(200)],
    )
    return Dataset(bags, sets)


def test_filters_are_what_their_words_say(data: Dataset) -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.full(4, 0.2), 200)
    sizes, sets = data.bags.sizes, [set(one) for one in data.candidates]
    classes = data.classes.tolist()
    naive = {
        "unresolved": [i for i in range(200) if len(sets[i]) > 1],
        "large": [i for i in range(200) if sizes[i] >= np.quantile(sizes, 0.9)],
        "disagrees": [i for i in range(200) if classes[p[i].argmax()] not in sets[i]],
        "unsure": [],
    }
    for i in range(200):
        inside = [p[i, c] for c in range(4) if classes[c] in sets[i]]
        if max(inside) < 0.9 * sum(inside):
            naive["unsure"].append(i)
    for kind, expected in naive.items():
        found = chosen_bags(data, BagFilter(kind=kind), p).tolist()
        assert found == expected and 0 < len(found) < 200, kind
    of_oak = chosen_bags(data, BagFilter(label="oak")).tolist()
    assert of_oak == [i for i in range(200) if "oak" in sets[i]]
    assert chosen_bags(data, BagFilter(find="tREE-01")).tolist() == list(range(10, 20))
    both = chosen_bags(data, BagFilter(find="tree-01", label="oak")).tolist()
    assert both == [i for i in range(10, 20) if "oak" in sets[i]]
    assert chosen_bags(data, BagFilter(kind="disagrees")).tolist() == []
    assert chosen_bags(data, BagFilter(label="<x>")).tolist() == []


def test_what_a_model_says_stands_in_the_columns_of_the_data(data: Dataset) -> None:
    classes = np.array(["fir", "elm", "yew"])
    p = np.array([[0.2, 0.3, 0.5]] * 200)
    found = in_columns_of(data, p, classes)
    by_name = dict(zip(data.classes.tolist(), found[0].tolist(), strict=True))
    assert by_name == {"ash": 0.0, "elm": 0.3, "fir": 0.2, "oak": 0.0}


@pytest.mark.parametrize("bag", range(12))
def test_neighbours_are_those_of_the_list(bag: int) -> None:
    numbers = np.array([2, 5, 9])
    before = max((n for n in (2, 5, 9) if n < bag), default=None)
    behind = min((n for n in (2, 5, 9) if n > bag), default=None)
    assert neighbours(numbers, bag) == (before, behind)


def test_charts_count_what_is_there(data: Dataset) -> None:
    figures = data_figures(data)
    sets = [set(one) for one in data.candidates]
    names = figures.together_names
    for i, first in enumerate(names):
        for j, second in enumerate(names):
            n = sum(first in one and second in one for one in sets)
            assert figures.together[i][j] == (0 if i == j else n)
    shares = {n: sum(1 / len(one) for one in sets if n in one) for n in names}
    assert figures.balance[1] == pytest.approx([shares[n] for n in names], abs=0.01)
    assert sum(figures.sizes[1]) == sum(figures.candidate_sizes[1]) == 200


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_png_files_hold_the_pixels(channels: int) -> None:
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (5, 7, channels), dtype=np.uint8)
    assert (opened(png(pixels)).reshape(pixels.shape) == pixels).all()
    assert grey(np.full((2, 2), 3.0)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("shape", [(1, 8, 8), (8, 8), (8, 8, 3), (3, 8, 8)])
def test_a_sheet_has_each_instance_in_its_place(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    n = PER_SHEET + 23
    rows = rng.random((n, int(np.prod(shape)))).astype(np.float32)
    bags = Bags([rows], instance_shape=shape)
    assert sheets_of(n) == 2
    for number, count in ((0, PER_SHEET), (1, 23)):
        found = opened(sheet(bags, 0, number))
        assert found.shape[:2] == (TILE * -(-count // ACROSS), TILE * ACROSS)
        part = rows[number * PER_SHEET : number * PER_SHEET + count]
        low, high = part.min(), part.max()
        for place in (0, 11, count - 1):
            y, x = divmod(place, ACROSS)
            tile = found[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
            middle = part[place].reshape(shape)
            if len(shape) == 3 and shape[0] in (1, 3):
                middle = middle.transpose(1, 2, 0)
            factor = (TILE - 4) // 8
            edge = (TILE - 8 * factor) // 2
            expected = ((middle - low) * (255 / (high - low))).astype(int)
            seen = tile[edge::factor, edge::factor][:8, :8]
            assert np.abs(seen.astype(int) - expected.reshape(seen.shape)).max() <= 1
    with pytest.raises(MiplError, match="2 sheets"):
        sheet(bags, 0, 2)
    with pytest.raises(MiplError, match="1 bags"):
        sheet(bags, 1, 0)


def test_bags_without_pictures_have_a_thumbnail_of_their_numbers(data: Dataset) -> None:
    assert opened(thumbnail(data.bags, 3)).shape == (min(64, data.bags.sizes[3]), 2)
    with pytest.raises(MiplError, match="no pictures"):
        sheet(data.bags, 3, 0)


def test_originals_come_from_the_workspace_only(tmp_path: Path) -> None:
    work = Workspace(tmp_path / "work")
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)
    for folder in (tmp_path, work.folder):
        Image.fromarray(pixels).save(folder / "a.png")
    (work.folder / "secret.txt").write_text("the decoy")
    (work.folder / "link.png").symlink_to(tmp_path / "a.png")
    uris = [work.folder / "a.png", tmp_path / "a.png", work.folder / "secret.txt"]
    uris += [work.folder / "link.png", work.folder / "../a.png", "a\0b.png", "~/a.png"]
    boxes = [[0.0, 0.0, 10.0, 10.0], [30.0, 20.0, 50.0, 40.0]]
    bags = Bags(
        [np.zeros((2, 3))] * len(uris),
        coords=boxes * len(uris),
        uris=[str(uri).replace("\0", "\x07") for uri in uris],
    )
    found = [original_path(work, bags, i) for i in range(len(uris))]
    assert found == [work.folder / "a.png"] + [None] * (len(uris) - 1)
    assert (opened(original(found[0])) == pixels).all()
    cut = opened(crops(found[0], bags, 0, 0))
    factor = (TILE - 2) // 20
    edge = (TILE - 20 * factor) // 2
    second = cut[edge : TILE - edge : factor, TILE + edge : 2 * TILE - edge : factor]
    assert (second[:20, :20] == pixels[20:40, 30:50]).all()
