"""TOML in and out: what is written is read back, whatever it holds."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mipl.errors import MiplError
from mipl.runs.execution import as_used
from mipl.runs.run import Run
from mipl.runs.run_settings import RunSettings, read_tables, run_toml
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


def again(run):
    return RunSettings.of_tables(from_toml_value(tomllib.loads(run_toml(run)))).run()


@pytest.mark.parametrize(
    "run",
    [
        Run("miplma", "digits-mipl", split=None),
        Run("demipl", "sival-mipl", {"published": True}, {"seed": 3}, r=2, seed=4),
        Run("rc", "crc-mipl", {"reduction": "mean"}, {"raw": "/data", "size": 2}),
        Run("miplma", "bags.h5", {"lam": None, "training__lr": 0.5}, {"seed": 1}),
        Run("miplma", "digits-mipl", {"encoder": "linear"}, calibrate=0.25),
    ],
    ids=str,
)
def test_a_run_is_what_its_file_says(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bags.h5").touch()
    assert again(run) == run


def test_the_file_of_a_run_has_the_names_that_options_have():
    run = Run("miplma", "digits-mipl", {"training__lr": 0.5}, {"seed": 3}, r=2)
    wanted = {"data": "digits-mipl", "r": 2, "data_seed": 3, "method": "miplma"}
    wanted |= {"seed": 0, "split": 0, "training": {"lr": 0.5}}
    assert tomllib.loads(run_toml(run)) == wanted


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("abmil", {"one_vs_rest": True, "training__epochs": 3}),
        ("vwsgp", {"one_vs_rest": False, "inducing": 20}),
        ("vwsgp", {"inducing": 20, "n_jobs": 2}),
    ],
)
def test_a_run_as_used_builds_the_same_learners(method, given):
    run = Run(method, "digits-mipl", given)
    model = run.build()
    rebuilt = again(as_used(run, model)).build()
    assert type(rebuilt) is type(model)
    named = {n: repr(v) for n, v in model.get_params().items() if "training" not in n}
    found = rebuilt.get_params()
    assert {name: repr(found[name]) for name in named if name != "estimator"} == {
        name: value for name, value in named.items() if name != "estimator"
    }


def test_a_run_as_used_is_complete_and_says_the_same() -> None:
    told = RunSettings.of_tables({"data": "synthetic", "method": "miplma-paper"})
    run = (told | RunSettings.of(["lam=3"])).run()
    model = run.build()
    used = as_used(run, model)
    assert used.arguments["lam"] == 3 and used.arguments["training__batch_size"] is None
    rebuilt = again(used).build()
    assert rebuilt.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    for name, value in rebuilt.get_params().items():
        if name not in ("training", "training__record_bags"):
            assert value == model.get_params()[name]


def test_what_is_told_later_wins_and_comes_last():
    told = RunSettings.of(["lam=1", "training.lr=2", "options.a=3", "seed=4"])
    later = RunSettings.of(["width=6", "arguments.lam=5", "seed=7"])
    both = told | later
    assert list(both.arguments.items()) == [
        ("training__lr", 2),
        ("width", 6),
        ("lam", 5),
    ]
    assert both.options == {"a": 3} and both.fields == {"seed": 7}


def test_an_argument_may_have_the_name_of_a_field():
    told = RunSettings.of(["arguments.r=0.5", "r=2"])
    assert told.arguments == {"r": 0.5} and told.fields == {"r": 2}


@pytest.mark.parametrize("told", [{"r": 1}, {"data_seed": 0}, {"raw": "/data"}])
def test_a_file_is_read_as_it_is(told, tmp_path):
    settings = RunSettings.of_tables({"data": str(tmp_path / "mine.csv"), **told})
    with pytest.raises(MiplError, match="goes with a name of the catalog"):
        settings.run()


def test_a_file_that_is_too_long_is_not_read(tmp_path) -> None:
    (tmp_path / "long.toml").write_text("#" * (1 << 20) + "\n")
    with pytest.raises(MiplError, match="at most 262,144 are read here"):
        read_tables(tmp_path / "long.toml")
