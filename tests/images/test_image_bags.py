"""Arrays, files and folders in; bags with names, addresses and boxes out."""

import sys
import warnings

import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mipl import MiplError
from mipl.errors import MissingExtra
from mipl.images import SIFT, ImageBags, KMeansSeg, Patches
from mipl.images.image_bags import PictureBag


class Corners(ImageBags):
    """Counts the pictures it computes; refuses those of one height."""

    computed = 0

    def __init__(self, refused=None, *, n_jobs=None, on_error="raise"):
        super().__init__(n_jobs=n_jobs, on_error=on_error)
        self.refused = refused

    def instances(self, pixels):
        Corners.computed += 1
        if len(pixels) == self.refused:
            raise MiplError(f"has {self.refused} rows, which are refused.")
        corners = pixels[[0, -1], [0, -1]].astype(np.float32)
        return PictureBag(corners, np.zeros((2, 4), np.float32))


@pytest.fixture(autouse=True)
def _from_zero():
    Corners.computed = 0


def test_a_folder_gives_names_addresses_and_the_bags_of_its_arrays(folder, photos):
    bags = Patches(grid=2).transform(folder)
    assert bags.bag_ids.tolist() == ["more/p4", "more/p5", "p0", "p1", "p2", "p3"]
    assert bags.uris[2] == str(folder / "p0.png")
    order = [4, 5, 0, 1, 2, 3]
    of_arrays = Patches(grid=2).transform(photos[order])
    np.testing.assert_array_equal(bags.instances, of_arrays.instances)
    np.testing.assert_array_equal(bags.coords, of_arrays.coords)
    assert of_arrays.bag_ids is None and of_arrays.uris is None


def test_a_list_of_files_keeps_its_order(folder):
    bags = Patches(grid=2).transform([folder / "p3.png", str(folder / "p1.png")])
    assert bags.bag_ids.tolist() == ["p3", "p1"]


def test_an_array_of_paths_or_of_arrays_is_a_list_of_them(folder, photos):
    paths = [folder / "p3.png", folder / "p1.png"]
    bags = Patches(grid=2).transform(np.array([str(path) for path in paths]))
    assert bags.digest() == Patches(grid=2).transform(paths).digest()
    ragged = np.empty(2, dtype=object)
    ragged[:] = [photos[0], photos[1][:20]]
    assert len(Corners().transform(ragged)) == 2


def test_processes_change_nothing(folder):
    one, two = (Patches(n_jobs=n).transform(folder) for n in (1, 2))
    assert one.digest() == two.digest()
    np.testing.assert_array_equal(one.coords, two.coords)


def test_is_a_scikit_learn_transformer(photos):
    generator = clone(Patches(grid=3, size=5))
    assert generator.get_params()["grid"] == 3
    bags = make_pipeline(FunctionTransformer(), generator).fit_transform(photos)
    assert len(bags) == 6 and bags.instance_shape == (3, 5, 5)


def test_progress_counts_to_the_number_of_pictures(photos):
    seen = []
    many = np.repeat(photos, 12, axis=0)
    Corners().transform(many, progress=lambda *now: seen.append(now))
    assert seen[0] == (0, 72) and seen[-1] == (72, 72)
    assert seen == sorted(seen) and len(seen) > 2


def test_a_bad_file_is_named_and_stops_the_work(folder):
    (folder / "bad.png").write_bytes(b"no picture")
    told = r"bad\.png cannot be read as a picture: .*; mend it, or .* on_error=\"skip\""
    with pytest.raises(MiplError, match=told):
        Patches().transform(folder)


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "tif"])
def test_half_a_file_is_a_bad_file(folder, photos, suffix):
    half = folder / f"half.{suffix}"
    Image.fromarray(photos[0]).save(half)
    half.write_bytes(half.read_bytes()[:-1000])
    with pytest.raises(MiplError, match="half"):
        Patches().transform(folder)


def test_bad_files_are_left_out_on_request_and_named(folder):
    (folder / "bad.png").write_bytes(b"no picture")
    (folder / "empty.jpg").write_bytes(b"")
    with pytest.warns(UserWarning, match=r"left out 2 of 8 .*bad\.png, .*empty\.jpg"):
        bags = Patches(on_error="skip").transform(folder)
    assert len(bags) == 6 and "bad" not in bags.bag_ids
    skipped = Patches(on_error="skip").convert(folder).skipped
    assert [name.rsplit("/", 1)[-1] for name in skipped] == ["bad.png", "empty.jpg"]


def test_what_a_generator_refuses_is_told_with_the_picture(photos):
    pictures = [photos[0], photos[1][:7]]
    told = r"picture 1 has 7 rows, .*refused; mend it, or .* on_error=\"skip\""
    with pytest.raises(MiplError, match=told):
        Corners(refused=7).transform(pictures)
    with pytest.warns(UserWarning, match="picture 1"):
        assert len(Corners(refused=7, on_error="skip").transform(pictures)) == 1
    with pytest.raises(MiplError, match="no picture could be used"):
        Corners(refused=7, on_error="skip").transform(pictures[1:])


class Given(ImageBags):
    """Returns what it is told to."""

    def __init__(self, made=None, *, n_jobs=None, on_error="raise"):
        super().__init__(n_jobs=n_jobs, on_error=on_error)
        self.made = made

    def instances(self, pixels):
        return self.made


