"""Run: what is to be computed, as a frozen value with a stable key.

Stores and plans hold many runs and need neither torch nor data: what a run does is in
``execution``, which is loaded when one first does it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mipl.errors import MiplError, unknown

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.methods.bases.base import BagClassifier
    from mipl.runs.execution import FittedRun, Parts


def _text(values: Mapping[str, Any]) -> str:
    """Write values in the one form that a hash can rely on."""
    try:
        return json.dumps(values, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise MiplError(
            f"arguments of a run must be plain finite values that JSON can hold: "
            f"{error}."
        ) from None


_NUMBERS = 1 << 63  # As many as a column of a store can hold.


class Facts(Mapping[str, Any]):
    """A mapping of JSON values that nobody can change, told apart by its text.

    Examples
    --------
    >>> facts = Facts({"lam": 2.0, "encoder": "linear"})
    >>> facts["lam"], facts.text, facts == {"encoder": "linear", "lam": 2.0}
    (2.0, '{"encoder": "linear", "lam": 2.0}', True)
    """

    __slots__ = ("_values", "text")
    text: str
    _values: dict[str, Any]  # As the text has them; lists are handed out as copies.

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        text = values.text if isinstance(values, Facts) else _text(dict(values or {}))
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_values", json.loads(text))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"facts are frozen; {name} cannot be set.")

    def __getitem__(self, name: str) -> Any:
        value = self._values[name]
        return deepcopy(value) if isinstance(value, (list, dict)) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

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


_NOTHING = Facts()


@dataclass(frozen=True)
class Run:
    """One method, fitted on the training bags of one split, judged on its test bags.

    Attributes
    ----------
    method : str
        A registry id.
    data : str
        A name of the catalog, or a path, which is read as it is: without ``r``.
    arguments : mapping of JSON values
        As ``mipl.method`` takes them (``training__lr``, ``reduction``), except
        ``random_state``; ``published=True`` takes the settings published for the data,
        ``published="mnist-mipl"`` those published for other data. In a plan ``watch``
        names test bags, by their place, whose attention is kept, and
        ``test_curve=True`` keeps the accuracy on the test bags after every epoch.
    options : mapping of JSON values
        Of the data set, its ``seed`` and the folder of ``raw`` files among them.
    r : int
        False labels per bag.
    split : int or None
        Number of the fold; None for all bags, none of which is left to judge by.
    seed : int
        Of the training.
    content : str
        Hash of the data; "" where nobody has looked at them yet, as in a plan.
    versions : mapping of str
        Of what the bits depend on; empty in a plan, and where they are not known.
    calibrate : float or None
        Share of the training bags kept for calibration: by their true labels where
        they are known, otherwise by their candidate sets.

    Examples
    --------
    >>> run = Run("miplma", "synthetic", {"training__epochs": 10}, split=3)
    >>> run == Run("miplma", "synthetic", {"training__epochs": 10}, split=3)
    True
    >>> print(run)
    miplma on synthetic, r=1, split 3, {"training__epochs": 10}
    >>> len(run.key), run.arguments["training__epochs"]
    (64, 10)
    >>> fitted = run.execute()
    >>> fitted.evaluation.truth.accuracy > 0.5
    True
    """

    method: str
    data: str
    arguments: Mapping[str, Any] = _NOTHING
    options: Mapping[str, Any] = _NOTHING
    r: int = 1
    split: int | None = 0
    seed: int = 0
    content: str = ""
    versions: Mapping[str, str] = _NOTHING
    calibrate: float | None = None

    def __post_init__(self) -> None:
        for name in ("arguments", "options", "versions"):
            value = getattr(self, name)
            _check(name, value, isinstance(value, Mapping), "a mapping")
            frozen = value if isinstance(value, Facts) else Facts(value)
            object.__setattr__(self, name, frozen)
        for name in ("method", "data", "content"):
            value = getattr(self, name)
            _check(name, value, isinstance(value, str), "a text")
        for name in ("r", "split", "seed"):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            good = (whole and 0 <= value < _NUMBERS) or (
                name == "split" and value is None
            )
            _check(name, value, good, "a whole number >= 0, below 2**63")
        share = self.calibrate
        between = isinstance(share, (int, float)) and 0 < share < 1
        _check(
            "calibrate", share, share is None or between, "a number above 0 and below 1"
        )
        if "random_state" in self.arguments:
            raise MiplError("random_state is the seed of a run; give seed instead.")

    # -- what it does --------------------------------------------------------------

    def build(self) -> BagClassifier:
        """Return the estimator, not fitted yet.

        Examples
        --------
        >>> reduced = {"reduction": "mean", "lam": 0.5}
        >>> Run("pl-svm", "digits-mipl", reduced).build()
        Degraded(estimator=PLSVM(lam=0.5, random_state=0))
        """
        model: BagClassifier = _execution().build(self)
        return model

    def load(self) -> Dataset:
        """Return the data set, whole.

        Examples
        --------
        >>> len(Run("miplma", "digits-mipl", r=2).load())
        250
        """
        data: Dataset = _execution().load(self)
        return data

    def parts(self, data: Dataset | None = None) -> Parts:
        """Return the bags to fit on, to calibrate on and to judge by.

        Parameters
        ----------
        data : Dataset, optional
            What ``load`` has returned, where that was called before.

        Examples
        --------
        >>> parts = Run("miplma", "digits-mipl", calibrate=0.2).parts()
        >>> len(parts.train), len(parts.calibration), len(parts.test)
        (140, 35, 75)
        """
        parts: Parts = _execution().divide(self, self.load() if data is None else data)
        return parts

    def execute(
        self,
        folder: str | Path | None = None,
        callbacks: Sequence[Any] = (),
        resume: bool = False,
        checkpoint_every: int | None = None,
        force: bool = False,
    ) -> FittedRun:
        """Fit, calibrate and judge; with a folder, write what ``mipl fit`` writes.

        Parameters
        ----------
        folder : path, optional
            Of the model, ``run.toml``, the bags it has seen, its history and its
            figures. Nobody else may write it meanwhile.
        callbacks : in scikit-learn's form
            Told of the epochs of methods that learn by epochs.
        resume : bool
            Go on with a run to this folder that was interrupted, if there is one.
        checkpoint_every : int, optional
            Save the state beside the folder every so many epochs; Ctrl-C always does.
        force : bool
            Replace a run that lies in the folder, which is refused otherwise.
        """
        fitted: FittedRun = _execution().execute(
            self, folder, callbacks, resume, checkpoint_every, force
        )
        return fitted

    # -- what it is ----------------------------------------------------------------

    @property
    def question(self) -> Run:
        """What is asked, whoever computes it: without content and versions."""
        if not self.content and not self.versions:
            return self
        return replace(self, content="", versions=_NOTHING)

    @property
    def key(self) -> str:
        """A hash of all of it, the same on every machine."""
        return sha256(_text(self.as_dict()).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold, which ``read_run`` takes."""
        values = {
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
        # Left out where there is none: keys of runs stored before stay as they are.
        more = {} if self.calibrate is None else {"calibrate": self.calibrate}
        return values | more

    def __str__(self) -> str:
        part = "all bags" if self.split is None else f"split {self.split}"
        told = f"{self.method} on {self.data}, r={self.r}, {part}"
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
    known = [one.name for one in fields(Run)]
    for name in values:
        if name not in known:
            raise unknown("field of a run", name, known)
    for name in ("method", "data"):
        if name not in values:
            raise MiplError(f"{name} of a run is missing; give it.")
    return Run(**values)


def _execution() -> Any:
    """Load what runs do; a module that imports them cannot be imported by theirs."""
    return import_module("mipl.runs.execution")


def _check(name: str, value: Any, good: bool, wanted: str) -> None:
    if not good:
        raise MiplError(f"{name} of a run must be {wanted}; got {value!r}.")
