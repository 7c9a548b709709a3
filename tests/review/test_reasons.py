"""The four reasons, recomputed by plain loops."""

import math

import numpy as np
import pytest

from mipl.review import reasons
from mipl.seeds import stream


@pytest.fixture
def problem():
    rng = stream(0, "reasons")
    sets = rng.random((40, 6)) < 0.5
    sets[np.arange(40), rng.integers(6, size=40)] = True
    p = rng.dirichlet(np.ones(6) * 0.3, size=40)
    return p, sets


def inside(p, sets):
    return np.where(sets, p, 0) / np.where(sets, p, 0).sum(axis=1, keepdims=True)


def test_unresolved_is_an_entropy_over_its_largest_value(problem):
    p, sets = problem
    posterior = inside(p, sets)
    for row, chosen, found in zip(
        posterior, sets, reasons.unresolved(posterior, sets), strict=True
    ):
        n = int(chosen.sum())
        h = -sum(v * math.log(v) for v in row if v > 0)
        assert found == pytest.approx(h / math.log(n) if n > 1 else 0.0, abs=1e-12)


def test_disagreement_is_what_lies_outside_or_apart_from_votes(problem):
    p, sets = problem
    for row, chosen, found in zip(p, sets, reasons.disagreement(p, sets), strict=True):
        assert found == pytest.approx(sum(row[c] for c in range(6) if not chosen[c]))
    votes = inside(stream(1, "votes").random((40, 6)), sets)
    both = reasons.disagreement(p, sets, votes)
    for row, vote, alone, found in zip(
        p, votes, reasons.disagreement(p, sets), both, strict=True
    ):
        apart = 0.5 * sum(abs(a - b) for a, b in zip(row, vote, strict=True))
        assert found == pytest.approx(max(alone, apart))


def test_twins_are_mutual_and_as_near_as_told():
    rng = stream(0, "twins")
    rows = rng.normal(size=(60, 3))
    rows[7] = rows[3] + 1e-4
    rows[20] = rows[21] = rows[3]
    near = reasons.twins(rows)
    assert set(near[3]) == {7, 20, 21}
    assert all(bag in near[other] for bag in range(60) for other in near[bag])
    scaled = rows / rows.std(axis=0)
    apart = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    reach = 0.1 * np.median(apart.min(axis=1))
    for bag in range(60):
        assert set(near[bag]) == set(np.flatnonzero(apart[bag] <= reach + 1e-7))


def test_features_that_never_differ_make_no_twins():
    assert [len(one) for one in reasons.twins(np.ones((4, 2)))] == [0] * 4
    assert [len(one) for one in reasons.twins(np.ones((1, 2)))] == [0]


def test_contradiction_is_one_minus_jaccard(problem):
    _, sets = problem
    near = [np.array([1, 2]), np.array([0]), np.array([], int)] + [np.array([])] * 37
    near = [one.astype(int) for one in near]
    worst, whose = reasons.contradiction(sets, near)

    def apart(a, b):
        one, two = set(np.flatnonzero(sets[a])), set(np.flatnonzero(sets[b]))
        return 1 - len(one & two) / len(one | two)

    assert worst[0] == pytest.approx(max(apart(0, 1), apart(0, 2)))
    assert worst[1] == pytest.approx(apart(1, 0))
    assert (worst[2:] == 0).all()
    assert (whose[2:] == -1).all()


def test_every_reason_lies_between_nothing_and_all(problem):
    p, sets = problem
    for values in (
        reasons.unresolved(inside(p, sets), sets),
        reasons.disagreement(p, sets, inside(p, sets)),
        reasons.width(sets),
    ):
        assert ((values >= 0) & (values <= 1)).all()
