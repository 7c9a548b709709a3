"""The latent label: keyed draws, relaxed samples, and what a weight of zero does."""

import numpy as np
import torch

from mipl.nn.dropout import rekey
from mipl.nn.initialisation import initialise
from mipl.nn.keyed_draws import KeyedUniform
from mipl.nn.latent_label import LatentLabel


def test_draws_are_a_function_of_the_key():
    noise, like = KeyedUniform(), torch.zeros(3, 4)
    rekey(noise, 5)
    first, again = noise(like), noise(like)
    rekey(noise, 6)
    assert (first == again).all() and (first != noise(like)).any()
    assert first.shape == (3, 4) and first.dtype == torch.float32
    assert ((first >= 0) & (first < 1)).all()


def test_a_sample_is_the_sigmoid_of_both_logits():
    q, u = np.array([[0.2, 0.7]]), np.array([[0.4, 0.9]])
    logits = np.log(q / (1 - q)) + np.log(u / (1 - u))
    latent = LatentLabel(2, 2)
    found = latent.sample(torch.tensor(q), torch.tensor(u))
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-1.5 * logits)), atol=1e-12)


def test_samples_at_the_edges_are_finite_and_keep_their_side():
    q = torch.tensor([[0.0, 1.0]], requires_grad=True)
    y = LatentLabel(2, 2).sample(q, torch.tensor([[0.0, 0.999]]))
    y.sum().backward()
    low, high = y.detach()[0].tolist()
    assert low < 1e-6 and high > 0.999
    assert torch.isfinite(q.grad).all()


def test_a_label_without_weight_is_never_inferred():
    latent = LatentLabel(3, 2).double()
    initialise(latent, 0)
    z, w = torch.randn(4, 3).double(), torch.tensor([[1.0, 0.0]] * 4).double()
    q = latent.infer(z, w)
    assert (q[:, 1] == 0).all() and ((q[:, 0] > 0) & (q[:, 0] < 1)).all()
