"""Operations inside bags, against a loop over the bags."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import quick

from mipl.nn import Segments
from mipl.nn.segments import safe_sqrt

number = st.floats(-50, 50, width=64)


@st.composite
def segmented(draw):
    """Sizes of a few bags, and a number for each of their rows."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    n = sum(sizes)
    rows = draw(st.lists(number, min_size=n, max_size=n))
    return torch.tensor(sizes), torch.tensor(rows, dtype=torch.float64)


def per_bag(sizes, x):
    return [part.numpy() for part in x.split(sizes.tolist())]


@quick
@given(segmented())
def test_sum_mean_max_and_std_equal_the_loop(given_rows):
    sizes, x = given_rows
    bags, parts = Segments.of(sizes), per_bag(sizes, x)
    np.testing.assert_allclose(bags.sum(x), [p.sum() for p in parts], atol=1e-10)
    np.testing.assert_allclose(bags.mean(x), [p.mean() for p in parts], atol=1e-10)
    np.testing.assert_array_equal(bags.max(x), [p.max() for p in parts])
    naive = [p.std(ddof=1) if len(p) > 1 else 0.0 for p in parts]
    np.testing.assert_allclose(bags.std(bags.centre(x)), naive, atol=1e-7)


@quick
@given(segmented())
def test_softmax_equals_the_loop(given_rows):
    sizes, x = given_rows
    naive = [np.exp(p - p.max()) / np.exp(p - p.max()).sum() for p in per_bag(sizes, x)]
    found = Segments.of(sizes).softmax(x)
    np.testing.assert_allclose(found, np.concatenate(naive), atol=1e-12)


@quick
@given(segmented())
def test_spread_gives_each_row_the_value_of_its_bag(given_rows):
    sizes, _ = given_rows
    values = torch.arange(len(sizes))
    found = Segments.of(sizes).spread(values)
    assert found.tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()


def test_rows_of_several_columns_are_summed_and_averaged():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    bags = Segments.of(torch.tensor([2, 1]))
    assert bags.sum(x).tolist() == [[4.0, 6.0], [5.0, 6.0]]
    assert bags.mean(x).tolist() == [[2.0, 3.0], [5.0, 6.0]]


@quick
@given(segmented())
def test_peak_is_the_maximum_and_its_gradient_goes_to_the_first(given_rows):
    sizes, x = given_rows
    x = torch.stack([x, -x], dim=1).requires_grad_()
    found = Segments.of(sizes).peak(x)
    found.sum().backward()
    parts = x.detach().split(sizes.tolist())
    assert torch.equal(found, torch.stack([part.amax(dim=0) for part in parts]))
    for part, slopes in zip(parts, x.grad.split(sizes.tolist()), strict=True):
        expected = np.zeros(part.shape)
        expected[part.numpy().argmax(axis=0), [0, 1]] = 1
        np.testing.assert_array_equal(slopes, expected)


def test_softmax_survives_huge_and_infinite_scores():
    bags = Segments.of(torch.tensor([2, 2, 1]))
    scores = torch.tensor([3e38, -3e38, -torch.inf, 0.0, -3e38])
    assert bags.softmax(scores).tolist() == [1.0, 0.0, 0.0, 1.0, 1.0]


def test_a_bag_has_the_same_bits_beside_other_bags():
    x = torch.randn(7, generator=torch.Generator().manual_seed(0))
    alone = Segments.of(torch.tensor([3]))
    both = Segments.of(torch.tensor([3, 4]))
    for name in ("sum", "mean", "std"):
        one, two = getattr(alone, name)(x[:3]), getattr(both, name)(x)
        assert one[0] == two[0], name
    assert torch.equal(alone.softmax(x[:3]), both.softmax(x)[:3])


def test_safe_sqrt_has_no_gradient_at_zero():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    root = safe_sqrt(x)
    root.sum().backward()
    assert root.tolist() == [0.0, 2.0]
    assert x.grad.tolist() == [0.0, 0.25]


@quick
@given(segmented())
def test_columns_are_handled_one_by_one(given_rows):
    sizes, x = given_rows
    bags = Segments.of(sizes)
    columns = torch.stack([x, x.flip(0), x * 0], dim=1).unsqueeze(1)  # (N, 1, 3)
    for operation in (bags.max, bags.softmax, bags.sum, bags.mean):
        together = operation(columns)
        for c in range(3):
            alone = operation(columns[:, 0, c].contiguous())
            np.testing.assert_allclose(together[:, 0, c], alone, atol=1e-12)


def test_softmax_and_weighted_sum_have_the_gradients_of_their_formulas():
    segments = Segments.of(torch.tensor([3, 1, 2]))
    chance = torch.Generator().manual_seed(5)
    scores = torch.randn(6, dtype=torch.float64, generator=chance).requires_grad_()
    x = torch.randn(6, 4, dtype=torch.float64, generator=chance).requires_grad_()
    assert torch.autograd.gradcheck(segments.softmax, scores)
    assert torch.autograd.gradcheck(segments.weighted_sum, (scores, x))
    parts = zip(scores.split([3, 1, 2]), x.split([3, 1, 2]), strict=True)
    naive = torch.stack([a.softmax(0) @ rows for a, rows in parts])
    found = segments.weighted_sum(segments.softmax(scores), x)
    torch.testing.assert_close(found, naive)
