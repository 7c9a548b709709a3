"""Ranges and choices: what they hold, how they are kept, what they refuse."""

import math

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl import MiplError
from mipl.selection import Choices, Range
from mipl.selection.axes import as_axes

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
values = st.one_of(scalars, st.lists(scalars, max_size=3))


@given(st.lists(values, min_size=1, max_size=5))
def test_every_choice_comes_back_from_what_is_kept(given_values):
    axis = Choices(tuple(given_values))
    for value in given_values:
        kept = axis.stored(value)
        assert isinstance(kept, str) and repr(axis.value(kept)) == repr(value)
    assert len(axis.points()) == len({repr(value) for value in given_values})


def drawn(axis, n=60):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    trials = [study.ask() for _ in range(n)]
    for trial in trials:
        axis.draw(trial, "x")
    return [axis.value(trial.params["x"]) for trial in trials]


def test_what_is_drawn_lies_in_the_axis():
    whole = drawn(Range(3, 6))
    assert set(whole) == {3, 4, 5, 6} == set(Range(3, 6).points())
    numbers = drawn(Range(3.0, 6.0))
    assert all(3 <= x <= 6 for x in numbers) and not set(numbers) <= {3, 4, 5, 6}
    assert drawn(Choices(([1, 2], None))).count(None) in range(1, 60)
    # Half of a logarithmic range lies below the geometric mean of its ends.
    assert sum(x < 0.1 for x in drawn(Range(0.001, 10.0, log=True), 400)) in range(
        160, 240
    )


def test_a_range_takes_fractions_where_the_default_is_one():
    space = {"lam": Range(1, 5), "width": Range(1, 5), "batch": Range(1, 5)}
    axes = as_axes(space, {"lam": 0.5, "width": 128, "batch": None})
    assert [axis.whole for axis in axes.values()] == [True, False, True]


def test_the_order_in_which_a_space_is_given_does_not_matter():
    one, other = {"b": [1], "a": Range(0, 1)}, {"a": Range(0, 1), "b": [1]}
    assert list(as_axes(one, {}).items()) == list(as_axes(other, {}).items())


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Range(5, 0.1), "the range 5..0.1 must go from a smaller number"),
        (lambda: Range(1, 1), "the range 1..1 must go from"),
        (lambda: Range(0, 1, log=True), "the range 0..1:log must begin above zero"),
        (lambda: Range(0, math.inf), "must be numbers; got inf"),
        (lambda: Range(math.nan, 1), "must be numbers; got nan"),
        (lambda: Range("a", 1), "must be numbers; got 'a'"),
        (lambda: Range(False, True), "must be numbers; got False"),
        (lambda: Choices(()), "needs at least one value"),
        (lambda: Choices((math.nan,)), "must be numbers, texts or lists; got"),
        (lambda: Choices((object(),)), "must be numbers, texts or lists; got"),
        (lambda: as_axes({"lam": 3}, {}), "lam must be a Range or a list of values"),
        (lambda: as_axes({"lam": "abc"}, {}), "lam must be a Range or a list"),
    ],
)
def test_what_is_no_axis_is_told(make, sentence):
    with pytest.raises(MiplError) as told:
        make()
    assert sentence in str(told.value)
