"""EfficientNet-Lite0: its published table, TensorFlow's padding, blocks by loops."""

import cv2
import numpy as np
import pytest
import torch
from sklearn.datasets import load_sample_image

from mipl.datasets.places import find_raw
from mipl.errors import MissingData
from mipl.nn.efficientnet_lite import EfficientNetLite0, MBConv, SameConv
from mipl.nn.pretrained import NETWORKS


def test_it_has_the_published_number_of_parameters():
    assert sum(value.numel() for value in EfficientNetLite0().parameters()) == 4_652_008


def test_sides_and_widths_are_those_of_the_published_table(drawn):
    net, x = drawn(EfficientNetLite0()), torch.zeros(1, 3, 224, 224).double()
    seen = []
    for block in net.blocks:
        block.register_forward_hook(lambda *given: seen.append(given[2].shape[1:3]))
    with torch.no_grad():
        assert net(x).shape == (1, 1000)
    table = [(16, 112, 1), (24, 56, 2), (40, 28, 2), (80, 14, 3), (112, 14, 3)]
    table += [(192, 7, 4), (320, 7, 1)]
    assert seen == [(width, side) for width, side, n in table for _ in range(n)]


@pytest.mark.parametrize(
    ("n", "side", "stride", "before", "after"),
    [
        (8, 3, 2, 0, 1),
        (7, 3, 2, 1, 1),
        (8, 5, 2, 1, 2),
        (8, 5, 1, 2, 2),
        (6, 1, 1, 0, 0),
    ],
)
def test_padding_is_tensorflows(n, side, stride, before, after, drawn, naive_conv):
    conv = drawn(SameConv(2, 3, side, stride))
    x = np.random.default_rng(0).standard_normal((1, 2, n, n))
    weight = conv.weight.detach().numpy()
    with torch.no_grad():
        found = conv(torch.tensor(x)).numpy()
    assert found.shape[2:] == (-(-n // stride),) * 2
    expected = naive_conv(x, weight, stride, (before, after))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("inputs", "stride", "expansion"), [(3, 1, 1), (4, 1, 6), (4, 2, 6), (3, 1, 6)]
)
def test_a_block_is_its_formula(
    inputs, stride, expansion, drawn, naive_conv, naive_norm
):
    block = drawn(MBConv(inputs, 4, 3, stride, expansion))
    x = 3 * np.random.default_rng(0).standard_normal((2, inputs, 6, 6))
    with torch.no_grad():
        found = block(torch.tensor(x)).numpy()

    def layer(h, conv, norm, stride=1, pad=(0, 0), groups=1):
        weight = conv.weight.detach().numpy()
        return naive_norm(naive_conv(h, weight, stride, pad, groups), norm)

    h = x
    if expansion > 1:
        h = np.clip(layer(h, block.expand_conv, block.bn0), 0, 6)
    pad = (1, 1) if stride == 1 else (0, 1)
    wide = inputs * expansion
    h = layer(h, block.depthwise_conv, block.bn1, stride, pad, wide)
    h = layer(np.clip(h, 0, 6), block.project_conv, block.bn2)
    if (inputs, stride) == (4, 1):
        h = h + x
    np.testing.assert_allclose(found, h, atol=1e-12)


@pytest.fixture(scope="module")
def published():
    """The network with its ImageNet values; skip where they are absent."""
    known, name = NETWORKS["efficientnet-lite0"], "efficientnet-lite0.safetensors"
    try:
        path = find_raw("this test", "make it by its script.", [name], None)
    except MissingData as missing:
        pytest.skip(str(missing))
    return known, known.load(path)


@pytest.mark.parametrize(
    ("picture", "class_"), [("flower.jpg", 985), ("china.jpg", 698)]
)
def test_the_published_values_know_a_daisy_and_a_palace(published, picture, class_):
    known, network = published
    photo = load_sample_image(picture)
    left = (photo.shape[1] - photo.shape[0]) // 2
    square = np.ascontiguousarray(photo[:, left : left + photo.shape[0]])
    seen = cv2.resize(square, (224, 224), interpolation=cv2.INTER_AREA) / 255
    image = ((seen - known.mean) / known.std).transpose(2, 0, 1)[None]
    with torch.no_grad():
        logits = network(torch.tensor(image, dtype=torch.float32))
    assert int(logits.argmax()) == class_
