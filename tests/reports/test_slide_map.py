"""Maps over slides and tracks along recordings."""

import json
import sys
import time
import types

import numpy as np
import pytest
from matplotlib.contour import ContourSet
from PIL import Image

from mipl import Bags, MiplError
from mipl.images.slides import Slide
from mipl.reports.geojson import geojson
from mipl.reports.plots import save
from mipl.reports.slide_map import Backdrop, draw_map, draw_track
from mipl.reports.tile_raster import TileRaster
from mipl.runs.explanation import Explanation
from mipl.runs.instance_places import places_of
from mipl.seeds import stream

CLASSES = np.array(["stroma", "tumour"])


def explained(coords, facts=None, uris=None) -> Explanation:
    n = len(coords)
    attention = stream(0, "map").dirichlet(np.ones(n))
    scores = stream(1, "map").uniform(size=(n, 2))
    bag = Bags(np.zeros((n, 1)), [0, n], coords=coords, bag_ids=["s1"], uris=uris)
    return Explanation(
        name="s1",
        bag=bag,
        classes=CLASSES,
        p=np.array([0.25, 0.75]),
        candidates=np.array([True, True]),
        weights=np.array([0.25, 0.75]),
        margin=0.5,
        label=None,
        attention=attention,
        rank=np.argsort(np.argsort(attention)) / max(n - 1, 1),
        class_scores=scores,
        facts=facts or {},
    )


def grid(across: int, down: int, side: int = 256) -> np.ndarray:
    x, y = np.meshgrid(np.arange(across) * side, np.arange(down) * side)
    return np.stack([x.ravel(), y.ravel()], axis=1)


def heat_of(figure, panel: int) -> np.ndarray:
    axes = [axis for axis in figure.axes if axis.images]
    return np.asarray(axes[panel].images[-1].get_array().filled(np.nan))


def test_cells_hold_the_mean_of_the_tiles_on_them() -> None:
    rng = stream(0, "raster")
    corners = rng.integers(0, 12, (40, 2)).astype(float)
    boxes = np.concatenate([corners, corners + rng.integers(1, 4, (40, 2))], axis=1)
    weight = rng.normal(size=40)
    raster = TileRaster.of(boxes)
    left, right, bottom, top = raster.extent
    cell = (right - left) / raster.shape[1]
    expected = np.full(raster.shape, np.nan)
    for i in range(raster.shape[0]):
        for j in range(raster.shape[1]):
            y0, x0 = top + i * cell, left + j * cell
            on = [
                w
                for (a, b, c, d), w in zip(boxes, weight, strict=True)
                if a < x0 + cell - 1e-6
                and c > x0 + 1e-6
                and b < y0 + cell - 1e-6
                and d > y0 + 1e-6
            ]
            if on:
                expected[i, j] = np.mean(on)
    np.testing.assert_allclose(raster.mean(weight), expected, atol=1e-9)
    assert bottom > top


def test_the_map_shows_rank_and_score_where_the_tiles_lie() -> None:
    corners = grid(8, 5)[[0, 1, 2, 7, 9, 17, 39]] + [1000, 3000]
    told = explained(corners)
    figure = draw_map(told, places_of(told.bag, {}))
    for panel, values in ((0, told.rank), (1, told.scores)):
        heat = heat_of(figure, panel)
        assert heat.shape == (5, 8) and np.isfinite(heat).sum() == 7
        cells = (corners - corners.min(axis=0)) // 256
        for (x, y), value in zip(cells, values, strict=True):
            assert heat[y, x] == pytest.approx(value)
    axis = figure.axes[0]
    assert any(isinstance(part, ContourSet) for part in axis.collections)  # outline
    assert [t.get_text() for t in axis.texts] == [*"123456", "500 px"]
    box = axis.lines[0].get_xydata()  # Round the tile with the most attention.
    assert box.min(axis=0).tolist() == corners[told.order()[0]].tolist()


def test_a_thumbnail_lies_below_and_the_bar_is_in_microns() -> None:
    told = explained(grid(8, 5))
    picture = np.full((20, 32, 3), 200, np.uint8)
    figure = draw_map(
        told, places_of(told.bag, {}), Backdrop(picture, (2560, 1600), 0.5)
    )
    below = figure.axes[0].images[0]
    assert below.get_extent() == [0, 2560, 1600, 0]
    assert [t.get_text() for t in figure.axes[0].texts][-1] == "200 µm"
    bar = figure.axes[0].lines[-1].get_xdata()
    assert bar[1] - bar[0] == pytest.approx(200 / 0.5)


@pytest.mark.parametrize(("across", "down"), [(8, 5), (90, 70), (5, 40)])
def test_the_length_stands_clear_of_its_bar(across, down) -> None:
    told = explained(grid(across, down))
    figure = draw_map(told, places_of(told.bag, {}))
    figure.canvas.draw()
    for axis in [axis for axis in figure.axes if axis.images][:2]:
        told = axis.texts[-1]
        point = figure.dpi / 72
        ground = told.get_window_extent().y0 - 0.2 * told.get_fontsize() * point
        bar = axis.lines[-2]  # The wider of the two, which is white.
        end = axis.transData.transform(bar.get_xydata())[:, 1].max()
        assert ground > end + bar.get_linewidth() / 2 * point


