"""Errors: one family, one sentence."""

import pickle

import pytest

from mipl.errors import (
    BadFile,
    BadType,
    MiplError,
    MissingData,
    MissingExtra,
    unknown,
)


@pytest.mark.parametrize("kind", [BadFile, BadType, MissingData, MissingExtra])
def test_all_are_mipl_errors_and_value_errors(kind):
    assert issubclass(kind, MiplError) and issubclass(kind, ValueError)


def test_some_are_what_other_libraries_expect_too():
    assert issubclass(BadType, TypeError) and issubclass(MissingExtra, ImportError)


def test_a_missing_extra_names_task_package_and_remedy():
    message = str(MissingExtra.of("drawing", "matplotlib", "plot"))
    assert message == (
        "drawing needs matplotlib, which is not installed; "
        'install it with: pip install "mipl[plot]".'
    )


def test_errors_survive_the_way_between_processes():
    error = pickle.loads(pickle.dumps(MissingExtra.of("drawing", "x", "plot")))
    assert isinstance(error, MissingExtra) and "drawing needs x" in str(error)


def test_an_unknown_name_is_told_with_the_likeliest():
    known = ["miplma", "demipl", "abmil"]
    assert str(unknown("method", "miplam", known)) == (
        "unknown method 'miplam'; did you mean 'miplma'? Known: abmil, demipl, miplma."
    )
    assert str(unknown("method", "zzz", known)) == (
        "unknown method 'zzz'; Known: abmil, demipl, miplma."
    )
