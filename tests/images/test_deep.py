"""Deep features: each tile through the network, by hand; the cache; wrong input."""

import subprocess
import sys

import cv2
import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper
from safetensors.torch import save_file
from sklearn.base import clone
from torch import nn

from mipl import MiplError
from mipl.images import DeepPatches, Patches
from mipl.images.deep import TorchModel
from mipl.nn.initialisation import initialise
from mipl.nn.pretrained import NETWORKS

IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIDE = 24


class Thirds(nn.Module):
    """Means of a few windows, mixed: cheap, and different for every tile."""

    def __init__(self, width=5):
        super().__init__()
        self.pool, self.mix = nn.AdaptiveAvgPool2d(3), nn.Linear(27, width)
        initialise(self, 0)

    def forward(self, x):
        return self.mix(self.pool(x).flatten(1))


def by_hand(photos, grid, mean, std, side=SIDE, network=None):
    """Cut, resize, normalise and embed tile by tile."""
    network, rows = (network or Thirds()).eval(), []
    for photo in photos:
        h, w = photo.shape[0] // grid, photo.shape[1] // grid
        top, left = (photo.shape[0] - h * grid) // 2, (photo.shape[1] - w * grid) // 2
        for i in range(grid):
            for j in range(grid):
                y, x = top + i * h, left + j * w
                tile = cv2.resize(photo[y : y + h, x : x + w], (side, side))
                seen = (tile / 255.0 - mean) / std
                image = torch.tensor(seen.transpose(2, 0, 1)[None]).float()
                rows.append(network(image).detach().numpy()[0])
    return np.array(rows)


@pytest.fixture
def onnx_file(tmp_path):
    """Write a model that computes the mean of each colour, twice it, and 1."""

    def write(shape=("n", 3, "h", "w"), kind=TensorProto.FLOAT):
        graph_input = helper.make_tensor_value_info("images", kind, shape)
        logits = helper.make_tensor_value_info("logits", kind, None)
        dtype = helper.tensor_dtype_to_np_dtype(kind)
        mix = np.array([[1, 0, 0, 2, 0], [0, 1, 0, 0, 2], [0, 0, 1, 0, 0]], dtype)
        nodes = [
            helper.make_node("GlobalAveragePool", ["planes"], ["pooled"]),
            helper.make_node("Flatten", ["pooled"], ["colours"]),
            helper.make_node("MatMul", ["colours", "mix"], ["logits"]),
        ]
        perm = [0, 3, 1, 2] if shape[-1] == 3 else range(len(shape))
        first = helper.make_node("Transpose", ["images"], ["planes"], perm=perm)
        graph = helper.make_graph(
            [first, *nodes],
            "colours",
            [graph_input],
            [logits],
            [onnx.numpy_helper.from_array(mix, "mix")],
        )
        opset = [helper.make_opsetid("", 17)]
        path = tmp_path / "colours.onnx"
        onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)
        return path

    return write


@pytest.mark.parametrize("patches", [16, 25])
def test_features_are_the_networks_of_each_tile(photos, patches):
    bags = DeepPatches(Thirds(), patches=patches, size=SIDE).transform(photos)
    grid = int(patches**0.5)
    assert bags.sizes.tolist() == [patches] * 6
    expected = by_hand(photos, grid, *IMAGENET)
    np.testing.assert_allclose(bags.instances, expected, atol=1e-5)
    tiles = Patches(grid=grid).transform(photos)
    np.testing.assert_array_equal(bags.coords, tiles.coords)


def test_tiles_of_224_pixels_are_56_or_44_a_side():
    picture = np.zeros((1, 224, 224, 3), np.uint8)
    for patches, box in [(16, [0, 0, 56, 56]), (25, [2, 2, 46, 46])]:
        bags = DeepPatches(Thirds(), patches=patches, size=SIDE).transform(picture)
        assert bags.coords[0].tolist() == box
        assert bags.coords[-1].tolist() == [224 - x for x in box[2:] + box[:2]]


def test_mean_and_std_are_arguments(photos):
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.25, 2.0)
    deep = DeepPatches(Thirds(), patches=4, size=SIDE, mean=mean, std=std)
    found = deep.transform(photos).instances
    np.testing.assert_allclose(found, by_hand(photos, 2, mean, std), atol=1e-5)


