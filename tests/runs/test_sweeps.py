"""Sweeps: several values of an argument are as many runs of a plan."""

import math
from itertools import pairwise

import pytest

from mipl.errors import MiplError
from mipl.runs.run_settings import RunSettings
from mipl.runs.sweeps import expanded, values_of


def test_every_combination_once():
    told = RunSettings.of(["lam=0.1,1,5", "training.lr=0.01,0.1", "options.seed=1"])
    plan = expanded(told)
    points = {(one.arguments["lam"], one.arguments["training__lr"]) for one in plan}
    assert len(plan) == 6 == len(points)
    assert points == {(lam, lr) for lam in (0.1, 1, 5) for lr in (0.01, 0.1)}
    assert all(dict(one.options) == {"seed": 1} for one in plan)
    assert expanded(RunSettings.of(["lam=2"])) == [RunSettings.of(["lam=2"])]


def test_logarithmic_points_have_equal_ratios():
    values = values_of("training__lr", "0.01..0.2:log4")
    assert (values[0], values[-1]) == (0.01, 0.2)
    ratios = [after / before for before, after in pairwise(values)]
    assert ratios == pytest.approx([20 ** (1 / 3)] * 3, rel=1e-5)
    assert values_of("width", "8..64:log4") == [8, 16, 32, 64]


def test_linear_points_have_equal_differences():
    assert values_of("lam", "0..1:5") == [0, 0.25, 0.5, 0.75, 1]
    assert values_of("width", "32..128:4") == [32, 64, 96, 128]
    assert all(isinstance(one, int) for one in values_of("width", "32..128:4"))
    values = values_of("lam", "-1.5..1.5:3")
    assert values == [-1.5, 0.0, 1.5] and all(map(math.isfinite, values))


def test_texts_lists_and_truths():
    assert values_of("scaling", "auto,none") == ["auto", "none"]
    assert values_of("balance", "true,false") == [True, False]
    assert values_of("width", [256, 64]) == [[256, 64]]
    assert values_of("published", True) == [True]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("0.1..5:log", r"lam=0.1..5:log must say how many values, from 2 to 1000"),
        ("0.1..5", r"must say how many values, .* lam=0.1..5:4"),
        ("0.1..5:1", "must say how many values"),
        ("5..1:3", "the smaller one first; got 5 and 1"),
        ("0..1:log3", "two numbers above 0, the smaller one first"),
        ("a..b:3", "is no range; give LOW..HIGH:N"),
        ("1,,2", "has an empty value"),
        ("1,2,1", "has a value twice"),
    ],
)
def test_what_is_no_sweep_is_one_sentence(value, sentence):
    with pytest.raises(MiplError, match=sentence):
        values_of("lam", value)


def test_an_absurd_plan_is_refused():
    told = RunSettings.of(["lam=0..1:100", "tau=1..2:100"])
    with pytest.raises(MiplError, match="10,000 settings of each method"):
        expanded(told)
