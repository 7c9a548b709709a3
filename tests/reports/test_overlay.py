"""Attention drawn over the picture that a bag was made of."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from mipl import MIPLMA, Bags, Dataset, MiplError, Training
from mipl.images import SIFT, ImageBags, KMeansSeg, Row
from mipl.images.image_bags import PictureBag, boxed
from mipl.reports.overlay import draw_overlay, heat_map
from mipl.runs.explanation import explain
from mipl.seeds import stream


@pytest.fixture
def told(tmp_path):
    """A function: what a small model says of the first of eight pictures."""
    pixels = stream(0, "overlay").integers(0, 256, (8, 32, 48, 3)).astype(np.uint8)
    for i, picture in enumerate(pixels):
        Image.fromarray(picture).save(tmp_path / f"p{i}.png")

    def tell(change=lambda bags: bags, generator=None):
        bags = change((generator or Row()).transform(tmp_path))
        data = Dataset(bags, [{"a", "b"}, {"a"}, {"b"}, {"b"}] * 2)
        model = MIPLMA(training=Training(epochs=1), random_state=0)
        return explain(model.fit(data.bags, data.candidates), data, 0)

    return tell


def test_heat_is_the_mean_of_the_boxes_on_a_pixel():
    boxes = np.array([[0, 0, 4, 2], [2, 1, 6, 3]], float)
    heat = heat_map(boxed(boxes), np.array([1.0, 3.0]), (3, 7))
    for y in range(3):
        for x in range(7):
            on = [
                w
                for (a, b, c, d), w in zip(boxes, (1, 3), strict=True)
                if a <= x < c and b <= y < d
            ]
            expected = np.mean(on) if on else np.nan
            assert heat[y, x] == pytest.approx(expected, nan_ok=True)


def test_the_heat_of_rows_is_their_attention(told):
    one = told()
    figure = draw_overlay(one)
    plain, covered = figure.axes[:2]
    assert plain.images[0].get_array().shape == (32, 48, 3)
    heat = covered.images[1].get_array().filled(np.nan)
    np.testing.assert_allclose(heat, one.attention.repeat(4)[:, None].repeat(48, 1))


def test_what_no_instance_covers_stays_bare(told):
    heat = draw_overlay(told(generator=SIFT())).axes[1].images[1].get_array()
    assert 0 < heat.mask.mean() < 1


def test_the_regions_of_kmeans_seg_are_drawn_as_they_are(tmp_path):
    picture = np.full((40, 60, 3), 250, np.uint8)
    picture[:8, :20] = picture[32:, 40:] = (150, 20, 90)  # One region of two corners.
    for name in ("a", "b"):
        Image.fromarray(picture).save(tmp_path / f"{name}.png")
    bags = KMeansSeg(block=4).transform(tmp_path)
    assert bags.sizes.tolist() == [2, 2]
    data = Dataset(bags, ["x", "y"])
    model = MIPLMA(training=Training(epochs=1), random_state=0)
    told = explain(model.fit(data.bags, data.candidates), data, 0)
    figure = draw_overlay(told, KMeansSeg(block=4))
    heat = figure.axes[1].images[1].get_array()
    corner = (picture[:, :, 0] == 150).astype(int)
    np.testing.assert_allclose(heat, told.attention[corner])
    with pytest.raises(MiplError, match=r"a\.png has 60 x 40 pixels, too few"):
        draw_overlay(told, KMeansSeg(block=50))


class Colours(ImageBags):
    """A user's generator: dark pixels are an instance and light ones another."""

    def instances(self, pixels):
        masks = self.areas(pixels, None)
        rows = [pixels[mask].mean(axis=0) for mask in masks]
        return PictureBag(np.array(rows, np.float32), np.zeros((2, 4), np.float32) + 1)

    def areas(self, pixels, bag):
        dark = pixels.mean(axis=2) < 128
        return [dark, ~dark]


def test_a_generator_of_ones_own_tells_which_pixels_an_instance_has(told):
    one = told(generator=Colours())
    heat = draw_overlay(one, Colours()).axes[1].images[1].get_array().filled(np.nan)
    dark = draw_overlay(one).axes[0].images[0].get_array().mean(axis=2) < 128
    expected = np.where(dark, one.attention[0], one.attention[1])
    np.testing.assert_allclose(heat, expected)


def test_colours_begin_at_0_so_that_like_weights_look_alike(told):
    _, covered, *_ = draw_overlay(told()).axes
    assert covered.images[1].norm.vmin == 0
    below = replace(told(), attention=np.array([-0.5, 1, 0, 0, 0, 0, 0, 0]))
    assert draw_overlay(below).axes[1].images[1].norm.vmin == -0.5


def test_boxes_may_leave_the_picture_but_not_lie_outside(told, tmp_path):
    def moved(x, y):
        return lambda bags: Bags(
            bags.instances,
            bags.offsets,
            uris=bags.uris,
            coords=bags.coords + np.array([x, y, x, y]),
        )

    heat = draw_overlay(told(moved(-8, 3))).axes[1].images[1].get_array()
    assert heat.mask[:3].all() and heat.mask[:, 40:].all()
    assert not heat.mask[3:, :40].any()
    for x, y in ((48, 0), (0, 4), (-48, 0), (0, -4)):
        where = r"p0\.png has 48 x 32 pixels, and instance [07] of bag 0 lies at"
        with pytest.raises(MiplError, match=where):
            draw_overlay(told(moved(x, y)))


def test_the_two_pictures_are_of_one_size_and_stand_side_by_side(told):
    figure = draw_overlay(told())
    figure.draw_without_rendering()
    plain, covered = (axis.get_position() for axis in figure.axes[:2])
    assert (plain.y0, plain.y1) == pytest.approx((covered.y0, covered.y1))
    assert plain.width == pytest.approx(covered.width) and plain.x1 < covered.x0


def test_long_names_have_room_in_the_picture(told, tmp_path):
    one, name = told(), "slide of block 4 of patient 17, stained twice " * 3
    Image.open(tmp_path / "p0.png").save(tmp_path / f"{name}.png")
    bag = Bags(
        one.bag.instances,
        [0, 8],
        coords=one.bag.coords,
        uris=[tmp_path / f"{name}.png"],
    )
    classes = np.array(
        [f"adenocarcinoma epithelium, grade {i}, mucinous" for i in "12"]
    )
    long = replace(one, name=f"bag 0 ('{name}')", bag=bag, classes=classes)
    figure = draw_overlay(long)
    figure.draw_without_rendering()
    covered, bars = figure.axes[1:3]
    titles = figure.findobj(lambda text: "…" in getattr(text, "get_text", str)())
    ends = {t.get_text()[-4:]: t.get_window_extent().x1 for t in titles}
    assert ends[".png"] < covered.get_window_extent().x0
    assert max(ends.values()) < figure.bbox.width
    assert bars.get_position().width > 0.15


def test_bags_without_boxes_or_pictures_are_told(told, tmp_path):
    def only(**beside):
        return lambda bags: Bags(bags.instances, bags.offsets, **beside)

    with pytest.raises(MiplError, match="bag 0 has no boxes"):
        draw_overlay(told(only()))
    boxes = np.zeros((64, 4))
    with pytest.raises(MiplError, match="does not say which picture"):
        draw_overlay(told(only(coords=boxes)))
    gone = [str(tmp_path / "gone.png")] * 8
    with pytest.raises(MiplError, match=r"gone\.png, is not there"):
        draw_overlay(told(only(coords=boxes, uris=gone)))
