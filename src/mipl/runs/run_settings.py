"""RunSettings: a run as a person writes it, in TOML, in options and by NAME=VALUE."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from mipl.datasets import CATALOG
from mipl.errors import MiplError, unknown
from mipl.files import read_bounded
from mipl.runs.named_values import given_options
from mipl.runs.run import Run
from mipl.runs.source import Source
from mipl.runs.toml_text import from_toml_value, to_toml

_LONGEST = 1 << 18
_FIELDS = (
    *("data", "r", "data_seed", "raw"),
    *("method", "published", "seed", "split", "calibrate"),
)
_TABLES = ("options", "arguments", "training")
_DRAWN = (("seed", "data_seed"), ("raw", "raw"))  # Options of a run, and their fields.
_TRAINING = "training__"  # How scikit-learn reaches into the training settings.


@dataclass(frozen=True)
class RunSettings:
    """What is told of a run; what is not told has its usual value.

    Attributes
    ----------
    fields : mapping
        ``data``, ``r``, ``data_seed``, ``raw``, ``method``, ``published``, ``seed``,
        ``split`` and ``calibrate``.
    options : mapping
        Of the data set or of the file's format.
    arguments : mapping
        Of the method, in scikit-learn's names (``training__lr``).

    Examples
    --------
    >>> file = RunSettings.of_tables({"data": "a.csv", "training": {"lr": 0.1}})
    >>> told = file | RunSettings.of(["lam=2", "options.sheet=b", "training.lr=0.2"])
    >>> told.arguments, told.options
    ({'lam': 2, 'training__lr': 0.2}, {'sheet': 'b'})
    """

    fields: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Sequence[str]) -> Self:
        """Read NAME=VALUE: of a field, else of an argument, or TABLE.NAME=VALUE."""
        told = cls()
        for name, value in given_options(settings).items():
            table, _, key = name.rpartition(".")
            if name in _TABLES:
                raise MiplError(
                    f"--set {name}=... names a table; give {name}.NAME=VALUE."
                )
            if not table and name in _FIELDS:
                told |= cls.of_tables({name: value})
            elif (table or "arguments") in _TABLES:
                told |= cls.of_tables({table or "arguments": {key: value}})
            else:
                raise unknown("table in --set", table, _TABLES)
        return told

    @classmethod
    def of_tables(cls, values: Mapping[str, Any]) -> Self:
        """Read the values of a TOML file: fields, and the tables of the others."""
        fields: dict[str, Any] = {}
        options: dict[str, Any] = {}
        arguments: dict[str, Any] = {}
        for name, value in values.items():
            if name in _FIELDS:
                if value is not None:
                    fields[name] = value
                continue
            if name not in _TABLES:
                raise unknown("setting of a run", name, (*_FIELDS, *_TABLES))
            if not isinstance(value, Mapping):
                raise MiplError(f"{name} of a run must be a table; got {value!r}.")
            start = _TRAINING if name == "training" else ""
            table = options if name == "options" else arguments
            table |= {f"{start}{own}": told for own, told in value.items()}
        return cls(fields, options, arguments)

    def __or__(self, later: Self) -> Self:
        """Put two together; what is told later wins, and comes last."""
        return type(self)(
            _joined(self.fields, later.fields),
            _joined(self.options, later.options),
            _joined(self.arguments, later.arguments),
        )

    def run(self) -> Run:
        """Return the run: MIPLMA on all bags where nothing else is told."""
        told = dict(self.fields)
        if "data" not in told:
            raise MiplError(
                "no data set is named; give DATA, or data in the --config file."
            )
        data, arguments = told.pop("data"), dict(self.arguments)
        if "random_state" in arguments:
            raise MiplError("random_state is the seed of a run; give --seed instead.")
        if told.pop("published", False):
            arguments["published"] = self.fields["published"]
        drawn = {name: told.pop(name, None) for name in ("data_seed", "raw")}
        if isinstance(data, str) and data not in CATALOG:
            # A wrong name is told here, and what goes with names only.
            Source(data, told.get("r"), drawn["data_seed"], drawn["raw"]).path()
        options = {
            **self.options,
            **{own: drawn[name] for own, name in _DRAWN if drawn[name] is not None},
        }
        told = {"method": "miplma", "split": None, **told}
        return Run(data=data, arguments=arguments, options=options, **told)


def _joined(before: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in before.items() if name not in later}
    return {**kept, **later}


def read_tables(path: str | Path) -> dict[str, Any]:
    """Read the values of a TOML file, ``"null"`` as None."""
    raw = read_bounded(path, _LONGEST)
    try:
        # ValueError is what a number of thousands of digits raises, too.
        return from_toml_value(tomllib.loads(raw.decode()))  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise MiplError(f"{path} is not a TOML file: {error}.") from None


def run_toml(run: Run) -> str:
    """Return the text of a TOML file that ``RunSettings.of_tables`` reads.

    Examples
    --------
    >>> run = Run("miplma", "digits-mipl", {"lam": 2.0}, {"seed": 3}, split=1)
    >>> print(run_toml(run), end="")
    data = "digits-mipl"
    data_seed = 3
    method = "miplma"
    seed = 0
    split = 1
    <BLANKLINE>
    [arguments]
    lam = 2.0
    """
    options, told = dict(run.options), dict(run.arguments)
    published = told.pop("published", None)
    drawn: dict[str, Any] = {}
    if run.data in CATALOG:
        drawn = {"r": None if run.r == 1 else run.r}
        drawn |= {name: options.pop(own, None) for own, name in _DRAWN}
    inside = [name for name in told if name.startswith(_TRAINING)]
    training = {name.removeprefix(_TRAINING): told.pop(name) for name in inside}
    values = {
        "data": run.data,
        **drawn,
        "method": run.method,
        "published": published,
        "seed": run.seed,
        "split": run.split,
        "calibrate": run.calibrate,
    }
    tables = {"options": options, "arguments": told, "training": training}
    return to_toml({n: v for n, v in values.items() if v is not None} | tables)
