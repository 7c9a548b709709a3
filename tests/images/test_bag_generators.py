"""Generators by name, and again from what a data set tells of them."""

import numpy as np
import pytest
from torch import nn

from mipl import MiplError
from mipl.images import DeepPatches, ImageBags, KMeansSeg
from mipl.images.bag_generators import GENERATORS, image_bags, recorded


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_the_generator_of_a_data_set_is_rebuilt_for_its_areas(name, photos):
    made = image_bags(name)
    if name == "deep":
        made = DeepPatches(nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten()), size=8)
    facts = {"generator": {"kind": type(made).__name__, **made.settings()}}
    again = recorded(facts)
    assert type(again) is type(made)
    pixels = photos[0]
    (bag,) = made.chunk([pixels])
    areas = zip(made.areas(pixels, bag), again.areas(pixels, bag), strict=True)
    marks = np.zeros((2, len(bag.boxes), *pixels.shape[:2]), bool)
    for i, pair in enumerate(areas):
        for mark, area in zip(marks[:, i], pair, strict=True):
            mark[area] = True
    assert marks[0].any(axis=(1, 2)).all()
    np.testing.assert_array_equal(*marks)


def test_settings_of_regions_are_kept_and_checked(photos):
    made = recorded({"generator": {"kind": "KMeansSeg", "block": 8}})
    assert made.get_params()["block"] == 8
    wrong = recorded({"generator": {"kind": "KMeansSeg", "block": "x"}})
    with pytest.raises(
        MiplError, match="block of KMeansSeg must be None or an integer"
    ):
        wrong.areas(photos[0], KMeansSeg().instances(photos[0]))


@pytest.mark.parametrize(
    "facts", [{}, {"generator": "by hand"}, {"generator": {"kind": "Mine", "a": 1}}]
)
def test_of_an_unknown_generator_boxes_are_known(facts):
    assert type(recorded(facts)) is ImageBags
