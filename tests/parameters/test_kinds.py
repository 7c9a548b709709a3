"""What an argument may be: its check, its sentence, its schema."""

import math

import numpy as np
import pytest

from mipl import MiplError
from mipl.parameters.kinds import (
    Choice,
    Flag,
    Integer,
    Integers,
    Number,
    Parameter,
    Part,
    Processes,
    Seed,
)

SHARE = Number("", above=0, at_most=1)
EPOCHS = Integer("", at_least=1, at_most=9)
CLIP = Number("", 1.0, or_none=True, above=0)
WIDTHS = Integers("", at_least=1)
BIAS = Choice("", True, options=(False, True, "gates"))
STOP = Choice("", None, or_none=True, options=("accuracy", "margin"))
DRAWN = Integer("", at_least=1, or_share=True, or_word="auto")
OWN = Choice("", "auto", options=("auto",), or_a=(("dictionary", dict),))


@pytest.mark.parametrize(
    ("one", "good", "bad", "must"),
    [
        (SHARE, [1, 0.5, np.float32(0.1)], [0, 2, True, "1", math.nan, None], "(0, 1]"),
        (Number("", at_least=0, below=1), [0, 0.99], [1, -1e-9], "a number in [0, 1)"),
        (Number("", below=1), [-5], [1], "must be a number < 1; got"),
        (Number("", at_most=1e-6), [-5, 1e-6], [1], "must be a number <= 1e-06; got"),
        (Number(""), [-5, 10**300], [math.inf, "a", [1]], "must be a number; got"),
        (EPOCHS, [1, 9, np.int64(3)], [0, 10, 2.0, True], "an integer in [1, 9]; got"),
        (
            DRAWN,
            [1, 7, 0.5, "auto"],
            [0, 0.0, 1.0, 2.5, math.nan, True, "all", None],
            "an integer >= 1 or a share in (0, 1) or 'auto'; got",
        ),
        (CLIP, [None, 0.1], [0, -1, math.inf], "must be None or a number > 0; got"),
        (
            WIDTHS,
            [1, (2, 3), [4]],
            [0, (), (2, 0), "12", (True,)],
            "or several of them",
        ),
        (
            Processes("", or_none=True),
            [None, 1, -1],
            [0, 0.5],
            "-1 for as many",
        ),
        (
            Seed("", or_none=True),
            [None, 3, np.random.RandomState(0)],
            [-1, "a"],
            ">= 0",
        ),
        (Flag(""), [True, False, np.True_], ["yes", None, 2, []], "True or False; got"),
        (BIAS, [True, "gates"], ["both", [], 3], "one of False, True, 'gates'; got"),
        (STOP, [None, "margin"], ["loss"], "None or one of 'accuracy', 'margin'; got"),
        (OWN, ["auto", {}], [[], "own"], "must be one of 'auto' or a dictionary; got"),
        (Part("", of=Part), [], [None, 3], "must be a Part; got"),
        (Parameter(""), [None, 3, "a"], [], ""),
    ],
)
def test_good_values_pass_and_bad_ones_get_a_sentence(one, good, bad, must):
    for value in good:
        one.check("share of Toy", value)
    for value in bad:
        with pytest.raises(MiplError) as refused:
            one.check("share of Toy", value)
        told = str(refused.value)
        assert told.startswith("share of Toy must be ") and must in told
        assert told.endswith(f"got {value!r}.")


@pytest.mark.parametrize("one", [Number(""), SHARE, CLIP, EPOCHS, DRAWN])
@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_whole_number_that_no_float_can_hold_is_refused(one, value):
    with pytest.raises(MiplError, match="share of Toy must be"):
        one.check("share of Toy", value)


def test_a_word_that_is_nearly_right_gets_a_guess():
    with pytest.raises(MiplError, match="'gate', did you mean 'gates'"):
        BIAS.check("bias", "gate")


def test_a_part_checks_itself():
    class Inner:
        def check(self):
            raise MiplError("too long.")

    with pytest.raises(MiplError, match="too long"):
        Part("", of=Inner).check("training", Inner())


@pytest.mark.parametrize(
    ("one", "schema"),
    [
        (SHARE, {"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        (EPOCHS, {"type": "integer", "minimum": 1, "maximum": 9}),
        (CLIP, {"type": ["number", "null"], "exclusiveMinimum": 0, "default": 1.0}),
        (
            WIDTHS,
            {
                "anyOf": [
                    {"type": "integer", "minimum": 1},
                    {
                        "type": "array",
                        "items": {"type": "integer", "minimum": 1},
                        "minItems": 1,
                    },
                ]
            },
        ),
        (
            DRAWN,
            {
                "anyOf": [
                    {"type": "integer", "minimum": 1},
                    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                    {"const": "auto"},
                ]
            },
        ),
        (Flag("", False), {"type": "boolean", "default": False}),
        (BIAS, {"enum": [False, True, "gates"], "default": True}),
        (STOP, {"enum": [None, "accuracy", "margin"], "default": None}),
        (
            Seed("", None, or_none=True),
            {"type": ["integer", "null"], "minimum": 0, "default": None},
        ),
        (Parameter("", 3), {"default": 3}),
    ],
)
def test_the_schema_tells_what_the_check_refuses(one, schema):
    assert one.schema() == {"description": "", **schema}


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (SHARE, "x : float"),
        (CLIP, "x : float or None, default 1.0"),
        (WIDTHS, "x : int or sequence of int"),
        (DRAWN, 'x : int or float or "auto"'),
        (BIAS, 'x : {False, True, "gates"}, default True'),
        (OWN, "x : {\"auto\"} or dictionary, default 'auto'"),
        (Seed("", None, or_none=True), "x : int, RandomState or None"),
    ],
)
def test_the_line_of_a_docstring(one, line):
    assert one.line("x") == line
