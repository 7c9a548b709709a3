"""Run: what is to be computed, as a frozen value with a stable key.

A plan is a list of runs. Nothing here loads data or trains.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mipl.errors import MiplError


class Facts(Mapping[str, Any]):
    """A mapping of JSON values that nobody can change, told apart by its text.

    Examples
    --------
    >>> facts = Facts({"lam": 2.0, "encoder": "linear"})
    >>> facts["lam"], facts.text, facts == {"encoder": "linear", "lam": 2.0}
    (2.0, '{"encoder": "linear", "lam": 2.0}', True)
    """

    __slots__ = ("text",)
    text: str

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "text", _text(dict(values or {})))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"facts are frozen; {name} cannot be set.")

    def __getitem__(self, name: str) -> Any:
        return json.loads(self.text)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(json.loads(self.text))

    def __len__(self) -> int:
        return len(json.loads(self.text))

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Facts):
            return self.text == other.text
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return Facts, (json.loads(self.text),)


@dataclass(frozen=True)
class Run:
    """One method, fitted on the training bags of one split, judged on its test bags.

    Attributes
    ----------
    method : str
        A registry id.
    data : str
        A name of the catalog, or the path of a file, whose ``r`` is not looked at.
    arguments : mapping of JSON values
        As ``mipl.method`` takes them (``training__lr``, ``reduction``), except
        ``random_state``; ``published=True`` takes the settings published for the data,
        and ``watch`` names test bags, by their place, whose attention is kept.
    options : mapping of JSON values
        Of the data set, its ``seed`` among them.
    r : int
        False labels per bag.
    split : int
        Number of the fold.
    seed : int
        Of the training.
    content : str
        Hash of the data; "" where nobody has looked at them yet, as in a plan.
    versions : mapping of str
        Of what the bits depend on; empty in a plan, and where they are not known.

    Examples
    --------
    >>> run = Run("miplma", "sival-mipl", {"lam": 2.0}, r=2, split=3)
    >>> run == Run("miplma", "sival-mipl", {"lam": 2.0}, r=2, split=3)
    True
    >>> print(run)
    miplma on sival-mipl, r=2, split 3, {"lam": 2.0}
    >>> len(run.key), run.arguments["lam"]
    (64, 2.0)
    """

    method: str
    data: str
    arguments: Mapping[str, Any] = field(default_factory=Facts)
    options: Mapping[str, Any] = field(default_factory=Facts)
    r: int = 1
    split: int = 0
    seed: int = 0
    content: str = ""
    versions: Mapping[str, str] = field(default_factory=Facts)

    def __post_init__(self) -> None:
        for name in ("arguments", "options", "versions"):
            value = getattr(self, name)
            frozen = value if isinstance(value, Facts) else Facts(value)
            object.__setattr__(self, name, frozen)
        if "random_state" in self.arguments:
            raise MiplError("random_state is the seed of a run; give seed instead.")

    @property
    def question(self) -> Run:
        """What is asked, whoever computes it: without content and versions."""
        return replace(self, content="", versions=Facts())

    @property
    def key(self) -> str:
        """A hash of all of it, the same on every machine."""
        return sha256(_text(self.as_dict()).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, which ``read_run`` takes."""
        return {
            "method": self.method,
            "arguments": dict(self.arguments),
            "data": self.data,
            "options": dict(self.options),
            "content": self.content,
            "r": self.r,
            "split": self.split,
            "seed": self.seed,
            "versions": dict(self.versions),
        }

    def __str__(self) -> str:
        told = f"{self.method} on {self.data}, r={self.r}, split {self.split}"
        more = {**self.arguments, **self.options}
        return f"{told}, {_text(more)}" if more else told


def read_run(values: Mapping[str, Any]) -> Run:
    """Return the run that ``as_dict`` has written.

    Examples
    --------
    >>> run = Run("miplma", "sival-mipl", {"lam": 2.0}, split=3)
    >>> read_run(json.loads(json.dumps(run.as_dict()))) == run
    True
    """
    try:
        run: Run = reader(Run).validate_json(_text(values), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise MiplError(f"{name} of a run is wrong: {first['msg']}.") from None
    return run


@cache
def reader(kind: Any) -> TypeAdapter[Any]:
    """Return what checks a kind of value; to make it takes longer than to use."""
    return TypeAdapter(kind)


def _text(values: Mapping[str, Any]) -> str:
    """Write values in the one form that a hash can rely on."""
    try:
        return json.dumps(values, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise MiplError(
            f"arguments of a run must be plain finite values that JSON can hold: "
            f"{error}."
        ) from None
