"""Forms made from what methods declare, and read back to the arguments of a run."""

import pytest

from mipl.errors import MiplError
from mipl.methods.catalogue.registry import methods
from mipl.page.method_form import (
    form_field,
    method_choices,
    method_parameters,
    read_form,
)

IDS = [row.id for row in methods() if not row.fault]


@pytest.mark.parametrize("id", IDS)
def test_a_form_that_nobody_changes_sets_nothing(id: str) -> None:
    declared = method_parameters(id)
    given = {name: form_field(name, one).value for name, one in declared.items()}
    assert read_form(id, declared, given) == {}
    for name, one in declared.items():
        field = form_field(name, one)
        assert field.about and field.label
        if field.kind == "choice":
            assert field.value in field.options


def test_what_is_changed_becomes_an_argument_of_its_kind() -> None:
    declared = method_parameters("miplma")
    given = {
        "lam": "2",
        "training__epochs": "1e1",
        "training__optimiser": "adam",
        "training__clip": "",
        "balance": "" if declared["balance"].default else "yes",
        "dropout": "0.25",
    }
    found = read_form("miplma", declared, given)
    assert found == {
        "lam": 2,
        "training__epochs": 10,
        "training__optimiser": "adam",
        "training__clip": None,
        "balance": not declared["balance"].default,
        "dropout": 0.25,
    }


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("lam", "-1", "lam of miplma must be a number >= 0; got -1."),
        ("lam", "much", "lam of miplma must be a number >= 0; got 'much'."),
        ("lam", "1, 2", "lam of miplma must be a number >= 0; got"),
        ("lam", "[" * 900, "lam of miplma must be"),
        ("lam", "9" * 2000, "too long"),
        ("lam", "NaN", "lam of miplma must be a number >= 0"),
        (
            "training__epochs",
            "0.5",
            "epochs of miplma must be an integer >= 1",
        ),
        ("training__optimiser", "adm", "did you mean 'adam'?"),
    ],
)
def test_what_is_wrong_is_a_sentence(name: str, text: str, told: str) -> None:
    declared = method_parameters("miplma")
    with pytest.raises(MiplError) as error:
        read_form("miplma", declared, {name: text})
    assert told in str(error.value)


def test_methods_tell_where_settings_were_published() -> None:
    known = {one.id: one for one in method_choices()}
    assert known.keys() == set(IDS)
    assert "mnist-mipl" in known["miplma"].published_for