def test_microns_stay_microns_and_meet_pixels_of_a_slide() -> None:
    told = explained(grid(8, 5) / 2.0, {"unit": "um"})
    places = places_of(told.bag, told.facts)
    figure = draw_map(told, places)
    assert [t.get_text() for t in figure.axes[0].texts][-1] == "200 µm"
    picture = np.full((20, 32, 3), 200, np.uint8)
    lying = Backdrop(picture, (2048, 1280), 0.5)
    figure = draw_map(told, places, lying)
    assert figure.axes[0].images[-1].get_extent() == [0, 2048, 1280, 0]
    with pytest.raises(MiplError, match="give the microns per pixel"):
        draw_map(told, places, Backdrop(picture, (2048, 1280)))


@pytest.mark.parametrize(
    ("picture", "size", "says"),
    [
        ((20, 32), (1024, 640), "tiles up to 2,048, 1,280, and the slide is 1,024 x"),
        ((32, 32), (2048, 1280), "32 x 32, has other proportions than the slide, 2,0"),
        ((1280, 2048), (1280, 2048), "tiles up to 2,048, 1,280"),
    ],
)
def test_a_picture_of_another_slide_is_refused(picture, size, says) -> None:
    told = explained(grid(8, 5))
    places = places_of(told.bag, {})
    with pytest.raises(MiplError, match=says):
        draw_map(told, places, Backdrop(np.full((*picture, 3), 9, np.uint8), size))
    # Sides are rounded, and the last tiles of a slide may reach beyond it.
    draw_map(told, places, Backdrop(np.full((19, 31, 3), 9, np.uint8), (2000, 1240)))


class FakeSlide:
    """What tiffslide and OpenSlide have in common, over a picture in memory."""

    dimensions = (2048, 1280)
    level_downsamples = (1.0, 4.0)

    def __init__(self, path: str) -> None:
        if path.endswith("bad.svs"):
            raise ValueError("not a slide")
        shade = np.add.outer(np.arange(1280), np.arange(2048)) % 256
        self.pixels = np.repeat(shade[..., None], 4, axis=2).astype(np.uint8)
        self.properties = {"openslide.mpp-x": "0.25"}

    def close(self) -> None:
        self.pixels = None

    def get_thumbnail(self, size):
        image = Image.fromarray(self.pixels)
        image.thumbnail(size)
        return image

    def get_best_level_for_downsample(self, by):
        return 1 if by >= 4 else 0

    def read_region(self, corner, level, size):
        by = int(self.level_downsamples[level])
        (x, y), (w, h) = corner, size
        part = self.pixels[y : y + h * by : by, x : x + w * by : by]
        return Image.fromarray(part)


@pytest.mark.parametrize("name", ["tiffslide", "openslide"])
def test_tiles_of_the_slide_stand_beside_the_map(monkeypatch, tmp_path, name) -> None:
    for other in ("tiffslide", "openslide"):
        monkeypatch.setitem(sys.modules, other, None)
    module = types.ModuleType(name)
    kind = {"tiffslide": "TiffSlide", "openslide": "OpenSlide"}[name]
    setattr(module, kind, FakeSlide)
    monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "a.svs").write_bytes(b"")
    slide = Slide(tmp_path / "a.svs")
    assert slide.size == (2048, 1280) and slide.mpp == 0.25
    told = explained(grid(8, 5))
    figure = draw_map(told, places_of(told.bag, {}), Backdrop.of_slide(slide))
    x, y = grid(8, 5)[told.order()[0]]
    tile = figure.axes[-1 - 5].images[0].get_array()
    expected = (
        np.add.outer(np.arange(y, y + 256), np.arange(x, x + 256)) % 256
    ).astype(np.uint8)
    np.testing.assert_array_equal(tile[..., 0], expected)
    (tmp_path / "bad.svs").write_bytes(b"")
    with pytest.raises(MiplError, match=r"bad\.svs cannot be opened as a slide"):
        Slide(tmp_path / "bad.svs")