def test_a_picture_has_the_same_bits_in_any_company(photos):
    deep = DeepPatches(Thirds(), patches=4, size=SIDE)
    whole = deep.transform(photos)
    assert deep.transform(photos[3:4]).digest() == whole[3:4].digest()


def test_ones_own_module_is_used_as_in_evaluation_and_left_alone(photos):
    module = nn.Sequential(nn.Dropout(0.9), Thirds())
    found = DeepPatches(module, patches=4, size=SIDE).transform(photos).instances
    np.testing.assert_allclose(found, by_hand(photos, 2, *IMAGENET), atol=1e-5)
    assert module.training


def test_networks_by_name_take_their_own_values_colours_and_side(tmp_path, photos):
    for name, known in NETWORKS.items():
        module = known.build().eval()
        initialise(module, 0)
        path = tmp_path / f"{name}.safetensors"
        values = {n: v.contiguous() for n, v in module.state_dict().items()}
        save_file(values, path)
        deep = DeepPatches(name, path, patches=1)
        found = deep.transform(photos[:1]).instances
        assert found.shape == (1, 1000)
        expected = by_hand(photos[:1], 1, known.mean, known.std, 224, module)
        np.testing.assert_allclose(found, expected, atol=1e-4 * abs(expected).max())
    assert NETWORKS["resnet34"].mean == IMAGENET[0]
    assert NETWORKS["efficientnet-lite0"].mean == (127 / 255,) * 3


@pytest.mark.parametrize(
    "shape",
    [("n", 3, "h", "w"), (1, 3, 8, 8), ("n", 8, 8, 3), (None, "c", None, None)],
)
def test_an_onnx_model_gives_the_mean_colours(onnx_file, photos, shape):
    bags = DeepPatches(onnx_file(shape), patches=4).transform(photos)
    side = 8 if 8 in shape else 224
    tiles = Patches(grid=2, size=side).transform(photos).instances
    mean, std = (np.array(numbers)[:, None, None] for numbers in IMAGENET)
    colours = ((tiles.reshape(-1, 3, side, side) - mean) / std).mean(axis=(2, 3))
    expected = np.concatenate([colours, 2 * colours[:, :2]], axis=1)
    # A mean over 224 x 224 in float32.
    np.testing.assert_allclose(bags.instances, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "size", "told"),
    [
        ((2, 3, 8, 8), None, "takes 2 images at a time"),
        (("n", 3, 8), None, "must take one input, images .* it takes tensor"),
        (("n", 3, 8, 8), 9, "size must be 8, .* got 9"),
    ],
)
def test_other_onnx_models_are_told(onnx_file, photos, shape, size, told):
    with pytest.raises(MiplError, match=told):
        DeepPatches(onnx_file(shape), size=size).transform(photos)


def test_an_onnx_model_may_say_its_colours(onnx_file, photos):
    path = onnx_file()
    model = onnx.load(path)
    helper.set_model_props(model, {"mean": "[0.1, 0.2, 0.3]", "std": "[1, 2, 3]"})
    onnx.save(model, path)
    found = DeepPatches(path, patches=4).transform(photos)
    given = {"mean": (0.1, 0.2, 0.3), "std": (1, 2, 3)}
    expected = DeepPatches(onnx_file(), patches=4, **given).transform(photos)
    assert found.digest() == expected.digest()
    helper.set_model_props(model, {"mean": "__import__", "std": "[1, 2, 3]"})
    onnx.save(model, path)
    with pytest.raises(
        MiplError, match=r"the metadata of .* must hold 'mean' as three"
    ):
        DeepPatches(path).transform(photos)


def test_half_precision_models_are_fed_what_they_take(onnx_file, photos):
    half = onnx_file(("n", 3, 8, 8), TensorProto.FLOAT16)
    found = DeepPatches(half, patches=1).transform(photos).instances
    whole = onnx_file(("n", 3, 8, 8))
    expected = DeepPatches(whole, patches=1).transform(photos).instances
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-2)


