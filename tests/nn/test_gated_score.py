"""The gated score against its formula, and its gradient against differences."""

import pytest
import torch

from mipl.nn.gated_score import GatedScore, gated
from mipl.nn.initialisation import initialise


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("head", ["linear", "mlp"])
@pytest.mark.parametrize("bias", [False, True, "gates"])
def test_the_score_is_its_formula(shared, head, bias):
    score = GatedScore(6, 3, shared=shared, head=head, bias=bias).double()
    initialise(score, seed=1)
    h = torch.randn(
        5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(2)
    )
    v = score.gate(h)
    u = v if shared else score.gate_sigmoid(h)
    g = torch.tanh(v) * torch.sigmoid(u)
    if head == "mlp":
        g = torch.relu(score.score_hidden(g))
    torch.testing.assert_close(score(h), score.score_out(g)[:, 0])
    values = [h.requires_grad_(), *score.parameters()]
    found = torch.autograd.grad(score(h).square().sum(), values)
    naive = torch.autograd.grad(score.score_out(g).square().sum(), values[1:])
    for mine, formula in zip(found[1:], naive, strict=True):
        torch.testing.assert_close(mine, formula)


def test_the_gradient_of_the_gates():
    x = torch.randn(
        4, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(3)
    )
    assert torch.autograd.gradcheck(gated, x.requires_grad_())


def test_gates_far_out_stay_in_range():
    x = torch.tensor([[800.0, 800.0], [-800.0, 800.0], [0.0, -800.0]])
    assert gated(x).flatten().tolist() == [1.0, -1.0, 0.0]
