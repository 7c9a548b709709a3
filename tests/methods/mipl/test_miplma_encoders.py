"""MIPLMA's encoders: picked from the data's shape, or the user's own."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from mipl import MIPLMA, Bags, MiplError, Training
from mipl.nn import encoders
from mipl.nn.encoders import ConvEncoder, LinearEncoder
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)
SETS = [{0, 1}, {1}, {0}, {0, 1}]


def images(side):
    rows = np.random.default_rng(0).random((10, side * side), dtype=np.float32)
    return Bags(rows, [0, 3, 4, 8, 10], instance_shape=(1, side, side))


def test_auto_is_picked_from_the_declared_shape():
    model = MIPLMA(width=4, training=Training(epochs=1))
    model.fit(images(28), SETS)
    assert isinstance(model.module_.encoder, ConvEncoder)
    assert model.module_.scaling.scale.unique().tolist() == [1.0]
    assert np.isfinite(model.predict_proba(images(28))).all()
    model.fit(images(8), SETS)
    assert isinstance(model.module_.encoder, LinearEncoder)
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert isinstance(model.module_.encoder, LinearEncoder)
    plain = Bags(images(28).instances, images(28).offsets)
    assert isinstance(model.fit(plain, SETS).module_.encoder, LinearEncoder)


def test_a_four_axis_array_of_images_declares_its_shape():
    cube = images(28).instances[:8].reshape(4, 2, 1, 28, 28)
    model = MIPLMA(width=4, training=Training(epochs=1)).fit(cube, SETS)
    assert isinstance(model.module_.encoder, ConvEncoder)


def test_what_is_said_of_an_image_bag_does_not_depend_on_the_others(monkeypatch):
    model = MIPLMA(width=4, training=Training(epochs=1)).fit(images(28), SETS)
    rows = np.random.default_rng(1).random((90, 784), dtype=np.float32)
    bags = Bags(rows, [0, 1, 3, 40, 90], instance_shape=(1, 28, 28))
    p, a = model.predict_proba(bags), model.attend(bags)
    alone = [model.predict_proba(bags[[i]])[0] for i in range(len(bags))]
    np.testing.assert_allclose(alone, p, rtol=0, atol=1e-12)
    monkeypatch.setattr(encoders, "_AT_ONCE", 3)
    np.testing.assert_allclose(model.attend(bags), a, rtol=0, atol=1e-12)


def test_convolutions_predict_as_precisely_as_they_were_trained():
    bags = images(28)
    for dtype in ("float32", "float64"):
        training = Training(epochs=1, dtype=dtype)
        model = MIPLMA(width=4, training=training).fit(bags, SETS)
        x = torch.tensor(bags.instances).double()
        encoder = copy.deepcopy(model.module_).double().eval().encoder
        with torch.no_grad():
            expected = encoder(x).numpy()  # All in float64.
        found = model.transform(
            Bags(bags.instances, range(11), instance_shape=(28, 28))
        )
        error = np.abs(found - expected).max() / np.abs(expected).max()
        assert error < (1e-5 if dtype == "float32" else 1e-12)


class Own(nn.Module):
    """With everything that has a mode, draws numbers, or moves on its own."""

    def __init__(self):
        super().__init__()
        self.key = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return torch.relu(self.drop(self.norm(self.key(x))))


@pytest.fixture
def own():
    torch.manual_seed(3)
    return Own()


def fitted(encoder, lr=0.1, **arguments):
    training = Training(epochs=3, batch_size=4, lr=lr)
    model = MIPLMA(encoder=encoder, training=training, **arguments)
    return model.fit(PROBLEM.bags, PROBLEM.y)


def test_an_own_module_is_trained_and_its_width_is_used(own):
    model = fitted(own, width=99)
    assert model.transform(PROBLEM.bags).shape == (12, 8)
    trained = model.module_.encoder.module
    assert not torch.equal(trained.key.weight, own.key.weight)
    assert trained.norm.num_batches_tracked == 9
    p = model.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), p)


def test_an_own_module_keeps_the_values_it_came_with(own):
    start = own.key.weight.detach().clone()
    model = fitted(own, lr=1e-30)
    assert torch.equal(model.module_.encoder.module.key.weight, start)


def test_the_users_object_is_left_alone(own):
    before = copy.deepcopy(own.state_dict())
    own.eval()
    fitted(own)
    assert not own.training
    assert all(torch.equal(v, before[k]) for k, v in own.state_dict().items())


def test_training_with_an_own_module_repeats_its_bits(own):
    torch.manual_seed(1)
    first = fitted(own).predict_proba(PROBLEM.bags)
    torch.manual_seed(2)
    state = torch.get_rng_state()
    np.testing.assert_array_equal(fitted(own).predict_proba(PROBLEM.bags), first)
    assert torch.equal(torch.get_rng_state(), state)
    other = fitted(own, random_state=5).predict_proba(PROBLEM.bags)
    assert not np.array_equal(other, first)


def test_an_own_module_sees_images_as_images():
    class Sides(nn.Module):
        def forward(self, x):
            assert x.shape[1:] == (1, 8, 8)
            return x.amax(dim=(1, 3))

    model = MIPLMA(encoder=Sides(), training=Training(epochs=1))
    assert model.fit(images(8), SETS).transform(images(8)).shape == (4, 8)


def test_an_own_module_that_fails_is_told():
    with pytest.raises(MiplError, match=r"the encoder failed on 1 instance of shape"):
        fitted(nn.Linear(7, 3))
