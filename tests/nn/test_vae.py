"""Convolutions of a variational auto-encoder, recomputed picture by picture."""

import numpy as np
import pytest
import torch
from scipy.signal import convolve2d, correlate2d

from mipl.nn.initialisation import initialise
from mipl.nn.vae import ImageDecoder, ImageEncoder

SHAPES = [(3, 27, 27), (1, 28, 28)]


def values(layer):
    return (v.detach().numpy() for v in (layer.weight, layer.bias))


def relu(x):
    return np.maximum(x, 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_decoder_enlarges_pixels_and_convolves_in_reverse(shape):
    decoder = ImageDecoder(4, 5, 6, shape).double()
    initialise(decoder, 0)
    z = torch.randn(3, 4, generator=torch.Generator().manual_seed(0)).double()
    hidden = z.numpy()
    for layer in (decoder.fc1, decoder.fc2, decoder.fc3):
        w, b = values(layer)
        hidden = hidden @ w.T + b
        hidden = hidden if layer is decoder.fc3 else relu(hidden)
    side = decoder.form.pooled
    for row, picture in zip(hidden, decoder(z).detach().numpy(), strict=True):
        channels = row.reshape(-1, side, side)
        for layer in (decoder.deconv1, decoder.deconv2):
            w, b = values(layer)  # (inputs, outputs, side, side)
            large = [np.kron(channel, np.ones((2, 2))) for channel in channels]
            channels = relu(
                [
                    sum(convolve2d(x, w[i, o]) for i, x in enumerate(large)) + b[o]
                    for o in range(w.shape[1])
                ]
            )
        w, b = values(decoder.conv1x1)
        expected = np.einsum("oi,ihw->ohw", w[:, :, 0, 0], channels) + b[:, None, None]
        np.testing.assert_allclose(picture, expected.ravel(), atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_encoder_convolves_and_pools(shape):
    encoder = ImageEncoder(shape, 3).double()
    initialise(encoder, 0)
    x = np.random.default_rng(0).normal(size=(2, np.prod(shape)))
    means, _ = encoder(torch.tensor(x))
    for row, mean in zip(x, means.detach().numpy(), strict=True):
        channels = row.reshape(shape)
        for layer in (encoder.conv1, encoder.conv2):
            w, b = values(layer)  # (outputs, inputs, side, side)
            maps = [
                sum(correlate2d(x, w[o, i], "valid") for i, x in enumerate(channels))
                + b[o]
                for o in range(len(w))
            ]
            n = len(maps[0]) // 2
            channels = [
                relu(m[: 2 * n, : 2 * n].reshape(n, 2, n, 2).max(axis=(1, 3)))
                for m in maps
            ]
        w, b = values(encoder.mean)
        expected = w @ np.ravel(channels) + b
        np.testing.assert_allclose(mean, expected, atol=1e-12)


def test_channels_lie_last_which_takes_half_the_time():
    layers = [ImageEncoder((1, 28, 28), 3), ImageDecoder(4, 5, 6, (1, 28, 28))]
    for layer in layers:
        for parameter in layer.parameters():
            if parameter.ndim == 4:
                last = torch.channels_last
                assert parameter.is_contiguous(memory_format=last)
