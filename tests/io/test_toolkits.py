"""Folders of toolkits, read as they are: CLAM, TRIDENT, STAMP, torchmil."""

from pathlib import Path

import numpy as np
import pytest
from tests.io import toolkits
from tests.io.toolkits import CLASSES, SLIDES, h5, table, tiles

from mipl import MiplError, read_bags, read_dataset


def check(data, classes=CLASSES):
    """The slides are those that were made, in their order."""
    assert data.bags.bag_ids.tolist() == list(SLIDES)
    assert data.labels.tolist() == [classes[i % 3] for i in range(len(SLIDES))]
    for i, bag in enumerate(data.bags):
        np.testing.assert_array_equal(bag, tiles(i)[0])


def test_clam(tmp_path: Path) -> None:
    labels = toolkits.clam(tmp_path)
    data = read_dataset(tmp_path / "features", labels=labels)
    check(data)
    assert data.groups.tolist() == [f"case_{i // 2}" for i in range(12)]
    np.testing.assert_array_equal(data.bags[3:4].coords, tiles(3)[1])


def test_files_of_clam_that_are_pickles_are_refused_with_a_way_out(tmp_path) -> None:
    labels = toolkits.clam(tmp_path)
    for file in (tmp_path / "features" / "h5_files").iterdir():
        file.unlink()
    for place in ("features", "features/pt_files"):
        with pytest.raises(
            MiplError, match=r"pickled tensors \(\.pt\).*CLAM's h5_file"
        ):
            read_dataset(tmp_path / place, labels=labels)
        with pytest.raises(MiplError, match="pickled tensors"):
            read_bags(tmp_path / place)


@pytest.mark.parametrize("place", ["", "20x_256px_0px_overlap/features_uni_v1"])
def test_trident(tmp_path: Path, place: str) -> None:
    labels = toolkits.trident(tmp_path)
    data = read_dataset(tmp_path / "out" / place, labels=labels)
    assert data.bags.bag_ids.tolist() == [f"{name}.svs" for name in SLIDES]
    assert data.labels[4] == CLASSES[1]
    corners = tiles(4)[1]  # Boxes in pixels of the slide at full size.
    boxes = np.concatenate([corners, corners + 512], axis=1)
    np.testing.assert_array_equal(data.bags[4:5].coords, boxes)
    assert data.facts["extractor"] == "uni_v1" and data.facts["magnification"] == 20
    assert data.facts["slide_sizes"]["slide_04.svs"] == [4096, 6144]


def test_two_encoders_of_trident_are_told_apart(tmp_path: Path) -> None:
    labels = toolkits.trident(tmp_path)
    job = tmp_path / "out" / "20x_256px_0px_overlap"
    h5(job / "features_conch_v1" / "slide_00.h5", {"features": np.ones((2, 3))})
    names = "features_conch_v1, 20x_256px_0px_overlap/features_uni_v1; give one of"
    with pytest.raises(MiplError, match=names):
        read_dataset(tmp_path / "out", labels=labels)


def test_features_of_two_extractors_are_refused(tmp_path: Path) -> None:
    for name, extractor in (("a", "uni"), ("b", "conch")):
        arrays = {"feats": np.ones((2, 3))}
        h5(tmp_path / f"{name}.h5", arrays, {"extractor": extractor})
    table(tmp_path / "labels.csv", "bag_id,label", ["a,x", "b,y"])
    with pytest.raises(MiplError, match=r"b\.h5 has extractor 'conch', .*a\.h5 'uni'"):
        read_dataset(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_stamp_joins_the_slides_of_a_patient(tmp_path: Path, suffix: str) -> None:
    clini, slides = toolkits.stamp(tmp_path)
    if suffix == "xlsx":
        clini = toolkits.as_xlsx(clini)
    folder = tmp_path / "ctranspath-7c9986"
    data = read_dataset(folder, labels=clini, slides=slides, label="GRADE")
    assert data.bags.bag_ids.tolist() == [f"P{i}" for i in range(6)]
    assert data.labels.tolist() == [CLASSES[i % 3] for i in range(6)]
    joined = np.concatenate([tiles(4)[0], tiles(5)[0]])
    np.testing.assert_array_equal(data.bags.bag(2), joined)
    assert data.bags[0].coords[0].tolist() == [512, 512, 768, 768]  # microns
    assert data.facts["unit"] == "um" and data.facts["extractor"] == "ctranspath"


def test_slides_of_stamp_as_bags_of_their_own(tmp_path: Path) -> None:
    clini, slides = toolkits.stamp(tmp_path)
    data = read_dataset(
        tmp_path / "ctranspath-7c9986",
        labels=clini,
        slides=slides,
        label="GRADE",
        bag_id="FILENAME",
    )
    assert data.bags.bag_ids.tolist() == [f"{name}.h5" for name in SLIDES]
    assert data.groups.tolist() == [f"P{i // 2}" for i in range(12)]
    assert data.labels[5] == CLASSES[2]


def test_patients_and_slides_without_each_other(tmp_path: Path) -> None:
    clini, slides = toolkits.stamp(tmp_path)
    clini.write_text(clini.read_text() + "P77,60,grade1\n")
    slides.write_text(slides.read_text() + "P88,slide_00.h5\nP0,slide_99.h5\n")
    options = {"labels": clini, "slides": slides, "label": "GRADE"}
    folder = tmp_path / "ctranspath-7c9986"
    with pytest.raises(MiplError) as told:
        read_dataset(folder, **options)
    for part in (
        "3 of 8 bags",
        "'P77' has no slide",
        "'P88' has no row",
        "slide_99.h5",
    ):
        assert part in str(told.value)
    with pytest.warns(UserWarning, match="3 of 8 bags .* left out"):
        data = read_dataset(folder, on_bad="skip", **options)
    assert data.bags.bag_ids.tolist() == [f"P{i}" for i in range(1, 6)]
    assert sorted(data.facts["left_out"]) == ["P0", "P77", "P88"]


def test_torchmil(tmp_path: Path) -> None:
    data = read_dataset(toolkits.torchmil(tmp_path))
    check(data, (0, 1, 2))
    np.testing.assert_array_equal(data.bags[5:6].coords, tiles(5)[1] // 512)
    inside = data.bags[5:6].instance_labels
    assert inside.tolist() == [int(j % 3 == 2) for j in range(10)]
