"""MethodRow: what the registry knows of a method, without loading it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from mipl.errors import MiplError, unknown
from mipl.parameters.declared import parameters
from mipl.parameters.kinds import Parameter, Part

if TYPE_CHECKING:
    from mipl.methods.bases.base import BagClassifier

_DEGRADED = "mipl.methods.wrappers.degraded:Degraded"
_ONE_VS_REST = "mipl.methods.wrappers.one_vs_rest:OneVsRest"
_ENSEMBLE = "mipl.methods.wrappers.ensemble:Ensemble"
_INNER = "estimator"  # Its argument that holds the method.


@dataclass(frozen=True)
class Reference:
    """A publication: one line for a table, and a BibTeX entry."""

    text: str
    bibtex: str


@dataclass(frozen=True)
class Published:
    """The settings that the authors published for one data set.

    Attributes
    ----------
    data : str
        Name of the data set; it stands for its variants too ("crc-mipl" for
        "crc-mipl-row").
    r : int or None
        Number of false labels; None where the candidate sets are the data's own.
    settings : mapping
        Arguments in scikit-learn's names (``training__lr``).
    source : str
        Where the authors say so.
    gaps : tuple of str
        Arguments for which they published a grid but no value.
    chosen : mapping
        Values of this library's choice for the gaps.
    choice : str
        How they were chosen.
    preset : str
        Name of the classmethod that has the rest; "" for what the row itself builds.
    """

    data: str
    r: int | None
    settings: Mapping[str, Any]
    source: str
    gaps: tuple[str, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)
    choice: str = ""
    preset: str = ""

    def covers(self, data: str) -> bool:
        """Tell whether these settings are for that data set."""
        return data == self.data or data.startswith(self.data + "-")

    def fill(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings, gaps filled; ``given`` are the caller's own arguments.

        Examples
        --------
        >>> Published("a", 1, {"width": 8}, "", ("lam",)).fill({"lam": 3})
        {'width': 8}
        >>> Published("a", 1, {"width": 8}, "", ("lam",)).fill({})
        Traceback (most recent call last):
            ...
        mipl.errors.MiplError: no lam was published for a, r=1; give lam.
        """
        open_gaps = [
            name
            for name in self.gaps
            if name not in self.chosen
            and name not in given
            and name.partition("__")[0] not in given
        ]
        if open_gaps:
            setting = self.data if self.r is None else f"{self.data}, r={self.r}"
            raise MiplError(
                f"no {' and no '.join(open_gaps)} was published for {setting}; "
                f"give {' and '.join(open_gaps)}."
            )
        return {**self.settings, **self.chosen}


