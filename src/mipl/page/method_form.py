"""The form of a method, made from what it declares; and what a form says, read back.

Only what differs from the defaults becomes an argument, so that a run of the page is
the run that ``mipl fit`` makes of the same words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from mipl.errors import MiplError
from mipl.parameters.kinds import REQUIRED, Choice, Flag, Number, Parameter

TEXT, CHOICE, FLAG = "text", "choice", "flag"
_NOT_HERE = (
    "random_state",
    "training__record_bags",
    "training__callbacks",
    "warm_start",
)
_TRAINING = "training__"
_LONGEST = 1000


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    Attributes
    ----------
    name : str
        Of the argument, as ``mipl fit --set`` has it behind the dots.
    kind : {"text", "choice", "flag"}
    value : str
        What stands in it at first; of a flag "yes" or "".
    options : tuple of str
        Of a choice; "" stands for None.
    about : str
        What it does, and what it may be.
    of_training : bool
        Whether it is about optimisation, not the method's own.
    """

    name: str
    kind: str
    value: str
    options: tuple[str, ...]
    about: str
    of_training: bool

    @property
    def label(self) -> str:
        """Its name, as people read it."""
        return self.name.removeprefix(_TRAINING).replace("_", " ")


@dataclass(frozen=True)
class MethodChoice:
    """A method that may be chosen.

    Attributes
    ----------
    id, title, summary, family : str
    published_for : tuple of str
        Data sets for which its authors published settings.
    """

    id: str
    title: str
    summary: str
    family: str
    published_for: tuple[str, ...]


def method_choices() -> list[MethodChoice]:
    """Return the methods that can be used, those of bags with candidates first."""
    rows = import_module("mipl.methods.catalogue.registry").methods()
    return [
        MethodChoice(
            row.id,
            row.title,
            row.summary,
            row.family,
            tuple(dict.fromkeys(one.data for one in row.published)),
        )
        for row in rows
        if not row.fault
    ]


def method_parameters(id: str) -> dict[str, Parameter]:
    """Return the arguments of a method that a form can ask for; loads the method."""
    row = import_module("mipl.methods.catalogue.registry").find(id)
    return {
        name: one
        for name, one in row.parameters().items()
        if name not in _NOT_HERE and askable(one)
    }


def askable(one: Parameter) -> bool:
    """Tell whether a line of text or a choice can hold the value of an argument."""
    default = one.default
    plain = isinstance(default, (bool, int, float, str, tuple, list, type(None)))
    return plain and default is not REQUIRED and type(one) is not Parameter


def form_field(name: str, one: Parameter) -> FormField:
    """Return the field of an argument.

    Examples
    --------
    >>> field = form_field("lam", Number("Weight.", 0.5, at_least=0))
    >>> field.kind, field.value, field.about
    ('text', '0.5', 'Weight. A number >= 0.')
    """
    about = " ".join(one.about.split())
    training = name.startswith(_TRAINING)
    if isinstance(one, Flag):
        value = "yes" if one.default else ""
        return FormField(name, FLAG, value, (), about, training)
    if isinstance(one, Choice):
        none = ("",) if one.or_none else ()
        options = (*none, *(as_text(option) for option in one.options))
        return FormField(name, CHOICE, as_text(one.default), options, about, training)
    may = one.may_be()
    told = f"{about} {may[:1].upper()}{may[1:]}."
    return FormField(name, TEXT, as_text(one.default), (), told, training)


def read_form(
    method: str, declared: Mapping[str, Parameter], given: Mapping[str, str]
) -> dict[str, Any]:
    """Return the arguments that a form sets otherwise than they are by default.

    Examples
    --------
    >>> declared = {"lam": Number("Weight.", 0.5, at_least=0)}
    >>> read_form("miplma", declared, {"lam": "0.5"})
    {}
    >>> read_form("miplma", declared, {"lam": "-2"})
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: lam of miplma must be a number >= 0; got -2.
    """
    found = {}
    for name, text in given.items():
        one = declared[name]
        if text == form_field(name, one).value:
            continue
        value = _value(one, text)
        one.check(f"{name.removeprefix(_TRAINING)} of {method}", value)
        if value != one.default:
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _value(one: Parameter, text: str) -> Any:
    """Read what stands in a field."""
    if isinstance(one, Flag):
        return text == "yes"
    if isinstance(one, Choice):
        named = {as_text(option): option for option in one.options}
        return named.get(text) if text in named or one.or_none else text
    text = text.strip()
    if not text and one.or_none:
        return None
    if len(text) > _LONGEST:
        raise MiplError("what stands in a field of the form is too long; shorten it.")
    try:
        value = json.loads(f"[{text}]" if "," in text and text[0] != "[" else text)
    except (ValueError, RecursionError):
        return text
    whole = isinstance(one, Number) and isinstance(value, float) and value.is_integer()
    if whole and one.schema().get("type") == "integer":
        return int(value)  # 1e3 is a whole number, too.
    return tuple(value) if isinstance(value, list) else value


def as_text(value: Any) -> str:
    """Return a value as it stands in a field.

    Examples
    --------
    >>> as_text(0.5), as_text(None), as_text((64, 32)), as_text("cosine")
    ('0.5', '', '64, 32', 'cosine')
    """
    if value is None:
        return ""
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return str(value)
