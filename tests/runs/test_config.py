"""TOML in and out: what is written is read back, whatever it holds."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl.errors import MiplError
from mipl.runs.config import RunConfig, read_config, run_config
from mipl.runs.toml_text import from_toml_value, to_toml

texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts.filter(lambda text: text != "null"),
)
values = st.one_of(scalars, st.lists(scalars))
tables = st.dictionaries(texts.filter(bool), values, min_size=1)


@given(tables, tables)
def test_what_is_written_is_read_back(plain, table) -> None:
    plain.pop("table", None)
    wanted = {**plain, "table": table}
    assert from_toml_value(tomllib.loads(to_toml(wanted))) == wanted


def test_what_toml_cannot_hold_is_refused() -> None:
    with pytest.raises(MiplError, match="encoder is a object, which TOML cannot hold"):
        to_toml({"arguments": {"encoder": object()}})


def test_a_run_as_used_is_complete_and_says_the_same() -> None:
    run = run_config({"data": "synthetic"}, {"method": "miplma-paper"}, ["lam=3"])
    model = run.estimator()
    used = run.as_used(model)
    assert used.arguments["lam"] == 3 and used.training["batch_size"] is None
    again = RunConfig.model_validate(from_toml_value(tomllib.loads(used.to_toml())))
    assert (
        again.estimator().get_params(deep=False).keys()
        == model.get_params(deep=False).keys()
    )
    for name, value in again.estimator().get_params().items():
        if name not in ("training", "training__record_bags"):
            assert value == model.get_params()[name]


def test_a_file_that_is_too_long_is_not_read(tmp_path) -> None:
    (tmp_path / "long.toml").write_text("#" * (1 << 20) + "\n")
    with pytest.raises(MiplError, match="at most 1,048,576 are read here"):
        read_config(tmp_path / "long.toml")
