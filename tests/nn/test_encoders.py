"""Encoders: which is picked, what it computes, and the user's own."""

import numpy as np
import pytest
import torch
from torch import nn

from mipl import MIPLMA
from mipl.errors import MiplError
from mipl.nn.dropout import rekey
from mipl.nn.encoders import (
    ConvEncoder,
    LinearEncoder,
    PaddedConvEncoder,
    Standardise,
    TwoLayerEncoder,
    build_encoder,
)
from mipl.nn.initialisation import conv, initialise, linear
from mipl.nn.own_encoder import OwnEncoder


@pytest.mark.parametrize("shape", [(1, 28, 28), (28, 28)])
def test_auto_takes_convolutions_for_28x28_images(shape):
    encoder, width = build_encoder("auto", 784, shape, 16, 0.5)
    assert isinstance(encoder, ConvEncoder) and width == 16


@pytest.mark.parametrize(
    ("d", "shape"), [(64, (8, 8)), (784, None), (3, None), (2352, (3, 28, 28))]
)
def test_auto_takes_one_affine_map_for_everything_else(d, shape):
    encoder, width = build_encoder("auto", d, shape, 16, 0.5)
    assert isinstance(encoder, LinearEncoder) and width == 16
    assert encoder.feature.in_features == d


def test_image_takes_convolutions_or_leaves_features_as_they_are():
    encoder, width = build_encoder("image", 784, (1, 28, 28), 16, 0.5)
    assert isinstance(encoder, ConvEncoder) and width == 16
    encoder, width = build_encoder("image", 5, None, 16, 0.5)
    x = torch.rand(3, 5)
    assert width == 5 and (encoder(x) == x).all()


def test_several_widths_are_several_layers():
    encoder, width = build_encoder("auto", 5, None, (7, 3, 4), 0.0)
    shapes = [tuple(p.shape) for p in encoder.parameters() if p.ndim == 2]
    assert width == 4 and shapes == [(7, 5), (3, 7), (4, 3)]
    initialise(encoder, 0)
    x = torch.rand(6, 5, dtype=torch.float64)
    plain = x
    for layer in encoder.double():
        plain = torch.relu(layer.feature(plain))
    assert torch.equal(encoder(x), plain)
    torch.testing.assert_close(encoder.float()(x.float()), plain.float())


def test_several_layers_drop_what_each_would_drop_alone():
    encoder, _ = build_encoder("auto", 5, None, (7, 4), 0.5)
    initialise(encoder, 0)
    x = torch.rand(6, 5, dtype=torch.float64)
    rekey(encoder.double(), 3)
    plain = x
    for layer in encoder:
        plain = layer(plain)
    assert (plain == 0).any() and torch.equal(encoder(x), plain)


def test_padded_convolutions_as_torch_writes_them():
    encoder = PaddedConvEncoder(6, 0.0)
    initialise(encoder, 0)
    x = torch.rand(3, 784)
    images = x.view(3, 1, 28, 28)
    first, second = encoder.conv1, encoder.conv2
    images = nn.functional.conv2d(images, first.weight, first.bias, padding=2)
    images = torch.max_pool2d(images.relu(), 2)
    images = nn.functional.conv2d(images, second.weight, second.bias, padding=1)
    flat = torch.max_pool2d(images.relu(), 2).flatten(1)
    assert flat.shape == (3, 64 * 7 * 7)
    expected = nn.functional.linear(flat, encoder.feature.weight, encoder.feature.bias)
    torch.testing.assert_close(encoder(x), expected.relu())


def test_two_layers_drop_of_the_first_alone():
    encoder = TwoLayerEncoder(5, 9, 4, 0.0)
    initialise(encoder, 0)
    x = torch.rand(6, 5)
    expected = torch.relu(encoder.feature2(torch.relu(encoder.feature1(x))))
    torch.testing.assert_close(encoder(x), expected)
    doubled = torch.relu(encoder.feature2(2 * torch.relu(encoder.feature1(x))))
    of_others = encoder(x, lambda hidden: 2 * torch.relu(hidden))
    torch.testing.assert_close(of_others, doubled)


def test_several_widths_of_images_follow_the_convolutions():
    encoder, width = build_encoder("auto", 784, (1, 28, 28), (6, 4), 0.0)
    assert isinstance(encoder[0], ConvEncoder) and width == 4
    assert encoder[0].feature.out_features == encoder[1].feature.in_features == 6
    assert build_encoder("image", 5, None, (6, 4), 0.0)[1] == 5
    assert build_encoder(nn.Linear(5, 2), 5, None, (6, 4), 0.0)[1] == 2


def test_the_choice_can_be_made_by_name():
    assert isinstance(build_encoder("linear", 784, (1, 28, 28), 4, 0.0)[0], nn.Module)
    with pytest.raises(MiplError, match=r"28x28 instances; these have shape \(8, 8\)"):
        build_encoder("conv", 64, (8, 8), 4, 0.0)
    with pytest.raises(MiplError, match=r"'linear', 'conv', 'image' or a torch.nn"):
        MIPLMA(encoder="cnn").fit(np.zeros((2, 1)), [0, 1])


