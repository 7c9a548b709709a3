"""Classes whose arguments stand once."""

from __future__ import annotations

import copy
import pickle
from inspect import Parameter, getdoc, signature

import pytest
from sklearn.base import BaseEstimator, clone

from mipl import MiplError
from mipl.parameters import (
    Declared,
    integer,
    learnt,
    number,
    parameters,
    redeclared,
)


class Base(Declared, BaseEstimator, kw_only=True):
    """The base."""

    width: int = integer("Length.", default=128, at_least=1)
    seen_: int = learnt()


class Leaf(Base):
    """The leaf.

    More of it.

    Notes
    -----
    A note.
    """

    lam: float = number("Weight.", default=0.5, at_least=0, search=(0.1, 1.0))
    width: int = redeclared(default=64)


class Around(Base):
    """Something around another."""

    inner: object = number("What is inside.")
    times: int = integer("How often.", default=1, at_least=1)


class ByHand(Base):
    """A constructor of its own.

    Parameters
    ----------
    power : float
    """

    def __init__(self, power=1.0, width=3):
        self.power = power
        self.width = width


def test_the_signature_is_real():
    found = signature(Leaf).parameters
    assert {n: p.default for n, p in found.items()} == {"lam": 0.5, "width": 64}
    assert {n: p.annotation for n, p in found.items()} == {
        "lam": "float",
        "width": "int",
    }
    kinds = [Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY]
    assert [p.kind for p in found.values()] == kinds
    assert Leaf.__init__.__qualname__ == "Leaf.__init__"


def test_values_are_stored_and_nothing_else():
    assert vars(Leaf(lam="x")) == {"lam": "x", "width": 64}
    assert vars(Base()) == {"width": 128}
    assert not hasattr(Base, "width") and not hasattr(Leaf(), "seen_")


def test_it_clones_copies_and_pickles():
    model = Leaf(width=3)
    for other in (
        clone(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ):
        assert type(other) is Leaf and vars(other) == vars(model)
    assert model.get_params() == {"lam": 0.5, "width": 3}
    assert repr(model) == "Leaf(width=3)"


def test_by_place_only_what_the_class_itself_declares():
    assert vars(Around("a", 2)) == {"inner": "a", "times": 2, "width": 128}
    with pytest.raises(TypeError, match="Around: missing a required argument: 'inner'"):
        Around()
    assert vars(Leaf(0.1)) == {"lam": 0.1, "width": 64}
    with pytest.raises(TypeError, match="Leaf: too many positional arguments"):
        Leaf(0.5, 64)
    with pytest.raises(TypeError, match="Around: too many positional arguments"):
        Around("a", 2, 3)


def test_an_unknown_argument_gets_a_guess():
    with pytest.raises(MiplError, match="argument of Leaf 'lamm'; did you"):
        Leaf(lamm=1)
    with pytest.raises(TypeError):  # As Python and scikit-learn have it.
        Leaf(lamm=1)


def test_checks_name_argument_and_class():
    Leaf().check_parameters()
    with pytest.raises(MiplError, match="width of Leaf must be an integer >= 1; got"):
        Leaf(width=0).check_parameters()
    Leaf(width=0).check_parameters("lam")


def test_the_docstring_has_the_arguments_once_before_other_sections():
    assert getdoc(Leaf).split("\n\n") == [
        "The leaf.",
        "More of it.",
        "Parameters\n----------\nlam : float, default 0.5\n    Weight.\n"
        "width : int, default 64\n    Length.",
        "Notes\n-----\nA note.",
    ]


def test_a_constructor_by_hand_stays():
    assert vars(ByHand(2.0)) == {"power": 2.0, "width": 3}
    assert getdoc(ByHand).count("Parameters") == 1 and "Length" not in getdoc(ByHand)
    found = parameters(ByHand)
    assert (found["power"].default, found["width"].about) == (1.0, "Length.")
    with pytest.raises(MiplError, match="width of ByHand must be an integer >= 1"):
        ByHand(width=0).check_parameters()

    class Below(ByHand):
        pass

    assert vars(Below(3.0)) == {"power": 3.0, "width": 3}


def test_several_bases_give_each_argument_once():
    class Other(Declared):
        depth: int = integer("Depth.", default=1)
        width: int = integer("Another width.", default=7)

    class Both(Leaf, Other):
        pass

    assert list(parameters(Both)) == ["lam", "width", "depth"]
    assert vars(Both()) == {"lam": 0.5, "width": 64, "depth": 1}


def test_what_is_declared_stays_with_its_class():
    assert parameters(Base)["width"].default == 128
    assert parameters(Leaf)["width"].about == parameters(Base)["width"].about
    assert parameters(Leaf)["lam"].search == (0.1, 1.0)
