"""Names of features, and who extracted them, go with the data and are compared."""

import pickle

import numpy as np
import pandas as pd
import pytest

from mipl import Bags, Dataset, MiplError, read_bags, read_dataset, write_dataset
from mipl.data.features import Features

NAMES = ("height", "width")
FRAMES = [pd.DataFrame(np.ones((n, 2)) * n, columns=list(NAMES)) for n in (1, 2, 3)]


def test_names_of_frames_and_lists_of_frames() -> None:
    assert Bags(FRAMES).features == Features(NAMES)
    assert Bags(FRAMES[2]).features == Features(NAMES)
    assert Bags([frame.to_numpy() for frame in FRAMES]).features is None
    numbered = [frame.set_axis([0, 1], axis=1) for frame in FRAMES]
    assert Bags(numbered).features is None


def test_a_frame_in_another_order_is_told() -> None:
    with pytest.raises(
        MiplError, match=r"columns of bag 2 are unlike bag 0: .*another"
    ):
        Bags([*FRAMES[:2], FRAMES[2][["width", "height"]]])


def test_names_stay_with_parts_and_copies() -> None:
    bags = Bags(FRAMES)
    for one in (bags[1:], bags[[2, 0]], Bags(bags), pickle.loads(pickle.dumps(bags))):
        assert one.features == Features(NAMES)
    assert bags.with_instances(np.zeros((6, 2))).features is None


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], "ab", [1, 2]])
def test_wrong_names_are_refused(names) -> None:
    with pytest.raises(MiplError, match="names"):
        Bags(np.ones((3, 2)), features=names)


@pytest.mark.parametrize("name", ["a.bags.h5", "a.npz", "a.csv", "a.parquet", "a"])
@pytest.mark.parametrize(
    "features", [Features(NAMES), Features(None, "uni_v1", 20), None]
)
def test_every_format_keeps_them(tmp_path, name, features) -> None:
    bags = Bags([np.ones((2, 2)), np.zeros((1, 2))], features=features)
    write_dataset(Dataset(bags, ["a", "b"]), tmp_path / name)
    assert read_dataset(tmp_path / name).bags.features == features
    assert read_bags(tmp_path / name).features == features


def test_a_table_of_ones_own_has_names(tmp_path) -> None:
    (tmp_path / "t.csv").write_text("bag_id,height,width,label\np,1,2,a\nq,3,4,b\n")
    assert read_dataset(tmp_path / "t.csv").bags.features == Features(NAMES)
    assert read_bags(tmp_path / "t.csv").features == Features(NAMES)
    told = read_bags(tmp_path / "t.csv", features=["width", "height"])
    assert told.features == Features(NAMES[::-1])
    assert told.instances.tolist() == [[2, 1], [4, 3]]


def test_facts_of_any_file_are_taken_with_care() -> None:
    for facts in ({"features": 3}, {"features": ["a"]}, {"features": [1, 2]}, {}):
        assert Features.of_facts(facts, 2) is None
    assert Features.of_facts({"extractor": 3, "magnification": "x"}, 2) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (Features(("width", "height")), "another order, 'width' where 'height' was"),
        (
            Features(("height", "depth")),
            "unseen at fit time: depth; now missing: width",
        ),
        (Features((*NAMES, "depth")), "unseen at fit time: depth"),
        (Features(("height", "height")), "now missing: width"),
    ],
)
def test_the_difference_is_a_sentence(given, says) -> None:
    told = Features(NAMES).difference(given)
    assert told is not None and says in told
    assert told.startswith("The feature names should match those that were passed")


def test_extractors_and_magnifications_are_compared_where_both_are_known() -> None:
    learnt = Features(None, "uni_v1", 20)
    assert learnt.difference(Features(None, "uni_v1")) is None
    assert "extractor" in str(learnt.difference(Features(None, "ctranspath", 20)))
    assert "20; it is 10" in str(learnt.difference(Features(None, "uni_v1", 10.0)))