@pytest.mark.parametrize(
    ("made", "got"),
    [
        (None, "a NoneType"),
        (PictureBag([[1], [1, 2]], [[0, 0, 1, 1]] * 2), "list and list"),
        (PictureBag(np.zeros(3), np.zeros((1, 4))), r"\(3,\) and \(1, 4\)"),
        (PictureBag(np.zeros((2, 3)), np.zeros((1, 4))), r"\(2, 3\) and \(1, 4\)"),
        (PictureBag(np.zeros((0, 3)), np.zeros((0, 4))), r"\(0, 3\) and \(0, 4\)"),
    ],
)
def test_what_is_no_bag_is_the_generators_fault(photos, made, got):
    told = rf"Given\.instances must return features .*; got {got}\."
    with pytest.raises(MiplError, match=told):
        Given(made, on_error="skip").transform(photos)


def test_lists_are_a_bag_and_arrays_are_no_settings_of_finished_ones(tmp_path, photos):
    lists = PictureBag([[1.0, 2.0]], [[0, 0, 3, 3]])
    assert Given(lists).transform(photos).coords.tolist() == [[0, 0, 3, 3]] * 6
    arrays = Given((np.ones((1, 2)), np.ones((1, 4))))
    assert len(arrays.transform(photos)) == 6
    with pytest.raises(MiplError, match=r"arguments of Given must be numbers, .* kept"):
        arrays.transform(photos, finished=tmp_path / "finished")


def test_finished_pictures_are_not_computed_again(tmp_path, photos):
    kept = tmp_path / "finished"
    many = [photo + np.uint8(i) for i in range(12) for photo in photos]  # 72 pictures
    bad = [*many[:50], photos[0][:7], *many[51:]]
    with pytest.raises(MiplError, match="picture 50"):
        Corners(refused=7).transform(bad, finished=kept)
    Corners.computed = 0
    bags = Corners(refused=7).transform(many, finished=kept)
    assert Corners.computed == 1  # All good ones were finished before it was refused.
    assert bags.digest() == Corners().transform(many).digest()
    Corners.computed = 0
    again = Corners(refused=7).transform(many, finished=kept)
    assert Corners.computed == 0 and again.digest() == bags.digest()


def test_other_settings_or_pixels_are_not_taken_for_finished(tmp_path, photos):
    kept = tmp_path / "finished"
    Corners().transform(photos, finished=kept)
    Corners.computed = 0
    Corners(refused=3).transform(photos, finished=kept)
    Corners().transform(photos // 2, finished=kept)
    assert Corners.computed == 12


def test_a_file_that_is_gone_is_told_with_finished_pictures_too(tmp_path, folder):
    files = sorted(folder.glob("p*.png"))
    files[1].unlink()
    files[1].symlink_to(tmp_path / "nowhere")
    with pytest.raises(MiplError, match=r"p1\.png"):
        Patches().transform(folder, finished=tmp_path / "finished")
    Patches(grid=np.int64(2)).transform(files[2:], finished=tmp_path / "finished")


def test_a_foreign_file_of_finished_pictures_is_refused(tmp_path, photos):
    kept = tmp_path / "finished"
    kept.write_bytes(b"something else, and long enough to be looked at" * 20)
    with pytest.raises(MiplError, match="delete it"):
        Corners().transform(photos, finished=kept)


@pytest.mark.parametrize(
    ("pictures", "sentence"),
    [
        (np.zeros((8, 8, 3)), "put a single picture in a list"),
        (np.zeros((8, 8)), "put a single picture in a list"),
        ([], "at least one"),
        (3, "a list of arrays or paths"),
        ([[[1, 2], [3]]], "picture 0 must be an array or a path; got a list"),
        ("nowhere", "does not exist"),
        ([np.zeros((2, 2, 5))], "1 to 4 channels"),
        ([np.full((2, 2), 7.0)], "from 0 to 1"),
        ([np.full((2, 2), -1)], "must hold bytes"),
        ([np.array([["a"]])], "must hold bytes"),
    ],
)
def test_wrong_pictures_are_told_in_a_sentence(pictures, sentence):
    with pytest.raises(MiplError, match=sentence):
        Corners().transform(pictures)


def test_two_files_of_one_name_and_a_folder_of_none_are_told(folder, tmp_path):
    (folder / "p0.bmp").write_bytes(b"")
    with pytest.raises(MiplError, match="would both be called 'p0'"):
        Patches().transform(folder)
    (tmp_path / "none").mkdir()
    with pytest.raises(MiplError, match="holds no pictures"):
        Patches().transform(tmp_path / "none")


def test_wrong_arguments_are_told(photos):
    with pytest.raises(MiplError, match="on_error of Patches must be one of"):
        Patches(on_error="ignore").fit(photos)
    with pytest.raises(MiplError, match="n_jobs of Patches must be None or a number"):
        Patches(n_jobs=0).fit(photos)
    with pytest.raises(MiplError, match="grid of Patches must be an integer >= 1"):
        Patches(grid=0).fit(photos)


def test_processes_stop_at_a_bad_file_too(folder, photos):
    for i in range(80):
        Image.fromarray(photos[i % 6]).save(folder / f"q{i:02}.png")
    (folder / "p2.png").write_bytes(b"no picture")
    with pytest.raises(MiplError, match=r"p2\.png cannot be read"):
        Patches(n_jobs=2).transform(folder)


@pytest.mark.parametrize(
    ("module", "generator", "package"),
    [
        ("cv2", SIFT(), "opencv-python-headless"),
        ("pywt", KMeansSeg(), "PyWavelets"),
        ("skimage.color", KMeansSeg(), "scikit-image"),
    ],
)
def test_a_missing_package_is_told_with_its_extra(
    monkeypatch, photos, module, generator, package
):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf'needs {package}, .*"mipl\[vision\]"'):
        generator.transform(photos)


def test_a_missing_reader_is_told_with_its_extra(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingExtra, match="reading pictures needs Pillow"):
        Patches().transform(folder)


def test_nothing_is_warned_of_good_pictures(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Patches(on_error="skip", n_jobs=2).transform(folder)
