"""Dropout by key: repeatable, fair, and off outside training."""

import math

import pytest
import torch
from torch import nn

from mipl.nn.dropout import ConstantDroppedReLU, DroppedReLU, rekey
from mipl.nn.process_share import ProcessShare


def masks(p, key, shape=(50, 8), dtype=torch.float32):
    drop = DroppedReLU(p)
    rekey(drop, key)
    return drop(torch.ones(shape, dtype=dtype))


def test_the_same_key_gives_the_same_mask_and_another_key_another():
    assert torch.equal(masks(0.5, 7), masks(0.5, 7))
    assert not torch.equal(masks(0.5, 7), masks(0.5, 8))
    assert torch.equal(masks(0.5, 7).double(), masks(0.5, 7, dtype=torch.float64))


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.9])
def test_the_expectation_is_kept(p):
    n = 2_000_000
    x = masks(p, 3, (n,))
    kept = 1 - round(p * 256) / 256
    values = x.unique().tolist()
    assert values[0] == 0 and math.isclose(values[1], 1 / kept, rel_tol=1e-6)
    share = float((x > 0).double().mean())
    assert abs(share - kept) < 5 * math.sqrt(p * (1 - p) / n)
    assert abs(float(x.double().mean()) - 1) < 5 * math.sqrt(p / (1 - p) / n)


def test_columns_and_rows_are_dropped_independently():
    x = (masks(0.5, 11, (4096, 16)) > 0).double() - 0.5
    together = x.T @ x / len(x) * 4
    assert (together - torch.eye(16)).abs().max() < 5 / math.sqrt(4096)


def test_nothing_is_dropped_outside_training_or_at_zero():
    x = torch.randn(30, 3)
    for layer in (DroppedReLU(0.5).eval(), DroppedReLU(0.0)):
        assert torch.equal(layer(x.clone()), x.clamp_min(0))


def test_the_gradient_passes_where_a_number_was_kept_and_positive():
    x = torch.randn(200, 3, dtype=torch.float64)
    layer = DroppedReLU(0.25)
    rekey(layer, 4)
    kept = layer(torch.ones_like(x))
    assert 0 < (kept > 0).double().mean() < 1
    leaf = x.clone().requires_grad_()
    found = layer(leaf * 1)  # A copy: the layer works in place.
    assert torch.equal(found, (x * kept).clamp_min(0))
    weights = torch.randn_like(x)
    (found * weights).sum().backward()
    torch.testing.assert_close(leaf.grad, weights * kept * (x > 0))


def test_two_layers_of_a_network_get_different_masks():
    both = nn.Sequential(DroppedReLU(0.5), DroppedReLU(0.5))
    rekey(both, 5)
    first, second = (layer(torch.ones(64, 8)) for layer in both)
    assert not torch.equal(first, second)


def test_no_global_generator_is_touched():
    before = torch.get_rng_state()
    masks(0.5, 1)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_users_own_attribute_named_key_is_left_alone():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.key = nn.Linear(2, 2)

    module = Attention()
    layer = module.key
    rekey(module, 3)
    assert module.key is layer


def test_rows_that_every_batch_has_are_drawn_for_alike_by_every_process():
    """A share of the batch has its own instances alone, and all such rows."""
    share = ProcessShare((0, 1, 2), (0, 3, 10), rank=1)
    alone, shared = ConstantDroppedReLU(0.5), ConstantDroppedReLU(0.5)
    rekey(alone, 7)
    rekey(shared, 7, share)
    x = torch.ones(20, 4)
    assert torch.equal(alone(x.clone()), shared(x.clone()))
