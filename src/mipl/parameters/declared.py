"""Declared: a class whose arguments stand once, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter as Python
from inspect import Signature, cleandoc, get_annotations, signature
from textwrap import fill, indent
from typing import Any, ClassVar, Literal, dataclass_transform

from mipl.errors import BadType, unknown
from mipl.parameters.kinds import (
    REQUIRED,
    SIZE,
    Choice,
    Flag,
    Integer,
    Integers,
    Number,
    Parameter,
    Part,
    Processes,
    Seed,
    Together,
)

_SECTION = re.compile(r"^(Attributes|Examples|Notes|References)\n-+$", re.MULTILINE)
_WIDTH = 84  # Of docstrings.


# -- what a class body says of its arguments -------------------------------------------


def number(
    about: str,
    *,
    default: Any = REQUIRED,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    below: float | None = None,
    or_none: bool = False,
    search: Sequence[Any] = (),
    together: Together = "same",
) -> Any:
    """Declare a finite number; one that is None by default may be None."""
    or_none = or_none or default is None
    usual = (about, default, or_none, tuple(search), together)
    return Number(*usual, at_least=at_least, above=above, at_most=at_most, below=below)


def integer(
    about: str,
    *,
    default: Any = REQUIRED,
    at_least: int | None = None,
    at_most: int | None = None,
    bearable: int = SIZE,
    or_none: bool = False,
    or_share: bool = False,
    or_word: str | None = None,
    search: Sequence[Any] = (),
    together: Together = "same",
) -> Any:
    """Declare a whole number; one that is None by default may be None.

    It is no larger than ``bearable``: by default what can size an array or a network;
    ``COUNT`` for numbers of rounds, and for those that only cut off what there is.
    """
    or_none = or_none or default is None
    usual = (about, default, or_none, tuple(search), together)
    return Integer(
        *usual,
        at_least=at_least,
        at_most=at_most,
        bearable=bearable,
        or_share=or_share,
        or_word=or_word,
    )


def integers(
    about: str,
    *,
    default: Any = REQUIRED,
    at_least: int | None = None,
    at_most: int | None = None,
) -> Any:
    """Declare a whole number, or several."""
    return Integers(about, default, at_least=at_least, at_most=at_most)


def processes(about: str, *, default: int | None = None) -> Any:
    """Declare a number of processes, -1 for as many as processors."""
    return Processes(about, default, or_none=True)


def seed(about: str, *, default: None = None) -> Any:
    """Declare scikit-learn's ``random_state``, None by default."""
    return Seed(about, default, or_none=True, together="differ")


def flag(about: str, *, default: Any = REQUIRED, together: Together = "same") -> Any:
    """Declare what is True or False."""
    return Flag(about, default, together=together)


def choice(
    about: str,
    options: Sequence[Any],
    *,
    default: Any = REQUIRED,
    or_a: Mapping[str, type[Any]] | None = None,
    search: Sequence[Any] = (),
    together: Together = "same",
) -> Any:
    """Declare one of some values, or an object of one of the types in ``or_a``."""
    usual = (about, default, default is None, tuple(search), together)
    types = tuple((or_a or {}).items())
    return Choice(*usual, options=tuple(options), or_a=types)


def part(
    about: str,
    of: type[Any],
    *,
    default: Any = REQUIRED,
    search: Sequence[str] = (),
) -> Any:
    """Declare an object of another declared class; ``search`` names arguments of it."""
    return Part(
        about, default, default is None, tuple(search), together="differ", of=of
    )


def anything(
    about: str,
    words: str,
    *,
    default: Any = REQUIRED,
    together: Together = "same",
) -> Any:
    """Declare what the class itself checks; ``words`` tell of its kind."""
    return Parameter(about, default, default is None, together=together, words=words)


@dataclass(frozen=True)
class _Redeclared:
    changes: Mapping[str, Any]


def redeclared(*, default: Any, **changes: Any) -> Any:
    """Give an argument of a base another default; ``about=`` another sentence."""
    return _Redeclared({"default": default, **changes})


@dataclass(frozen=True)
class _Learnt:
    """Stands in a class body for an attribute that fitting sets."""


def learnt(*, init: Literal[False] = False) -> Any:
    """Annotate what is no argument, but set by ``fit``."""
    return _Learnt()


# -- what is made of it ----------------------------------------------------------------


