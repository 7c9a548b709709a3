"""Runs: values, keys and their JSON form."""

import hashlib
import json
import pickle

import pytest

from mipl.errors import MiplError
from mipl.runs.run import Facts, Run, read_run

RUN = Run(
    "miplma",
    "sival-mipl",
    {"lam": 2.0, "training__lr": 0.1},
    {"seed": 1},
    r=2,
    split=3,
    seed=4,
    content="ab",
    versions={"torch": "2.10"},
)
OTHERS = {
    "method": "demipl",
    "data": "birdsong-mipl",
    "arguments": {"lam": 2.5, "training__lr": 0.1},
    "options": {},
    "r": 1,
    "split": 0,
    "seed": 0,
    "content": "cd",
    "versions": {"torch": "2.11"},
}


def test_the_order_of_arguments_makes_no_difference():
    turned = {"training__lr": 0.1, "lam": 2.0}
    same = read_run(RUN.as_dict() | {"arguments": turned})
    assert same == RUN and hash(same) == hash(RUN) and same.key == RUN.key


@pytest.mark.parametrize("field", OTHERS)
def test_every_field_is_part_of_the_key(field):
    other = read_run(RUN.as_dict() | {field: OTHERS[field]})
    assert other != RUN and other.key != RUN.key


def test_the_key_is_the_hash_of_the_sorted_json_form():
    text = json.dumps(RUN.as_dict(), sort_keys=True)
    assert RUN.key == hashlib.sha256(text.encode()).hexdigest()


def test_a_question_forgets_who_computed_it():
    newer = read_run(RUN.as_dict() | {"content": "cd", "versions": {}})
    assert newer.question == RUN.question
    assert RUN.question.content == "" and RUN.question.split == 3


def test_a_run_survives_json_and_the_way_to_another_process():
    assert read_run(json.loads(json.dumps(RUN.as_dict()))) == RUN
    assert pickle.loads(pickle.dumps(RUN)) == RUN


def test_nobody_can_change_a_run_from_outside():
    given = {"hidden": [8, 8]}
    run = Run("miplma", "digits-mipl", given)
    given["hidden"].append(8)
    run.arguments["hidden"].append(8)
    assert run.arguments == {"hidden": [8, 8]}
    with pytest.raises(AttributeError, match="frozen"):
        run.arguments.text = "{}"


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(MiplError, match="plain finite values that JSON can hold"):
        Run("miplma", "digits-mipl", {"lam": value})


def test_the_seed_has_one_place():
    with pytest.raises(MiplError, match="random_state is the seed of a run"):
        Run("miplma", "digits-mipl", {"random_state": 1})


@pytest.mark.parametrize(
    "wrong",
    [
        {"r": "2"},
        {"r": None},
        {"r": True},
        {"arguments": [1]},
        {"split": "3"},
        {"split": -1},
        {"seed": 0.5},
        {"data": 3},
        {"calibrate": 1.0},
        {"calibrate": "half"},
    ],
    ids=str,
)
def test_a_damaged_form_is_refused_by_the_name_of_the_field(wrong):
    (name,) = wrong
    with pytest.raises(MiplError, match=f"{name} of a run must be .*; got "):
        read_run(RUN.as_dict() | wrong)


def test_a_field_that_no_run_has_is_refused_and_one_that_all_have_is_asked_for():
    with pytest.raises(MiplError, match=r"unknown field of a run 'sede'.*'seed'"):
        read_run(RUN.as_dict() | {"sede": 1})
    with pytest.raises(MiplError, match="data of a run is missing"):
        read_run({"method": "miplma"})


def test_facts_are_a_mapping():
    facts = Facts({"b": 1, "a": [2]})
    assert dict(facts) == {"a": [2], "b": 1} and len(facts) == 2 and facts != {}
    assert repr(facts) == '{"a": [2], "b": 1}'
