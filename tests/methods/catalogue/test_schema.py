"""The schemas of all methods tell what their checks refuse."""

import json

import pytest
from tests.methods.settings import own_ids

from mipl import MiplError, method
from mipl.methods.catalogue.registry import find

BEYOND = {
    "minimum": lambda bound: bound - 1,
    "exclusiveMinimum": lambda bound: bound,
    "maximum": lambda bound: 2 * bound + 1,
    "exclusiveMaximum": lambda bound: bound,
}


def check(id, **arguments):
    """Refuse arguments as fit would, those of the method inside a wrapper as well."""
    model = method(id, **arguments)
    for part in (model, getattr(model, "estimator", model)):
        part._check_arguments()


@pytest.mark.parametrize("id", own_ids())
def test_a_schema_has_every_argument_with_its_default(id):
    row = find(id)
    schema = json.loads(json.dumps(row.schema()))
    plain = json.loads(json.dumps(row.defaults(), default=lambda _: None))
    plain.pop("training", None)
    found = schema["properties"]
    assert {name: one["default"] for name, one in found.items()} == plain
    assert all(one["description"] for one in found.values())
    assert schema["additionalProperties"] is False


# What goes with a value, where the form's own settings exclude it.
NEEDS = {("start", "random"): {"start_network": "trained"}}


@pytest.mark.parametrize("id", own_ids())
def test_values_beyond_a_schema_are_refused(id):
    check(id)
    properties = find(id).schema()["properties"]
    all_of = properties.keys()
    for name, told in properties.items():
        wrong = [beyond(told[w]) for w, beyond in BEYOND.items() if w in told]
        if "enum" in told:
            wrong.append("none of these")
        if "type" in told:
            wrong.append("a text")
            kinds = told["type"] if isinstance(told["type"], list) else [told["type"]]
            if "null" not in kinds:
                wrong.append(None)
        for value in wrong:
            with pytest.raises(MiplError, match=name.rpartition("__")[2]):
                more = NEEDS.get((name, value), {})
                check(id, **{name: value}, **(more if more.keys() <= all_of else {}))
            assert value not in told.get("enum", [])
        for value in told.get("enum", []):
            if not name.startswith("training__"):
                more = NEEDS.get((name, value), {})
                check(id, **{name: value}, **(more if more.keys() <= all_of else {}))
