"""ResNet-34: torchvision's names and shapes, and its blocks by plain loops."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from mipl.nn.resnet import BasicBlock, ResNet34

NORM = ("weight", "bias", "running_mean", "running_var", "num_batches_tracked")


def test_names_and_shapes_are_torchvisions():
    expected = {"conv1.weight": (64, 3, 7, 7)}
    expected |= {"fc.weight": (1000, 512), "fc.bias": (1000,)}
    norms = {"bn1": 64}
    stages = [(64, 64, 3), (64, 128, 4), (128, 256, 6), (256, 512, 3)]
    for stage, (inputs, width, depth) in enumerate(stages, start=1):
        for block in range(depth):
            at = f"layer{stage}.{block}"
            seen = width if block else inputs
            expected[f"{at}.conv1.weight"] = (width, seen, 3, 3)
            expected[f"{at}.conv2.weight"] = (width, width, 3, 3)
            norms |= {f"{at}.bn1": width, f"{at}.bn2": width}
        if stage > 1:
            expected[f"layer{stage}.0.downsample.0.weight"] = (width, inputs, 1, 1)
            norms[f"layer{stage}.0.downsample.1"] = width
    for name, width in norms.items():
        expected |= {f"{name}.{part}": (width,) for part in NORM[:4]}
        expected[f"{name}.{NORM[4]}"] = ()
    found = {n: tuple(value.shape) for n, value in ResNet34().state_dict().items()}
    assert found == expected


def test_it_has_the_published_number_of_parameters():
    assert sum(value.numel() for value in ResNet34().parameters()) == 21_797_672


@pytest.mark.parametrize(("inputs", "stride"), [(4, 1), (3, 1), (3, 2)])
def test_a_block_is_its_formula(inputs, stride, drawn, naive_conv, naive_norm):
    block = drawn(BasicBlock(inputs, 4, stride))
    x = np.random.default_rng(0).standard_normal((2, inputs, 7, 6))
    with torch.no_grad():
        found = block(torch.tensor(x)).numpy()

    def weight(conv):
        return conv.weight.detach().numpy()

    h = naive_norm(naive_conv(x, weight(block.conv1), stride, (1, 1)), block.bn1)
    h = np.maximum(h, 0)
    h = naive_norm(naive_conv(h, weight(block.conv2), 1, (1, 1)), block.bn2)
    if (inputs, stride) != (4, 1):
        conv, norm = block.downsample
        x = naive_norm(naive_conv(x, weight(conv), stride, (0, 0)), norm)
    np.testing.assert_allclose(found, np.maximum(h + x, 0), atol=1e-12)


def test_the_network_is_its_blocks_in_the_papers_order(drawn):
    net = drawn(ResNet34())
    x = torch.rand(2, 3, 64, 96, generator=torch.Generator().manual_seed(1)).double()
    sides = []
    with torch.no_grad():
        h = functional.conv2d(x, net.conv1.weight, stride=2, padding=3)
        h = functional.relu(net.bn1(h))
        h = functional.max_pool2d(h, 3, stride=2, padding=1)
        for stage in (net.layer1, net.layer2, net.layer3, net.layer4):
            for block in stage:
                h = block(h)
            sides.append(tuple(h.shape[1:]))
        expected = h.mean(dim=(2, 3)) @ net.fc.weight.T + net.fc.bias
        found = net(x)
    assert sides == [(64, 16, 24), (128, 8, 12), (256, 4, 6), (512, 2, 3)]
    assert found.shape == (2, 1000)
    torch.testing.assert_close(found, expected)
