"""Clipping: a gradient longer than allowed is shortened, its direction kept."""

import numpy as np
import pytest

from mipl import MIPLMA, Training, load_dataset

RATE = 0.5


@pytest.fixture(scope="module")
def train():
    return load_dataset("synthetic", r=1).split(0)[0]


def parameters(train, options):
    model = MIPLMA(training=options, random_state=0)
    model.fit(train.bags, train.candidates)
    return np.concatenate([p.detach().ravel() for p in model.module_.parameters()])


def one_step(train, clip):
    """Return by how far one plain gradient step moves all parameters."""
    options = Training(
        epochs=1,
        lr=RATE,
        momentum=0.0,
        nesterov=False,
        weight_decay=0.0,
        batch_size=None,
        clip=clip,
        dtype="float64",
    )
    before = parameters(train, options.set_params(lr=1e-12))
    after = parameters(train, options.set_params(lr=RATE))
    return (after - before) / RATE


def test_a_long_gradient_is_shortened_and_keeps_its_direction(train):
    whole, short = one_step(train, None), one_step(train, 0.01)
    assert np.linalg.norm(whole) > 0.1
    assert np.linalg.norm(short) == pytest.approx(0.01, rel=1e-4)
    cosine = whole @ short / np.linalg.norm(whole) / np.linalg.norm(short)
    assert cosine == pytest.approx(1, abs=1e-6)


def test_a_short_gradient_is_left_alone(train):
    np.testing.assert_allclose(
        one_step(train, 1e3), one_step(train, None), rtol=0, atol=1e-12
    )
