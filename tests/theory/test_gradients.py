"""Gradients against finite differences, in float64."""

import pytest
import torch
from tests.theory.networks import FORMS, name, network
from torch.autograd import gradcheck

from mipl.nn import Segments
from mipl.objectives import (
    margin_distribution_loss,
    margin_violation,
    single_bag_margin_loss,
    weighted_log_loss,
)

BAGS = Segments.of(torch.tensor([3, 1, 2, 4]))
SETS = torch.tensor([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1]], dtype=torch.bool)
W = SETS / SETS.sum(dim=1, keepdim=True).double()


def numbers(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(
        shape, dtype=torch.float64, generator=generator, requires_grad=True
    )


OPERATIONS = {
    "sum": BAGS.sum,
    "mean": BAGS.mean,
    "centre": BAGS.centre,
    "std of centred": lambda x: BAGS.std(BAGS.centre(x)),
    "softmax": BAGS.softmax,
    "spread": lambda x: BAGS.spread(BAGS.sum(x)),
}
LOSSES = {
    "weighted log loss": lambda x: weighted_log_loss(x.log_softmax(1), W).mean(),
    "violation": lambda x: margin_violation(x.softmax(1), SETS, 0.5),
    "distribution": lambda x: margin_distribution_loss(
        margin_violation(x.softmax(1), SETS)
    ),
    "sample variance": lambda x: margin_distribution_loss(
        margin_violation(x.softmax(1), SETS), ddof=1
    ),
    "with values seen": lambda x: margin_distribution_loss(
        margin_violation(x.softmax(1), SETS), torch.tensor([0.3, 0.9]).double()
    ),
    "single bag": lambda x: single_bag_margin_loss(
        margin_violation(x.softmax(1), SETS, 0.5)
    ),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_segment_operations(operation):
    assert gradcheck(OPERATIONS[operation], (numbers(10),))


def test_segment_sums_of_vectors():
    assert gradcheck(lambda x: (BAGS.sum(x), BAGS.mean(x)), (numbers(10, 2),))


@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss):
    assert gradcheck(LOSSES[loss], (numbers(4, 3),))


@pytest.mark.parametrize("form", FORMS, ids=name)
@pytest.mark.parametrize("classifier", ["softmax", "sigmoid-softmax"])
def test_the_whole_objective_for_every_form_of_attention(form, classifier):
    module = network(form, 2, classifier)
    names, values = zip(*module.named_parameters(), strict=True)

    def objective(x, *parameters):
        given = dict(zip(names, parameters, strict=True))
        out = torch.func.functional_call(module, given, (x, BAGS, 0.8))
        phi = margin_violation(out.p, SETS)
        loss = weighted_log_loss(out.log_p, W).mean()
        return loss + 0.5 * margin_distribution_loss(phi)

    inputs = [value.detach().clone().requires_grad_() for value in values]
    # Along one random direction per parameter: enough to see any wrong formula.
    assert gradcheck(objective, (numbers(10, 2), *inputs), fast_mode=True)
