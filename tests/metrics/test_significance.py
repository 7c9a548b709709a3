"""Significance against scipy, tables of record and the cases without spread."""

import math

import numpy as np
import pytest
from scipy import stats

from mipl.errors import MiplError
from mipl.metrics import friedman, holm, nemenyi_distance, t_test, verdict, win_tie_loss


@pytest.mark.parametrize("seed", range(5))
def test_t_tests_equal_scipy_and_the_formula(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(0.8, 0.03, 10)
    b = a - rng.normal(0.01, 0.02, 10)
    paired, unpaired = t_test(a, b), t_test(a, b[:8], paired=False)
    d = a - b
    t = d.mean() / (d.std(ddof=1) / math.sqrt(10))
    assert paired.statistic == pytest.approx(t)
    assert paired.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert paired == pytest.approx(tuple(stats.ttest_rel(a, b)))
    assert unpaired == pytest.approx(tuple(stats.ttest_ind(a, b[:8])))
    assert t_test(b, a).statistic == pytest.approx(-t)


def test_students_own_sleep_data():
    """Student 1908, additional hours of sleep by two drugs: t = 4.0621, p = .00283."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    test = t_test(second, first)
    assert test.statistic == pytest.approx(4.0621, abs=1e-4)
    assert test.p_value == pytest.approx(0.002833, abs=1e-6)
    assert verdict(second, first) == "win" and verdict(first, second) == "loss"
    # Unpaired, the same numbers are a tie: p = .07919.
    assert t_test(second, first, paired=False).p_value == pytest.approx(
        0.07919, abs=1e-5
    )
    assert verdict(second, first, paired=False) == "tie"


def test_without_spread_equal_is_a_tie_and_the_rest_is_decided():
    for paired in (True, False):
        assert t_test([0.9] * 10, [0.9] * 10, paired=paired) == (0.0, 1.0)
        assert t_test([0.0] * 3, [0.0] * 3, paired=paired) == (0.0, 1.0)
        assert t_test([1.0] * 10, [0.9] * 10, paired=paired) == (math.inf, 0.0)
        assert verdict([0.8] * 3, [0.9] * 3, paired=paired) == "loss"
    a = np.linspace(0.5, 0.7, 10)
    assert t_test(a, a) == (0.0, 1.0) and verdict(a, a) == "tie"
    assert t_test(a + 0.1, a) == (math.inf, 0.0), "but for rounding all differ by .1"


def test_the_share_of_false_alarms_is_the_level():
    rng = np.random.default_rng(0)
    found = [
        verdict(*rng.normal(size=(2, 10)), level=0.1, paired=True) for _ in range(1000)
    ]
    false = 1000 - found.count("tie")
    assert abs(false / 1000 - 0.1) < 4 * math.sqrt(0.09 / 1000)


def test_wins_ties_and_losses_are_counted():
    high, low = [0.9, 0.91, 0.92, 0.9], [0.5, 0.52, 0.51, 0.5]
    ours, rivals = [high, low, high, high], [low, high, high, low]
    assert win_tie_loss(ours, rivals) == (2, 1, 1)
    assert win_tie_loss([], []) == (0, 0, 0)


# After Demsar (2006), Table 6: AUC of four learners on 14 data sets. The last digit of
# one .975 is ours and breaks the tie the way its printed ranks do.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]


def test_friedman_on_the_published_example():
    test = friedman(DEMSAR)
    np.testing.assert_allclose(test.ranks, [3.143, 2.000, 2.893, 1.964], atol=1e-3)
    naive = [stats.rankdata([-x for x in row]) for row in DEMSAR]
    np.testing.assert_allclose(test.ranks, np.mean(naive, axis=0))
    theirs = stats.friedmanchisquare(*np.transpose(DEMSAR))
    assert (test.statistic, test.p_value) == pytest.approx(tuple(theirs))
    # Printed without the correction for ties: chi2 = 9.28.
    ranks, n, k = test.ranks, 14, 4
    plain = 12 * n / (k * (k + 1)) * ((ranks**2).sum() - k * (k + 1) ** 2 / 4)
    assert plain == pytest.approx(9.28, abs=0.01) and test.statistic >= plain
    assert test.critical_difference == pytest.approx(1.25, abs=0.01)


# Demsar (2006), Table 5(a): critical values of Nemenyi's test.
Q05 = {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949, 8: 3.031, 10: 3.164}
Q10 = {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 7: 2.693, 8: 2.780, 10: 2.920}


@pytest.mark.parametrize(("table", "level"), [(Q05, 0.05), (Q10, 0.10)])
def test_nemenyi_distance_follows_the_table_of_record(table, level):
    for k, q in table.items():
        expected = q * math.sqrt(k * (k + 1) / (6 * 19))
        assert nemenyi_distance(k, 19, level=level) == pytest.approx(expected, abs=2e-3)


def test_friedman_of_equal_methods_finds_nothing():
    test = friedman(np.ones((5, 3)))
    assert (test.statistic, test.p_value) == (0.0, 1.0)
    assert test.ranks.tolist() == [2.0, 2.0, 2.0]


REFUSED = [
    (lambda: t_test([1.0, 2.0], [1.0]), "same splits; got 2 and 1"),
    (lambda: t_test([1.0], [1.0]), "at least two results"),
    (lambda: t_test([1.0, np.nan], [1.0, 2.0]), "a must be finite; row 1"),
    (lambda: verdict([1, 2], [1, 3], level=0), "level must lie between 0 and 1"),
    (lambda: win_tie_loss([[1, 2]], []), "got 1 and 0"),
    (lambda: friedman(np.ones((4, 2))), "three methods and two data sets; got 2 and 4"),
    (lambda: friedman(np.ones(4)), "scores must have 2 axes"),
    (lambda: nemenyi_distance(1, 5), "at least two methods"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_bad_input_is_refused_in_one_sentence(call, text):
    with pytest.raises(MiplError, match=text):
        call()


def test_holm_by_its_definition():
    """Reject in order of size at level / (number left), until one is not rejected."""
    p_values, level = [0.012, 0.02, 0.001, 0.3, 0.0], 0.05
    rejected = set()
    for left, p in zip(range(len(p_values), 0, -1), sorted(p_values), strict=True):
        if p > level / left:
            break
        rejected.add(p)
    found = holm(p_values)
    assert {
        p for p, new in zip(p_values, found, strict=True) if new <= level
    } == rejected
    assert holm([]) == []
    with pytest.raises(MiplError, match=r"a p-value must lie from 0 to 1; got 1\.5"):
        holm([1.5])
