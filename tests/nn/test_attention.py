"""Gated scores and margin-aware attention, against their formulas."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import nn

from mipl.nn import GatedScore, MarginAttention, Segments
from mipl.nn.attention import EvenAttention, SigmoidAttention, inverse_root
from mipl.nn.initialisation import initialise

ORDERS = ("scores", "attention", "none")


def scored(**arguments):
    settings = {"shared": False, "head": "linear", "bias": True} | arguments
    score = GatedScore(3, 2, **settings)
    initialise(score, 1)
    return score.double()


def weighed(scores, sizes, tau=1.0, *, standardise, scale=1.0, detach=False):
    attention = MarginAttention(
        nn.Identity(), standardise=standardise, scale=scale, detach_spread=detach
    )
    scores = torch.as_tensor(scores, dtype=torch.float64)
    return attention.weigh(scores, Segments.of(torch.tensor(sizes)), tau)


def sigmoid(u):
    return 1 / (1 + np.exp(-u))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("head", ["linear", "mlp"])
@pytest.mark.parametrize("bias", [False, True, "gates"])
def test_the_score_is_the_formula(shared, head, bias):
    score = scored(shared=shared, head=head, bias=bias)
    value = {name: p.detach().numpy() for name, p in score.named_parameters()}
    h = np.random.default_rng(0).normal(size=(5, 3))

    def affine(layer, x):
        return x @ value[f"{layer}.weight"].T + value.get(f"{layer}.bias", 0.0)

    u = affine("gate", h)
    v = u if shared else affine("gate_sigmoid", h)
    g = np.tanh(u) * sigmoid(v)
    if head == "mlp":
        g = np.maximum(affine("score_hidden", g), 0)
    expected = affine("score_out", g)[:, 0]
    found = score(torch.tensor(h)).detach().numpy()
    np.testing.assert_allclose(found, expected, atol=1e-12)
    biases = [name for name in value if "bias" in name]
    assert bool(biases) == bool(bias)
    assert any("score" in name for name in biases) == (bias is True)


OPTIONS = {
    "shared": (False, True),
    "head": ("linear", "mlp"),
    "bias": (False, True, "gates"),
    "standardise": ORDERS,
    "scale": (1.0, inverse_root(128)),
    "detach": (False, True),
    "tau": (5.0, 0.1),
}


@pytest.mark.parametrize("chosen", [*itertools.product(*OPTIONS.values())])
def test_what_trains_is_the_formula_in_values_and_gradients(chosen):
    """Bags of a batch at once, and each by itself as the paper writes it."""
    *of_score, standardise, scale, detach, tau = chosen
    shared, head, bias = of_score
    attention = MarginAttention(
        scored(shared=shared, head=head, bias=bias),
        standardise=standardise,
        scale=scale,
        detach_spread=detach,
    )
    sizes = [3, 7, 4]
    generator = torch.Generator().manual_seed(5)
    h = torch.randn(sum(sizes), 3, dtype=torch.float64, generator=generator)
    bags = Segments.of(torch.tensor(sizes))
    values = [h.requires_grad_(), *attention.parameters()]
    with torch.no_grad():  # Scores far enough apart for a z-score to 12 digits.
        for parameter in attention.parameters():
            parameter.mul_(3)

    _, a = attention(h, bags, tau)
    fast = a, bags.weighted_sum(a, h)
    weights = [
        attention.formula(attention.score.formula(part), tau) for part in h.split(sizes)
    ]
    vectors = [w @ part for w, part in zip(weights, h.split(sizes), strict=True)]
    written = torch.cat(weights), torch.stack(vectors)

    pulls = [torch.cos(torch.arange(x.numel()).reshape(x.shape)) for x in fast]
    gradients = []
    for one in (fast, written):
        total = sum((x * pull).sum() for x, pull in zip(one, pulls, strict=True))
        gradients.append(torch.autograd.grad(total, values))
    for mine, formula in zip(
        (*fast, *gradients[0]), (*written, *gradients[1]), strict=True
    ):
        largest = max(1.0, float(formula.detach().abs().max()))
        torch.testing.assert_close(mine, formula, rtol=0, atol=1e-12 * largest)


def test_the_programs_gate_has_one_map_and_the_papers_two():
    assert sum(p.numel() for p in scored(shared=True).parameters()) == 8 + 3
    assert sum(p.numel() for p in scored(shared=False).parameters()) == 16 + 3


def test_the_programs_order_is_z_score_scale_softmax():
    scores, tau, scale = np.array([0.3, -1.2, 2.0, 0.1]), 0.7, 0.25
    z = (scores - scores.mean()) / (scores.std(ddof=1) + 1e-8) * scale / tau
    expected = np.exp(z) / np.exp(z).sum()
    found = weighed(scores, [4], tau, standardise="scores", scale=scale)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_the_papers_order_is_softmax_z_score():
    scores, tau = np.array([0.3, -1.2, 2.0, 0.1]), 0.7
    a = np.exp(scores / tau) / np.exp(scores / tau).sum()
    expected = (a - a.mean()) / a.std(ddof=1)
    found = weighed(scores, [4], tau, standardise="attention")
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_even_attention_makes_means_of_bags():
    h = torch.randn(5, 3, generator=torch.Generator().manual_seed(0)).double()
    bags = Segments.of(torch.tensor([4, 1]))
    _, a = EvenAttention()(h, bags, 0.3)
    expected = torch.stack([h[:4].mean(dim=0), h[4]])
    torch.testing.assert_close(bags.weighted_sum(a, h), expected)


def test_without_standardisation_it_is_a_softmax():
    scores = np.array([0.3, -1.2, 2.0])
    expected = np.exp(scores / 2) / np.exp(scores / 2).sum()
    found = weighed(scores, [3], 2.0, standardise="none")
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_figures_of_the_specification():
    """Two bags of two: the z-score is +-0.7071 whatever the gap (A.3, row 17)."""
    for gap in (1e-3, 1.0, 50.0):
        found = weighed(
            [gap, 0.0], [2], 0.1, standardise="scores", scale=inverse_root(128)
        )
        np.testing.assert_allclose(found, [0.777, 0.223], atol=5e-4)
    ones = [1.0] * 3 + [0.0] * 38
    for tau in (0.1, 5.0):  # Row 1: the paper's z-score undoes the temperature.
        found = weighed(ones, [41], tau, standardise="attention")
        np.testing.assert_allclose(found[[0, 3]], [3.515, -0.2775], atol=5e-4)
    for tau, share in ((5.0, 0.078), (0.1, 0.69)):  # Row 2.
        found = weighed(ones, [41], tau, standardise="scores", scale=inverse_root(128))
        assert math.isclose(found[:3].sum(), share, abs_tol=5e-3)


def test_a_detached_spread_lets_no_gradient_through():
    gradients = []
    for detach in (False, True):
        scores = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
        a = weighed(scores, [3], standardise="scores", detach=detach)
        (a * torch.tensor([1.0, 2.0, 4.0])).sum().backward()
        gradients.append(scores.grad)
    assert not torch.allclose(*gradients)
    # The z-score does not know the scale of the scores: no gradient along them.
    whole = gradients[0] @ torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64)
    assert abs(float(whole)) < 1e-6


@pytest.mark.parametrize("standardise", ORDERS)
@pytest.mark.parametrize("detach", [False, True])
def test_a_bag_of_one_instance_has_all_the_attention(standardise, detach):
    scores = torch.tensor([4.0], dtype=torch.float64, requires_grad=True)
    a = weighed(scores, [1], 0.1, standardise=standardise, detach=detach)
    a.sum().backward()
    assert a.tolist() == [1.0]
    assert scores.grad.tolist() == [0.0]


@pytest.mark.parametrize("standardise", ORDERS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_equal_scores_share_the_attention_evenly(standardise, dtype):
    attention = MarginAttention(
        nn.Identity(), standardise=standardise, scale=1.0, detach_spread=False
    )
    for n in range(1, 120):
        scores = torch.full((n,), 0.3, dtype=dtype, requires_grad=True)
        a = attention.weigh(scores, Segments.of(torch.tensor([n])), 0.7)
        a.square().sum().backward()
        np.testing.assert_allclose(a.detach(), 1 / n, rtol=1e-5)
        assert torch.isfinite(scores.grad).all()


def test_attention_in_the_papers_order_sums_to_zero():
    rng = np.random.default_rng(2)
    sizes = [2, 5, 40]
    found = weighed(rng.normal(size=47), sizes, 0.5, standardise="attention")
    sums = Segments.of(torch.tensor(sizes)).sum(found)
    np.testing.assert_allclose(sums, 0, atol=1e-12)
    lengths = Segments.of(torch.tensor(sizes)).sum(found**2)
    np.testing.assert_allclose(lengths, np.array(sizes) - 1, rtol=1e-12)


def test_sigmoid_attention_gives_shares_also_where_every_sigmoid_is_zero():
    attention = SigmoidAttention(nn.Identity())
    scores = torch.tensor([-1.0, 2.0, 0.5, -800.0, -801.0, 3.0], dtype=torch.float64)
    shares = attention.weigh(scores, Segments.of(torch.tensor([3, 2, 1])), 1.0)
    a = sigmoid(scores[:3].numpy())
    np.testing.assert_allclose(shares[:3], a / a.sum(), atol=1e-12)
    assert shares[3:5].sum() == 1 and shares[3] > shares[4] > 0
    assert shares[5] == 1
    np.testing.assert_allclose(attention.opened(scores)[:3], a, atol=1e-12)
