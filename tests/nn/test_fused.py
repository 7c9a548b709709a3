"""Fused forms against the plain formulas, and their gradients against differences."""

import pytest
import torch
from torch import nn

from mipl.nn.fused import fused_gates, mapped


def numbers(*shape, seed=3):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def affine(inputs, outputs, bias=True, seed=1):
    layer = nn.Linear(inputs, outputs, bias, dtype=torch.float64, device="meta")
    for name, value in [*layer.named_parameters()]:
        drawn = nn.Parameter(numbers(*value.shape, seed=seed))
        setattr(layer, name, drawn)
    return layer


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_gates_and_their_gradients_are_the_formula(bias, shared):
    v = affine(6, 3, bias)
    u = v if shared else affine(6, 3, bias, seed=2)
    h = numbers(5, 6).requires_grad_()
    forms = fused_gates(h, v, u), torch.tanh(v(h)) * torch.sigmoid(u(h))
    torch.testing.assert_close(*forms, rtol=0, atol=1e-12)
    values = [h, *v.parameters(), *(() if shared else u.parameters())]
    pull = numbers(5, 3, seed=4)
    found, naive = (torch.autograd.grad((g * pull).sum(), values) for g in forms)
    for mine, formula in zip(found, naive, strict=True):
        torch.testing.assert_close(mine, formula, rtol=0, atol=1e-12)


def test_the_gradient_of_the_gates():
    v, u = affine(4, 3), affine(4, 3, seed=2)
    h = numbers(2, 4).requires_grad_()
    assert torch.autograd.gradcheck(lambda h: fused_gates(h, v, u), h)


def test_gates_far_out_stay_in_range():
    v, u = (affine(2, 1, bias=False) for _ in "vu")
    with torch.no_grad():
        v.weight.copy_(torch.tensor([[0.5, 0.0]]))
        u.weight.copy_(torch.tensor([[0.0, 1.0]]))
    x = torch.tensor(
        [[800.0, 800.0], [-800.0, 800.0], [0.0, -800.0]], dtype=torch.float64
    )
    assert fused_gates(x, v, u).flatten().tolist() == [1.0, -1.0, 0.0]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("columns", [False, True])
def test_each_run_has_its_own_map(bias, columns):
    """Also where the matrices lie by columns, as the gradient then does."""
    x, pull = numbers(6, 4).requires_grad_(), numbers(6, 3, seed=5)
    weight = numbers(2, 4, 3).mT if columns else numbers(2, 3, 4)
    weight.requires_grad_()
    offset = numbers(2, 3, seed=7).requires_grad_() if bias else None
    alone = [
        nn.functional.linear(part, weight[s], None if offset is None else offset[s])
        for s, part in enumerate(x.split(3))
    ]
    forms = mapped(x, weight, offset), torch.cat(alone)
    torch.testing.assert_close(*forms, rtol=0, atol=1e-12)
    values = [x, weight] if offset is None else [x, weight, offset]
    found, naive = (torch.autograd.grad((y * pull).sum(), values) for y in forms)
    for mine, formula in zip(found, naive, strict=True):
        torch.testing.assert_close(mine, formula, rtol=0, atol=1e-12)
