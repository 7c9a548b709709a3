"""Attention drawn over the picture that a bag was made of."""

import numpy as np
import pytest
from PIL import Image

from mipl import MIPLMA, Bags, Dataset, MiplError, Training
from mipl.experiments.explanation import explain
from mipl.images import SIFT, KMeansSeg, Row
from mipl.reports.overlay import draw_overlay, heat_map
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
    heat = heat_map(boxes, np.array([1.0, 3.0]), (3, 7))
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
    figure = draw_overlay(told, {"kind": "KMeansSeg", "block": 4, "wavelet": "haar"})
    heat = figure.axes[1].images[1].get_array()
    corner = (picture[:, :, 0] == 150).astype(int)
    np.testing.assert_allclose(heat, told.attention[corner])
    with pytest.raises(MiplError, match=r"a\.png has 60 x 40 pixels, too few"):
        draw_overlay(told, {"kind": "KMeansSeg", "block": 50})


def test_the_two_pictures_are_of_one_size_and_stand_side_by_side(told):
    figure = draw_overlay(told())
    figure.draw_without_rendering()
    plain, covered = (axis.get_position() for axis in figure.axes[:2])
    assert (plain.y0, plain.y1) == pytest.approx((covered.y0, covered.y1))
    assert plain.width == pytest.approx(covered.width) and plain.x1 < covered.x0


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
