"""RunConfig: everything that decides a run of ``mipl fit``, as a TOML file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mipl.errors import MiplError, unknown
from mipl.files import read_bounded
from mipl.methods.bases.base import BagClassifier
from mipl.methods.catalogue.registry import method
from mipl.runs.named_values import given_options
from mipl.runs.source import Source
from mipl.runs.toml_text import from_toml_value, to_toml

_LONGEST = 1 << 20
_TABLES = ("options", "arguments", "training")


class RunConfig(BaseModel):
    """A run: which data, which method, which arguments.

    Attributes
    ----------
    data : str
        A name of the catalog, or a path.
    r, data_seed, raw
        How a data set of the catalog is loaded.
    method : str
        A registry id.
    published : bool or None
        Whether it begins with the settings that its authors published for the data.
    seed : int
        Of the training.
    split : int or None
        The fold whose training bags are used; None for all bags.
    calibrate : float or None
        Share of the training bags kept for calibration by their candidate sets.
    options : mapping
        Of the data set or of the file's format.
    arguments, training : mapping
        Of the method and of its training.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: str
    r: int | None = Field(None, ge=0)
    data_seed: int | None = Field(None, ge=0)
    raw: str | None = None
    method: str = "miplma"
    published: bool | None = None
    seed: int = Field(0, ge=0)
    split: int | None = Field(None, ge=0)
    calibrate: float | None = Field(None, gt=0, lt=1)
    options: dict[str, Any] = Field(default_factory=dict)
    arguments: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)

    def source(self) -> Source:
        """Return where the data come from."""
        raw = None if self.raw is None else Path(self.raw)
        options = tuple(f"{name}={json.dumps(v)}" for name, v in self.options.items())
        return Source(self.data, self.r, self.data_seed, raw, options)

    def estimator(self) -> BagClassifier:
        """Build the method with its arguments."""
        r = 1 if self.r is None else self.r
        given: dict[str, Any] = {"random_state": self.seed, **self.all_arguments()}
        if self.published:
            given |= {"published_for": self.data, "r": r}
        return method(self.method, **given)

    def all_arguments(self) -> dict[str, Any]:
        """Return the arguments in scikit-learn's names (``training__lr``)."""
        if "random_state" in self.arguments:
            raise MiplError("random_state is the seed of a run; give --seed instead.")
        training = {f"training__{name}": v for name, v in self.training.items()}
        return {**self.arguments, **training}

    def as_used(self, estimator: BagClassifier) -> RunConfig:
        """Return this run with every argument that its estimator has."""
        arguments = estimator.get_params(deep=False)
        inner = arguments.pop("estimator", None)
        if inner is not None:  # Reduced bags: the run names the inner one's arguments.
            used = self.as_used(inner)
            arguments |= used.arguments
            return used.model_copy(update={"arguments": arguments})
        training = arguments.pop("training", None)
        arguments.pop("random_state", None)
        if training is None and hasattr(estimator, "training"):
            training = estimator._default_training()
        return self.model_copy(
            update={
                "published": None,
                "arguments": arguments,
                "training": {} if training is None else training.get_params(),
            }
        )

    def to_toml(self) -> str:
        """Return the text of a TOML file that ``read_config`` reads."""
        return to_toml(self.model_dump(exclude_none=True))


def read_config(path: str | Path) -> dict[str, Any]:
    """Read the values of a TOML file."""
    raw = read_bounded(path, _LONGEST)
    try:
        values = tomllib.loads(raw.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MiplError(f"{path} is not a TOML file: {error}.") from None
    return from_toml_value(values)  # type: ignore[no-any-return]


def run_config(
    file: Mapping[str, Any], given: Mapping[str, Any], settings: list[str]
) -> RunConfig:
    """Put a run together: the file, then the options given, then ``--set``.

    Examples
    --------
    >>> run = run_config({"data": "a", "seed": 1}, {"seed": 2}, ["training.lr=0.1"])
    >>> run.data, run.seed, run.training
    ('a', 2, {'lr': 0.1})
    """
    values: dict[str, Any] = {**file}
    values |= {name: value for name, value in given.items() if value is not None}
    for name, value in given_options(settings).items():
        table, _, key = name.rpartition(".")
        if not table and name in RunConfig.model_fields and name not in _TABLES:
            values[name] = value
            continue
        if name in _TABLES:
            raise MiplError(f"--set {name}=... names a table; give {name}.NAME=VALUE.")
        table = table or "arguments"
        if table not in _TABLES:
            raise unknown("table in --set", table, _TABLES)
        values[table] = {**values.get(table, {}), key: value}
    if "data" not in values:
        raise MiplError(
            "no data set is named; give DATA, or data in the --config file."
        )
    try:
        return RunConfig.model_validate(values)
    except ValidationError as error:
        raise _told(error) from None


def _told(error: ValidationError) -> MiplError:
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return unknown("setting of a run", name, RunConfig.model_fields)
    message = first["msg"][:1].lower() + first["msg"][1:]
    return MiplError(f"{name} of the run is wrong: {message}; got {first['input']!r}.")