@dataclass(frozen=True)
class MethodRow:
    """A method by its id.

    Packages with methods of their own give one such row, or a function that returns
    one, under the entry-point group ``mipl.methods``.

    Attributes
    ----------
    id : str
    title : str
    family : {"mipl", "pll", "mil"}
    summary : str
        One sentence.
    path : str
        ``"module:Class"``, imported on use.
    reference : Reference
    preset : str
        Name of a classmethod that builds the estimator; "" for the class itself.
    arguments : mapping
        What sets this row apart from others of its class.
    published : tuple of Published
    fault : str
        Why the method cannot be used; "" for nearly all.
    one_vs_rest : bool
        Whether it is built inside ``OneVsRest``, a learner per class.
    ensemble : bool
        Whether it is built inside ``Ensemble``, several fits as one.
    paper_grid : mapping
        What the authors searched.
    kind : class or None
        The class itself, of a method that a program has registered.
    code : str
        Hash of the text of that class.
    """

    id: str
    title: str
    family: str
    summary: str
    path: str
    reference: Reference
    preset: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    fault: str = ""
    one_vs_rest: bool = False
    ensemble: bool = False
    paper_grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    kind: type[Any] | None = None
    code: str = ""

    def load(self) -> type[BagClassifier]:
        """Import the class."""
        if self.fault:
            raise MiplError(self.fault)
        if self.kind is not None:
            return self.kind
        try:
            found = _imported(self.path)
        except MiplError:
            raise
        except Exception as error:  # A plug-in may fail in any way.
            raise MiplError(
                f"method {self.id!r} cannot be loaded from {self.path!r}: {error}."
            ) from error
        return cast("type[BagClassifier]", found)

    def build(
        self, published: Mapping[str, Any], given: Mapping[str, Any], preset: str = ""
    ) -> BagClassifier:
        """Make an estimator: preset, published, the row's own, then given arguments.

        The row's own preset stands in where none is given.
        """
        kind, preset = self.load(), preset or self.preset
        estimator = getattr(kind, preset)() if preset else kind()
        if self.one_vs_rest:
            estimator = _imported(_ONE_VS_REST)(estimator)
        if self.ensemble:
            estimator = _imported(_ENSEMBLE)(estimator)
        for settings in (published, self.arguments, given):
            self._set(estimator, settings)
        return cast("BagClassifier", estimator)

    def with_learners(self, one_vs_rest: bool | None) -> MethodRow:
        """Return the row with or without a learner per class, as it is for None."""
        if one_vs_rest is None:
            return self
        if not isinstance(one_vs_rest, bool):
            raise MiplError(
                f"one_vs_rest of {self.id} must be True or False; got {one_vs_rest!r}."
            )
        return replace(self, one_vs_rest=one_vs_rest)

    def degraded(self, estimator: BagClassifier, reduction: str) -> BagClassifier:
        """Make a bag method of a partial-label one."""
        if self.family != "pll":
            raise MiplError(
                f"reduction is for partial-label methods, such as proden; {self.id} "
                "learns from bags as they are: leave reduction out."
            )
        return cast("BagClassifier", _imported(_DEGRADED)(estimator, reduction))

    def defaults(self) -> dict[str, Any]:
        """Return every argument with the value it has where nobody gives another."""
        return _all_arguments(self.build({}, {}))

    def parameters(self) -> dict[str, Parameter]:
        """Return every argument with its declaration, its default that of this row."""
        return _all_parameters(self.build({}, {}))

    def schema(self) -> dict[str, Any]:
        """Return the arguments as a JSON schema, of which a form can be made.

        Those of the training settings stand beside the others, as ``training__lr``.

        Examples
        --------
        >>> from mipl.methods.catalogue.registry import find
        >>> of_dropout = find("miplma-paper").schema()["properties"]["dropout"]
        >>> {name: of_dropout[name] for name in ("type", "maximum", "default")}
        {'type': 'number', 'maximum': 0.95, 'default': 0.0}
        """
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.title,
            "description": self.summary,
            "type": "object",
            "properties": {n: one.schema() for n, one in self.parameters().items()},
            "additionalProperties": False,
        }

    def settings_for(self, data: str, r: int) -> Published:
        """Return what was published for a data set and a number of false labels."""
        if not self.published:
            raise MiplError(f"no settings of {self.id} were published.")
        rows = [one for one in self.published if one.covers(data)]
        if not rows:
            known = {one.data for one in self.published}
            raise unknown(f"data set with published settings of {self.id}", data, known)
        for one in rows:
            if one.r in (None, r):
                return one
        known_r = ", ".join(str(one.r) for one in rows)
        raise MiplError(
            f"settings of {self.id} for {data} were published for r = {known_r}; "
            f"got r={r!r}."
        )

    def _set(self, estimator: BagClassifier, settings: Mapping[str, Any]) -> None:
        inner = settings.get(_INNER, estimator)
        around = self.one_vs_rest or self.ensemble
        if around and not hasattr(inner, "get_params"):
            raise MiplError(
                f"{_INNER} of {self.id} must be a bag method; got {inner!r}."
            )
        own = {_reaching(estimator, name): value for name, value in settings.items()}
        try:
            estimator.set_params(**own)
        except MiplError:
            raise
        except (ValueError, AttributeError):
            known = _all_arguments(estimator)
            wrong = [name for name in settings if name not in known]
            if not wrong:
                raise
            raise unknown(f"argument of {self.id}", wrong[0], known) from None


def _imported(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _reaching(estimator: BagClassifier, name: str) -> str:
    """Return the name of an argument, reaching into the method inside wrappers."""
    own = estimator.get_params(deep=False)
    if _INNER not in own or name.partition("__")[0] in own:
        return name
    return f"{_INNER}__{_reaching(own[_INNER], name)}"


def _all_arguments(estimator: BagClassifier) -> dict[str, Any]:
    """Return the arguments, those of the method's own training settings included.

    Of a wrapper they are its own and those of the method inside it.
    """
    inner = estimator.get_params(deep=False).get(_INNER)
    if inner is not None:
        own = estimator.get_params(deep=False)
        own.pop(_INNER)
        return {**_all_arguments(inner), **own}
    if estimator.get_params(deep=False).get("training", 0) is None:
        estimator.set_params(training=estimator._default_training())
    return cast("dict[str, Any]", estimator.get_params())


def _all_parameters(estimator: BagClassifier) -> dict[str, Parameter]:
    """Return the declarations of the arguments, parts taken apart."""
    found: dict[str, Parameter] = {}
    around: dict[str, Parameter] = {}
    for name, one in parameters(type(estimator)).items():
        value = getattr(estimator, name)
        if name == _INNER:
            found = _all_parameters(value)
        elif isinstance(one, Part):
            part = estimator._default_training() if value is None else value
            inner = parameters(one.of)
            for own, declared in inner.items():
                default = getattr(part, own)
                around[f"{name}__{own}"] = replace(declared, default=default)
        else:
            around[name] = replace(one, default=value)
    return {**found, **around}


Row = MethodRow  # As plug-ins written for version 0.1.0 name it.
