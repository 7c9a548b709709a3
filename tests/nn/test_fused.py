"""Fused forms against the plain formulas, and their gradients against differences."""

import pytest
import torch
from torch import nn

from mipl.nn.fused import dropped_maps, fused_gates, mapped


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
@pytest.mark.parametrize("axis", [False, True])
def test_each_run_has_its_own_map(bias, columns, axis):
    """Also where the matrices lie by columns, as the gradient then does.

    Rows of a run lie one after another, or in an axis of their own.
    """
    x, pull = numbers(6, 4).requires_grad_(), numbers(6, 3, seed=5)
    weight = numbers(2, 4, 3).mT if columns else numbers(2, 3, 4)
    weight.requires_grad_()
    offset = numbers(2, 3, seed=7).requires_grad_() if bias else None
    alone = [
        nn.functional.linear(part, weight[s], None if offset is None else offset[s])
        for s, part in enumerate(x.split(3))
    ]
    found = mapped(x.view(2, 3, 4) if axis else x, weight, offset)
    assert found.shape == ((2, 3, 3) if axis else (6, 3))
    forms = found.view(6, 3), torch.cat(alone)
    torch.testing.assert_close(*forms, rtol=0, atol=1e-12)
    values = [x, weight] if offset is None else [x, weight, offset]
    found, naive = (torch.autograd.grad((y * pull).sum(), values) for y in forms)
    for mine, formula in zip(found, naive, strict=True):
        torch.testing.assert_close(mine, formula, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [3, 1100])
@pytest.mark.parametrize("dropped", [0.0, 0.25])
def test_layers_one_after_another_are_the_formula(rows, dropped):
    """Also in blocks of rows, of which the last is not full."""
    maps = [affine(4, 6), affine(6, 3, seed=2)]
    x = numbers(rows, 4).requires_grad_()
    generator = torch.Generator().manual_seed(1)
    random = [
        torch.randint(0, 256, (rows, q), generator=generator, dtype=torch.uint8)
        for q in (6, 3)
    ]
    plain = x
    for layer, bytes_ in zip(maps, random, strict=True):
        keep = (bytes_ >= round(dropped * 256)).double() / (1 - dropped)
        plain = torch.relu(layer(plain) * keep)
    given = [None if dropped == 0 else bytes_ for bytes_ in random]
    fused = dropped_maps(x, maps, given, dropped)
    torch.testing.assert_close(fused, plain, rtol=0, atol=1e-10)
    values = [x, *(p for layer in maps for p in layer.parameters())]
    pull = numbers(rows, 3, seed=9)
    found, naive = (
        torch.autograd.grad((y * pull).sum(), values) for y in (fused, plain)
    )
    for mine, formula in zip(found, naive, strict=True):
        torch.testing.assert_close(mine, formula, rtol=1e-10, atol=1e-10)