def test_the_image_trunk_is_the_published_one():
    encoder = ConvEncoder(128, 0.0)
    initialise(encoder, 0)
    n = sum(p.numel() for p in encoder.parameters())
    assert n == (25 * 20 + 20) + (20 * 25 * 50 + 50) + (800 * 128 + 128)
    x = torch.rand(2, 784)
    plain = nn.functional.conv2d(x.view(-1, 1, 28, 28), *encoder.conv1.parameters())
    plain = nn.functional.max_pool2d(torch.relu(plain), 2)
    plain = nn.functional.conv2d(plain, *encoder.conv2.parameters())
    plain = nn.functional.max_pool2d(torch.relu(plain), 2).flatten(1)
    plain = torch.relu(nn.functional.linear(plain, *encoder.feature.parameters()))
    torch.testing.assert_close(encoder(x), plain, atol=1e-5, rtol=1e-4)


def test_the_linear_encoder_is_relu_of_an_affine_map():
    encoder = LinearEncoder(3, 4, 0.0)
    initialise(encoder, 0)
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    weight, bias = encoder.feature.parameters()
    # Sums that nearly cancel keep the rounding of their parts.
    assert torch.allclose(encoder(x), torch.relu(x @ weight.T + bias), atol=1e-6)


def test_standardise_subtracts_and_divides():
    layer = Standardise(2)
    assert torch.equal(layer(torch.ones(1, 2)), torch.ones(1, 2))
    layer.mean, layer.scale = torch.tensor([1.0, 0.0]), torch.tensor([2.0, 4.0])
    assert layer(torch.tensor([[3.0, 4.0]])).tolist() == [[1.0, 1.0]]


class Own(nn.Module):
    def __init__(self, out=6):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Dropout(0.5)
        )
        self.out = nn.Linear(2 * 36, out)

    def forward(self, x):
        return self.out(self.layers(x))


def test_an_own_module_sees_instances_in_their_shape_and_tells_its_width():
    module = Own()
    encoder, width = build_encoder(module, 64, (1, 8, 8), 99, 0.5)
    assert width == 6
    assert encoder(torch.zeros(3, 64)).shape == (3, 6)
    assert encoder.module is not module


def test_an_own_module_draws_from_the_key_and_from_nothing_else():
    encoder, _ = build_encoder(Own(), 64, (1, 8, 8), 99, 0.5)
    encoder.train()
    x = torch.rand(4, 64)

    def run(key):
        rekey(encoder, key)
        return encoder(x)

    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = run(5)
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    assert torch.equal(run(5), first)
    assert not torch.equal(run(6), first)


class Wrong(nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def forward(self, x):
        return self.answer(x)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (lambda x: x[:, :, None], r"it gave \(1, 3, 1\)"),
        (lambda x: x[:0], r"it gave \(0, 3\)"),
        (lambda x: [x], "it gave list"),
        (lambda x: x @ torch.zeros(7, 2), r"failed on 1 instance of shape \(3,\)"),
    ],
)
def test_what_an_own_module_must_give_is_told(answer, told):
    with pytest.raises(MiplError, match=told):
        build_encoder(Wrong(answer), 3, None, 4, 0.0)


def test_starting_values_come_from_the_seed_alone():
    def values(seed):
        layers = nn.Sequential(linear(5, 4), conv(1, 2, 3), linear(4, 3, bias=False))
        initialise(layers, seed)
        return torch.cat([p.detach().ravel() for p in layers.parameters()])

    before = torch.get_rng_state()
    assert torch.equal(values(3), values(3))
    assert not torch.equal(values(3), values(4))
    assert torch.equal(torch.get_rng_state(), before)


def test_starting_values_are_torchs_usual_ones():
    layer = linear(400, 300)
    initialise(layer, 0)
    for values in layer.parameters():
        numbers = values.detach().numpy()
        assert np.abs(numbers).max() <= 1 / 20
        # A uniform law on [-b, b] has the standard deviation b / sqrt(3).
        assert abs(numbers.std() * np.sqrt(3) * 20 - 1) < 0.1


def test_layers_that_are_kept_stay_as_they_are():
    own = OwnEncoder(nn.Linear(2, 2), (2,))
    before = own.module.weight.detach().clone()
    both = nn.Sequential(own, linear(2, 2))
    initialise(both, 0, kept=own)
    assert torch.equal(own.module.weight, before)


@pytest.mark.parametrize("encoder", [LinearEncoder(5, 4, 0.5), ConvEncoder(4, 0.5)])
def test_a_unit_start_spreads_by_one_around_zero(encoder):
    initialise(encoder, seed=1)
    d = 5 if type(encoder) is LinearEncoder else 784
    x = torch.rand(50, d, generator=torch.Generator().manual_seed(2))
    before = encoder.feature(encoder.trunk(x)).detach()
    encoder.unit_start(x)
    after = encoder.feature(encoder.trunk(x)).detach()
    naive = (before - before.mean(0)) / before.std(0, correction=0)
    torch.testing.assert_close(after, naive, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(
        encoder.eval()(x), naive.clamp_min(0), rtol=1e-3, atol=1e-3
    )


def test_a_unit_start_leaves_units_alone_that_do_not_spread():
    encoder = LinearEncoder(3, 4, 0.0)
    initialise(encoder, seed=1)
    weight = encoder.feature.weight.detach().clone()
    encoder.unit_start(torch.ones(6, 3))
    assert torch.equal(encoder.feature.weight, weight)
    assert torch.isfinite(encoder.feature.bias).all()