@dataclass_transform(
    eq_default=False,
    field_specifiers=(
        number,
        integer,
        integers,
        processes,
        seed,
        flag,
        choice,
        part,
        anything,
        redeclared,
        learnt,
    ),
)
class Declared:
    """A class whose body declares its arguments; a constructor that stores is made.

    An argument is declared by ``name: type = number(...)`` or one of its sisters, in
    the class that it belongs to, and inherited from there. The constructor, its
    signature, the section on parameters of the docstring, the checks, the JSON schema
    and the search space all come from that line. A base says ``kw_only=True``, so that
    only what a class declares itself may be given by place.

    Examples
    --------
    >>> class Base(Declared, kw_only=True):
    ...     width: int = integer("Length of the embedding.", default=128, at_least=1)
    >>> class Method(Base):
    ...     '''A method.'''
    ...
    ...     lam: float = number("Weight of the margin loss.", default=0.5, at_least=0)
    ...     width: int = redeclared(default=64)
    >>> signature(Method)
    <Signature (lam: 'float' = 0.5, *, width: 'int' = 64)>
    >>> Method.__doc__.splitlines()[-2:]
    ['width : int, default 64', '    Length of the embedding.']
    >>> Method(lam=-1).check_parameters()
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: lam of Method must be a number >= 0; got -1.
    >>> Method(widht=8)
    Traceback (most recent call last):
        ...
    mipl.errors.BadType: unknown argument of Method 'widht'; did you mean 'width'? \
    Known: lam, width.
    """

    # Arguments of others that one might look for here, and why they are not here.
    _absent: ClassVar[Mapping[str, str]] = {}
    _own: ClassVar[Mapping[str, Parameter]] = {}  # Of this class body.
    _declared: ClassVar[Mapping[str, Parameter]] = {}
    _by_place: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, kw_only: bool = False, **how: Any) -> None:
        """Take the declarations out of the class body, and make a constructor."""
        super().__init_subclass__(**how)
        inherited = _inherited(cls)
        own = _taken(cls, inherited)
        new = {name: one for name, one in own.items() if name not in inherited}
        cls._own = own
        cls._declared = {**new, **{n: own.get(n, p) for n, p in inherited.items()}}
        if not kw_only:
            cls._by_place = cls._by_place | new.keys()
        if _takes_a_new_constructor(cls, own):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]
            if vars(cls).get("__doc__"):
                cls.__doc__ = _with_parameters(cleandoc(cls.__doc__ or ""), cls)

    @classmethod
    def _why_absent(cls, name: str) -> str:
        """Return why there is no argument of this name, where that can be told."""
        known = name in cls._declared or name not in cls._absent
        return "" if known else f"{cls.__name__} has no {name}: {cls._absent[name]}."

    def check_parameters(self, *names: str) -> None:
        """Refuse a value that an argument, or any of these, may not have."""
        known = parameters(type(self))
        for name in names or known:
            known[name].check(f"{name} of {type(self).__name__}", getattr(self, name))


def parameters(kind: type[Any]) -> dict[str, Parameter]:
    """Return the arguments of a class by name; its own first, then those of its bases.

    Of a constructor written by hand, what is not declared may be anything.

    Examples
    --------
    >>> class ByHand:
    ...     def __init__(self, power=1.0):
    ...         self.power = power
    >>> parameters(ByHand)["power"].default
    1.0
    """
    declared = getattr(kind, "_declared", {})
    python = signature(kind).parameters
    return {
        **{name: one for name, one in declared.items() if name in python},
        **{n: Parameter("", p.default) for n, p in python.items() if n not in declared},
    }


def _inherited(cls: type[Any]) -> dict[str, Parameter]:
    found: dict[str, Parameter] = {}
    for base in cls.__mro__[1:]:
        for name, one in vars(base).get("_own", {}).items():
            found.setdefault(name, one)
    return found


def _taken(cls: type[Any], inherited: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """Return the declarations of a class body, which loses them."""
    own = {}
    for name, value in list(vars(cls).items()):
        if isinstance(value, _Redeclared):
            value = replace(inherited[name], **value.changes)
        if isinstance(value, Parameter):
            own[name] = value
        if isinstance(value, (Parameter, _Learnt)):
            delattr(cls, name)
    return own


def _takes_a_new_constructor(cls: type[Any], own: Mapping[str, Parameter]) -> bool:
    if "__init__" in vars(cls):
        return False
    init = cls.__init__
    return bool(own) or init is object.__init__ or hasattr(init, "__signature__")


def _constructor(cls: type[Any]) -> Any:
    """Return the constructor that stores, and does nothing else."""
    self = Python("self", Python.POSITIONAL_OR_KEYWORD)
    own = Signature([self, *_in_python(cls)])

    def store(self: Any, *by_place: Any, **by_name: Any) -> None:
        for name in by_name:
            if name not in own.parameters:
                kind = f"argument of {cls.__name__}"
                why = cls._why_absent(name)
                raise BadType(why or str(unknown(kind, name, cls._declared)))
        try:
            given = own.bind(self, *by_place, **by_name)
        except TypeError as error:
            raise TypeError(f"{cls.__name__}: {error}") from None
        given.apply_defaults()
        for name in cls._declared:
            setattr(self, name, given.arguments[name])

    store.__name__, store.__module__ = "__init__", cls.__module__
    store.__qualname__ = f"{cls.__qualname__}.__init__"
    store.__signature__ = own  # type: ignore[attr-defined]
    return store


def _in_python(cls: type[Any]) -> list[Python]:
    """Return the arguments as a signature has them, those without a name first."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints |= get_annotations(base)
    made = [
        Python(
            name,
            Python.POSITIONAL_OR_KEYWORD
            if name in cls._by_place
            else Python.KEYWORD_ONLY,
            default=one.default,
            annotation=hints.get(name, Python.empty),
        )
        for name, one in cls._declared.items()
    ]
    return sorted(made, key=lambda one: one.kind)


def _with_parameters(text: str, cls: type[Any]) -> str:
    """Put the section on parameters before the others of a docstring."""
    told = ["Parameters\n----------"]
    for name, one in cls._declared.items():
        about = fill(
            " ".join(one.about.split()),
            _WIDTH - 4,
            break_on_hyphens=False,
            break_long_words=False,
        )
        told.append(f"{one.line(name)}\n{indent(about, '    ')}".rstrip())
    if len(told) == 1:
        return text
    section = _SECTION.search(text)
    cut = section.start() if section else len(text)
    parts = [text[:cut].rstrip(), "\n".join(told), text[cut:]]
    return "\n\n".join(piece for piece in parts if piece)
