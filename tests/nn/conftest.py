"""Layers of image networks, recomputed by plain loops."""

import numpy as np
import pytest
import torch

from mipl.nn.initialisation import initialise


@pytest.fixture
def naive_conv():
    """Sum over window and channels, pixel by pixel; ``pad`` is (before, after)."""

    def convolved(x, weight, stride, pad, groups=1):
        x = np.pad(x, ((0, 0), (0, 0), pad, pad))
        outputs, width, side, _ = weight.shape
        rows = (x.shape[2] - side) // stride + 1
        columns = (x.shape[3] - side) // stride + 1
        out = np.zeros((len(x), outputs, rows, columns))
        for channel in range(outputs):
            first = channel // (outputs // groups) * width
            seen = x[:, first : first + width]
            for i in range(rows):
                for j in range(columns):
                    top, left = i * stride, j * stride
                    window = seen[:, :, top : top + side, left : left + side]
                    terms = window * weight[channel]
                    out[:, channel, i, j] = terms.sum(axis=(1, 2, 3))
        return out

    return convolved


@pytest.fixture
def naive_norm():
    """Normalise each channel by the running mean and variance."""

    def normalised(x, norm):
        gain, shift, mean, variance = (
            value.detach().numpy()[:, None, None]
            for value in (norm.weight, norm.bias, norm.running_mean, norm.running_var)
        )
        return (x - mean) / np.sqrt(variance + norm.eps) * gain + shift

    return normalised


@pytest.fixture
def drawn():
    """Fill a network with numbers under which no layer is the identity."""

    def fill(module, seed=0):
        initialise(module, seed)
        generator = torch.Generator().manual_seed(seed)
        for layer in module.modules():
            if isinstance(layer, torch.nn.BatchNorm2d):
                for value in (layer.weight, layer.running_var):
                    value.detach().uniform_(0.5, 1.5, generator=generator)
                for value in (layer.bias, layer.running_mean):
                    value.detach().uniform_(-0.5, 0.5, generator=generator)
        return module.double().eval()

    return fill
