"""A few small images in bags, and what a method must do with them."""

import numpy as np

from mipl import Bags
from mipl.nn.encoders import ConvEncoder

SETS = [{0, 1}, {1}, {0}, {0, 1}]


def images(side=28):
    rows = np.random.default_rng(0).random((10, side * side), dtype=np.float32)
    return Bags(rows, [0, 3, 4, 8, 10], instance_shape=(1, side, side))


def learns_images(model):
    """Fit on 28x28 images; the convolutions must be there and learn."""
    start = model.set_params(training__epochs=1, training__lr=1e-9)
    before = start.fit(images(), SETS).module_.encoder.conv1.weight.detach().clone()
    model.set_params(training__epochs=2, training__lr=0.1).fit(images(), SETS)
    assert isinstance(model.module_.encoder, ConvEncoder)
    assert (model.module_.encoder.conv1.weight != before).any()
    assert np.isfinite(model.predict_proba(images())).all()
    assert model.attend(images()).shape == (10,)
    return model