def test_features_are_kept_by_content(tmp_path, photos, monkeypatch):
    calls = []
    original = TorchModel.__call__

    def counted(self, images):
        calls.append(len(images))
        return original(self, images)

    monkeypatch.setattr(TorchModel, "__call__", counted)
    cache = tmp_path / "features"
    deep = DeepPatches(Thirds(), patches=4, size=SIDE, cache=cache)
    first = deep.transform(photos)
    assert len(calls) == 6
    again = clone(deep).transform(photos[::-1])
    assert len(calls) == 6 and again[::-1].digest() == first.digest()
    other = Thirds()
    other.mix.bias.data[0] += 1e-6
    changes = [{"backbone": other}, {"patches": 1}, {"size": 12}]
    changes += [{"mean": (0, 0, 0)}, {"std": (1, 1, 1)}]
    changes += [{"backbone": nn.Sequential(Thirds(), nn.ReLU())}]
    for number, change in enumerate(changes, start=2):
        clone(deep).set_params(**change).transform(photos)
        assert len(calls) == 6 * number, change


def test_external_numbers_belong_to_an_onnx_model(onnx_file, photos, tmp_path):
    cache, path = tmp_path / "features", onnx_file()
    model = onnx.load(path)
    for factor in (1, 3):
        mix = onnx.numpy_helper.to_array(model.graph.initializer[0]) * factor
        changed = onnx.numpy_helper.from_array(mix.astype(np.float32), "mix")
        model.graph.initializer[0].CopyFrom(changed)
        onnx.save(
            model,
            path,
            save_as_external_data=True,
            location="numbers.bin",
            size_threshold=0,
        )
        model = onnx.load(path)
        found = DeepPatches(path, patches=1, cache=cache).transform(photos).instances
        fresh = DeepPatches(path, patches=1).transform(photos).instances
        np.testing.assert_array_equal(found, fresh)


class Broken(nn.Module):
    """Fails, or gives what no features are."""

    def __init__(self, how):
        super().__init__()
        self.how = how

    def forward(self, x):
        if self.how == "nan":
            return x.flatten(1) * torch.nan
        return x if self.how == "shape" else x @ torch.zeros(1, 1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"backbone": "resnet43"}, "unknown backbone 'resnet43'; did you mean"),
        ({"backbone": "resnet34"}, "needs weights=, a safetensors file for ResNet-34"),
        ({"backbone": "nowhere.onnx"}, "nowhere.onnx does not exist"),
        ({"backbone": 3}, "backbone must be a name, an ONNX file or a torch"),
        ({"weights": "x.safetensors"}, "weights= belongs to a backbone by name"),
        ({"backbone": "resnet34", "weights": "none"}, "none does not exist"),
        ({"patches": 15}, "patches must be a square number such as 16 or 25; got 15"),
        ({"patches": "16"}, "patches of DeepPatches must be an integer"),
        ({"size": 0}, "size of DeepPatches must be None or an integer"),
        ({"mean": (0.5, 0.5)}, "mean must be three numbers"),
        ({"mean": "half"}, "mean must be three numbers"),
        ({"std": (1, 0, 1)}, "std must be three positive numbers"),
        ({"backbone": Broken("nan")}, "the backbone gave features that are NaN"),
        (
            {"backbone": Broken("shape")},
            r"the backbone must turn 16 .* into a \(16, L\)",
        ),
        ({"backbone": Broken("fails")}, "the backbone failed on 16 instances"),
    ],
)
def test_wrong_arguments_are_told_in_a_sentence(photos, arguments, told):
    given = {"backbone": Thirds(), "size": SIDE} | arguments
    with pytest.raises(MiplError, match=told):
        DeepPatches(**given).transform(photos)


def test_a_picture_that_is_too_small_is_told_by_name(photos):
    pictures = [photos[0], photos[0][:3]]
    with pytest.raises(MiplError, match="picture 1 has 56 x 3 pixels, too few"):
        DeepPatches(Thirds(), size=SIDE).transform(pictures)
    with pytest.warns(UserWarning, match="picture 1"):
        skipping = DeepPatches(Thirds(), size=SIDE, on_error="skip")
        assert len(skipping.transform(pictures)) == 1


def test_a_damaged_onnx_file_is_told(tmp_path, photos):
    path = tmp_path / "bad.onnx"
    path.write_bytes(b"no model")
    with pytest.raises(MiplError, match=r"bad\.onnx cannot be opened as an ONNX model"):
        DeepPatches(path).transform(photos)


def test_only_deep_features_load_torch():
    code = (
        "import sys, mipl.images as images\n"
        "[getattr(images, n) for n in images.__all__ if n != 'DeepPatches']\n"
        "assert 'torch' not in sys.modules\n"
        "images.DeepPatches\n"
        "assert 'torch' in sys.modules and 'onnxruntime' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