def test_a_pyramidal_tiff_is_read_by_tiffslide_itself(tmp_path) -> None:
    pytest.importorskip("tiffslide")
    tifffile = pytest.importorskip("tifffile")
    x, y = np.meshgrid(np.arange(2048), np.arange(1280))
    full = np.stack([x // 8, y // 5, (x + y) % 256], axis=2).astype(np.uint8)
    path = tmp_path / "a.tif"
    how = {"photometric": "rgb", "tile": (256, 256), "metadata": None}
    per_cm = (1e4 / 0.5,) * 2  # Half a micron per pixel.
    with tifffile.TiffWriter(path) as file:
        file.write(full, resolution=per_cm, resolutionunit="CENTIMETER", **how)
        file.write(full[::4, ::4], subfiletype=1, **how)
    slide = Slide(path)
    assert slide.size == (2048, 1280)
    assert slide.mpp == pytest.approx(0.5, rel=1e-3)
    assert slide.thumbnail(512).shape == (320, 512, 3)
    tile = slide.region((256.0, 512.0, 512.0, 768.0), 256)
    np.testing.assert_array_equal(tile, full[512:768, 256:512])
    small = slide.region((0.0, 0.0, 1024.0, 1024.0), 256)  # Of the smaller level.
    np.testing.assert_array_equal(small, full[:1024:4, :1024:4])


def test_without_a_reader_of_slides_there_is_a_way_out(monkeypatch, tmp_path) -> None:
    for name in ("tiffslide", "openslide"):
        monkeypatch.setitem(sys.modules, name, None)
    (tmp_path / "a.svs").write_bytes(b"")
    with pytest.raises(MiplError, match=r"tiffslide or OpenSlide.*--thumbnail"):
        Slide(tmp_path / "a.svs")


def test_times_are_a_track() -> None:
    start = np.arange(40.0)[::-1] * 2
    told = explained(np.stack([start, start + 2], axis=1), {"coords": ["start", "end"]})
    figure = draw_track(told, places_of(told.bag, told.facts))
    shape = figure.axes[0].patches[0].get_xy()
    assert shape[:, 0].min() == 0 and shape[:, 0].max() == 80
    heights = shape[(shape[:, 0] == 2.0) & (shape[:, 1] > 0), 1]
    assert sorted(heights) == sorted(told.attention[[38, 39]])
    rows = np.asarray(figure.axes[1].images[0].get_array())
    assert rows[:, 0].tolist() == told.class_scores[39].tolist()
    assert figure.axes[1].get_xlabel() == "seconds"


def test_geojson_has_the_form_that_qupath_documents() -> None:
    told = explained(grid(4, 3))
    text = geojson(told, places_of(told.bag, {}))
    read = json.loads(text)
    assert read["type"] == "FeatureCollection" and len(read["features"]) == 12
    for place, one in enumerate(read["features"]):
        i = told.order()[place]
        x, y = grid(4, 3)[i].tolist()
        assert one["type"] == "Feature" and one["geometry"]["type"] == "Polygon"
        (ring,) = one["geometry"]["coordinates"]
        assert ring[0] == ring[-1] == [x, y] and len(ring) == 5
        assert ring[2] == [x + 256, y + 256]
        about = one["properties"]
        assert about["objectType"] == "detection"
        assert set(about["classification"]) == {"name", "color"}
        colour = about["classification"]["color"]
        assert all(isinstance(part, int) and 0 <= part <= 255 for part in colour)
        measured = about["measurements"]
        assert measured["attention"] == pytest.approx(told.attention[i], abs=1e-8)
        score = pytest.approx(told.class_scores[i, 1], abs=1e-8)
        assert measured["score tumour"] == score
    kinds = [one["properties"]["classification"]["name"] for one in read["features"]]
    assert kinds == [f"attention {n}" for n in (4, 3, 2, 1) for _ in range(3)]


def test_geojson_is_in_pixels_of_the_slide() -> None:
    told = explained(grid(4, 3) / 2.0, {"unit": "um"})
    places = places_of(told.bag, told.facts)
    with pytest.raises(MiplError, match="give the microns per pixel"):
        geojson(told, places)
    read = json.loads(geojson(told, places, top=2, mpp=0.5))
    assert len(read["features"]) == 2
    x, y = grid(4, 3)[told.order()[0]].tolist()
    assert read["features"][0]["geometry"]["coordinates"][0][0] == [x, y]


def test_classes_with_quotes_stay_json() -> None:
    told = explained(grid(2, 2))
    object.__setattr__(told, "classes", np.array(['the "big" one', "é\\"]))
    measured = json.loads(geojson(told, places_of(told.bag, {})))["features"][0]
    assert 'score the "big" one' in measured["properties"]["measurements"]


def test_a_slide_of_200_000_tiles_takes_seconds(tmp_path) -> None:
    told = explained(grid(500, 400))
    start = time.perf_counter()
    places = places_of(told.bag, {})
    save(draw_map(told, places), tmp_path / "map.png")
    text = geojson(told, places)
    assert time.perf_counter() - start < 60  # Some seconds, on a machine that is idle.
    assert text.count('"Feature"') == 200_000


@pytest.mark.parametrize(
    ("coords", "uris", "says"),
    [
        (None, None, "no coordinates to draw a map by"),
        (np.zeros((4, 3)), None, "coordinates of 3 columns"),
        (np.zeros((4, 2)), ["a.h5|b.h5"], "joins several slides"),
    ],
)
def test_what_cannot_be_placed_is_told(coords, uris, says) -> None:
    bag = Bags(np.zeros((4, 1)), [0, 4], coords=coords, uris=uris)
    with pytest.raises(MiplError, match=says):
        places_of(bag, {})
