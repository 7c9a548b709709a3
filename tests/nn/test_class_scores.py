"""Class-wise attention and scores: the fused form, its gradient, and its bits."""

import numpy as np
import pytest
import torch

from mipl.nn.class_scores import bag_scores, fused_bag_scores
from mipl.nn.segments import Segments


def numbers(*shape, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=shape))


@pytest.mark.parametrize("sizes", [[2, 1, 4, 2], [1], [700, 3, 700], [300] * 4])
def test_the_fused_form_is_the_formula(sizes):
    """Also for bags longer than a block, and for more of one size than a block has."""
    bags = Segments.of(torch.tensor(sizes))
    h, u, b = numbers(sum(sizes), 5), numbers(5, 6, seed=1), numbers(5, 6, seed=2)
    forms = []
    for form in (bag_scores, fused_bag_scores):
        given = [each.clone().requires_grad_() for each in (h, u, b)]
        z = form(*given, bags)
        pull = numbers(*z.shape, seed=3)
        forms.append([z, *torch.autograd.grad((z * pull).sum(), given)])
    for plain, fused in zip(*forms, strict=True):
        torch.testing.assert_close(fused, plain, rtol=1e-10, atol=1e-10)


def test_a_bag_is_scored_as_it_is_written():
    sizes, k = [3, 1, 2], 4
    h, u, b = numbers(6, 5), numbers(5, k, seed=1), numbers(5, k, seed=2)
    found = fused_bag_scores(h, u, b, Segments.of(torch.tensor(sizes)))
    for i, bag in enumerate(h.split(sizes)):
        for c in range(k):
            e = np.exp((bag @ u[:, c]).numpy())
            expected = (e / e.sum()) @ (bag @ b[:, c]).numpy()
            assert np.isclose(found[i, c], expected)


def test_the_other_bags_do_not_matter():
    h, u, b = numbers(9, 5), numbers(5, 3, seed=1), numbers(5, 3, seed=2)
    whole = fused_bag_scores(h, u, b, Segments.of(torch.tensor([4, 2, 3])))
    alone = fused_bag_scores(h[4:6], u, b, Segments.of(torch.tensor([2])))
    torch.testing.assert_close(whole[1:2], alone, rtol=0, atol=1e-12)


def test_large_logits_do_not_overflow():
    h = torch.tensor([[300.0], [-300.0], [1.0]], dtype=torch.float64)
    one = torch.ones(1, 1, dtype=torch.float64)
    z = fused_bag_scores(h, 10 * one, one, Segments.of(torch.tensor([2, 1])))
    assert z.flatten().tolist() == [300.0, 1.0]
