"""Instance labels tied by their bags, against loops over bags and instances."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.special import expit, logit

from mipl.objectives.instance_labels import (
    BagCopies,
    InstanceLabels,
    largest_other,
)

RNG = np.random.default_rng(0)
SIZES = np.array([3, 1, 5, 2, 1])
COPIES = np.array([[1, 0], [0, 1], [2, 1], [1, 1], [1, 0]])
LOG_H = 3.0


def made(log_h=LOG_H):
    copies = BagCopies.of(SIZES, COPIES)
    pi = RNG.uniform(0.01, 0.99, len(copies.row))
    return InstanceLabels(copies, pi, log_h)


def test_copies_name_the_instances_they_repeat():
    copies = BagCopies.of(SIZES, COPIES)
    rows, labels, starts = [], [], np.cumsum(SIZES) - SIZES
    for start, size, (negative, positive) in zip(starts, SIZES, COPIES, strict=True):
        for label in [False] * negative + [True] * positive:
            rows += range(start, start + size)
            labels += [label] * size
    assert copies.row.tolist() == rows
    assert copies.positive.tolist() == labels
    values = RNG.normal(size=len(rows))
    totals = [values[np.array(rows) == i].sum() for i in range(12)]
    np.testing.assert_allclose(copies.gather(values, 12), totals)


def other(pi, n, emax):
    rest = np.delete(pi, n)
    if emax == "exact":
        return 1 - np.prod(1 - rest)
    return rest.max(initial=0.0)


def by_loops(labels, evidence, update, emax, damping):
    """Move beliefs as the formula says, one bag and one instance at a time."""
    offsets, found = labels.copies.offsets, labels.logits.copy()
    for start, stop in pairwise(offsets):
        old = expit(found[start:stop])
        for n in range(stop - start):
            pi = expit(found[start:stop]) if update == "sequential" else old
            m = other(pi, n, emax)
            t = labels.copies.positive[start]
            new = evidence[start + n] + LOG_H * (2 * t + m - 2 * t * m - 1)
            before = found[start + n]
            found[start + n] = damping * before + (1 - damping) * new
    return found


@pytest.mark.parametrize("update", ["parallel", "sequential"])
@pytest.mark.parametrize("emax", ["max", "exact"])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_beliefs_move_as_the_formula_says(update, emax, damping):
    labels = made()
    evidence = RNG.normal(size=len(labels.logits))
    expected = by_loops(labels, evidence, update, emax, damping)
    labels.update(evidence, update, emax, damping)
    np.testing.assert_allclose(labels.logits, expected, atol=1e-9)


def test_ties_count_as_others_and_nobody_as_zero():
    copies = BagCopies.of(np.array([3, 1]), np.array([[1, 0], [1, 0]]))
    found = largest_other(np.array([0.4, 0.4, 0.1, 0.9]), copies)
    assert found.tolist() == [0.4, 0.4, 0.4, 0.0]


def test_the_bound_is_the_expectation_over_all_labels():
    copies = BagCopies.of(np.array([3, 2]), np.array([[1, 0], [0, 1]]))
    pi = np.array([0.2, 0.6, 0.1, 0.5, 0.7])
    expected = 0.0
    for rows, t in ((pi[:3], 0), (pi[3:], 1)):
        for y in product((0, 1), repeat=len(rows)):
            p = np.prod([q if one else 1 - q for q, one in zip(rows, y, strict=True)])
            g = t * max(y) + (1 - t) * (1 - max(y))
            expected += p * (LOG_H * g - np.log1p(np.exp(LOG_H)) - np.log(p))
    assert InstanceLabels(copies, pi, LOG_H).bound() == pytest.approx(expected)


def test_sure_beliefs_stay_finite():
    copies = BagCopies.of(np.array([2]), np.array([[1, 1]]))
    labels = InstanceLabels(copies, np.array([0.0, 1.0, 0.0, 1.0]), 27.6)
    for emax in ("max", "exact"):
        for update in ("parallel", "sequential"):
            labels.update(np.array([1e5, -1e5, 0, 0]), update, emax, 0.0)
            assert np.isfinite(labels.logits).all() and np.isfinite(labels.bound())
    assert (np.abs(logit(labels.pi)) > 10).any()
