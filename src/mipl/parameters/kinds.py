"""What one argument may be: its check, its words in a docstring, its JSON schema."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import Parameter as _Python
from numbers import Integral, Real
from typing import Any, Literal

from mipl.errors import MiplError

REQUIRED: Any = _Python.empty
#: Of runs trained together: may an argument ``differ``, must it be the ``same``, or is
#: a run on its own where it is not as ``usual``?
Together = Literal["differ", "same", "usual"]
Schema = dict[str, Any]


_SEEDS = 1 << 63  # So many fit into a column of a store.
# What any machine can bear: of a number that sizes an array or a network, of one that
# counts rounds or cuts off what there is, of threads and of processes.
SIZE, COUNT, THREADS, PROCESSES = 1 << 16, 10**9, 256, 256


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no number of more than 4,300 digits.
        return "a number of thousands of digits"


@dataclass(frozen=True)
class Parameter:
    """An argument of any kind; what is said here, is said of all kinds.

    Attributes
    ----------
    about : str
        What it does, in a sentence or two.
    default : object
        ``REQUIRED`` where there is none.
    or_none : bool
        Whether it may be None; what that means, ``about`` says.
    search : tuple
        The values that a search for good arguments tries; () to leave it alone. Of a
        part, the names of those of its arguments that are searched.
    together : {"differ", "same", "usual"}
    words : str
        What stands for the kind, where no more specific one checks the value.
    """

    about: str = ""
    default: Any = REQUIRED
    or_none: bool = False
    search: tuple[Any, ...] = ()
    together: Together = "same"
    words: str = "object"

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that the argument may not have, by its name."""
        if (value is None and self.or_none) or self.holds(value):
            return
        raise MiplError(
            f"{name} must be {self.may_be()}; got {_shown(value)}{self.guess(value)}"
        )

    def may_be(self) -> str:
        """Return all that the value may be."""
        return f"None or {self.must()}" if self.or_none else self.must()

    def holds(self, value: Any) -> bool:
        """Tell whether a value that is not None will do."""
        return True

    def must(self) -> str:
        """Return what a value that is not None must be."""
        return self.words

    def guess(self, value: Any) -> str:
        """Return the end of that sentence: what may have been meant, or a full stop."""
        return "."

    def kind(self) -> str:
        """Return what a docstring says of the kind, before any ``or None``."""
        return self.words

    def line(self, name: str) -> str:
        """Return the line that opens the argument's entry in a docstring.

        Examples
        --------
        >>> Number("Weight.", 0.5).line("lam"), Number("Length.", None, True).line("l")
        ('lam : float, default 0.5', 'l : float or None')
        """
        kind = self.kind() + (" or None" if self.or_none else "")
        plain = self.default is REQUIRED or self.default is None
        return f"{name} : {kind}" + ("" if plain else f", default {self.default!r}")

    def schema(self) -> Schema:
        """Return the argument as a JSON schema, of which a form can be made."""
        told: Schema = {"description": " ".join(self.about.split()), **self.form()}
        if self.or_none and "enum" in told:
            told["enum"] = [None, *told["enum"]]
        elif self.or_none and "type" in told:
            told["type"] = [told["type"], "null"]
        elif self.or_none and "anyOf" in told:
            told["anyOf"] = [*told["anyOf"], {"type": "null"}]
        return told if self.default is REQUIRED else {**told, "default": self.told()}

    def told(self) -> Any:
        """Return the default as JSON can hold it: a part or a function by its name."""
        return _named(self.default)

    def form(self) -> Schema:
        """Return what the schema says of values that are not None."""
        return {}


@dataclass(frozen=True)
class Number(Parameter):
    """A finite number between bounds, which are included (at) or not.

    Examples
    --------
    >>> Number("Share.", 0.1, above=0, at_most=1).check("share", 0)
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: share must be a number in (0, 1]; got 0.
    """

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None

    def holds(self, value: Any) -> bool:
        """Tell whether it is a number inside the bounds."""
        return (
            self._is_number(value)
            and (self.at_least is None or value >= self.at_least)
            and (self.above is None or value > self.above)
            and (self.at_most is None or value <= self.at_most)
            and (self.below is None or value < self.below)
        )

    def _is_number(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        try:
            return math.isfinite(value)
        except OverflowError:  # Of a whole number that is too large for a float.
            return False

    def must(self) -> str:
        """Return the kind of number and its bounds."""
        return f"{self._what()}{self._bounds()}"

    def _what(self) -> str:
        return "a number"

    def _bounds(self) -> str:
        low, begin = (self.at_least, "[") if self.above is None else (self.above, "(")
        high, end = (self.at_most, "]") if self.below is None else (self.below, ")")
        if low is not None and high is not None:
            return f" in {begin}{_told(low)}, {_told(high)}{end}"
        if low is not None:
            return f" >{'=' * (begin == '[')} {_told(low)}"
        return "" if high is None else f" <{'=' * (end == ']')} {_told(high)}"

    def kind(self) -> str:
        """Return Python's name of the kind."""
        return "float"

    def form(self) -> Schema:
        """Return the type and the bounds."""
        bounds = {
            "minimum": self.at_least,
            "exclusiveMinimum": self.above,
            "maximum": self.at_most,
            "exclusiveMaximum": self.below,
        }
        told = {name: bound for name, bound in bounds.items() if bound is not None}
        return {"type": self._json(), **told}

    def _json(self) -> str:
        return "number"


@dataclass(frozen=True)
class Integer(Number):
    """A whole number between bounds, and not above what a machine can bear.

    Examples
    --------
    >>> Integer(at_least=1).check("trials", 0.5)
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: trials must be an integer >= 1; got 0.5.
    >>> Integer(at_least=1, bearable=256).check("threads", 1000)
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: threads must be an integer >= 1; got 1000, \
and at most 256 can be borne.

    Attributes
    ----------
    bearable : int
        The largest number that does not ask for more than there is.
    or_share : bool
        Whether a share, above 0 and below 1, may stand in place of a number.
    or_word : str or None
        A word that may stand in place of a number.
    """

    bearable: int = SIZE
    or_share: bool = False
    or_word: str | None = None

    def holds(self, value: Any) -> bool:
        """Tell whether it is a whole number inside the bounds, a share or the word."""
        if isinstance(value, str):
            return value == self.or_word
        if self.or_share and super()._is_number(value) and 0 < value < 1:
            return True
        return super().holds(value)

    def must(self) -> str:
        """Return the bounds, and what else it may be."""
        share = " or a share in (0, 1)" if self.or_share else ""
        word = "" if self.or_word is None else f" or {self.or_word!r}"
        return f"{super().must()}{share}{word}"

    def form(self) -> Schema:
        """Return the type and the bounds, and what else it may be."""
        several = [super().form()]
        if self.or_share:
            share = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
            several.append(share)
        if self.or_word is not None:
            several.append({"const": self.or_word})
        return several[0] if len(several) == 1 else {"anyOf": several}

    def _is_number(self, value: Any) -> bool:
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        return whole and int(value) <= self.bearable

    def guess(self, value: Any) -> str:
        """Return what can be borne, where that is what the value passes."""
        several = value if isinstance(value, (tuple, list)) else [value]
        if any(isinstance(v, Integral) and int(v) > self.bearable for v in several):
            return f", and at most {self.bearable:,} can be borne."
        return super().guess(value)

    def _what(self) -> str:
        return "an integer"

    def kind(self) -> str:
        """Return Python's name of the kind."""
        share = " or float" if self.or_share else ""
        word = "" if self.or_word is None else f' or "{self.or_word}"'
        return f"int{share}{word}"

    def _json(self) -> str:
        return "integer"


@dataclass(frozen=True)
class Integers(Integer):
    """One whole number, or several in a row.

    Examples
    --------
    >>> Integers(at_least=1).check("width", (8, 0))
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: width must be an integer >= 1 or several of them; got (8, 0).
    """

    def holds(self, value: Any) -> bool:
        """Tell whether all are whole numbers inside the bounds."""
        if isinstance(value, str) or not isinstance(value, Sequence):
            return super().holds(value)
        return len(value) > 0 and all(map(super().holds, value))

    def must(self) -> str:
        """Return the bounds of each."""
        return f"{super().must()} or several of them"

    def kind(self) -> str:
        """Return Python's name of the kind."""
        return "int or sequence of int"

    def form(self) -> Schema:
        """Return the type of one and of several."""
        one = super().form()
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


@dataclass(frozen=True)
class Processes(Integer):
    """A number of processes as joblib counts them: -1 takes as many as processors."""

    bearable: int = PROCESSES

    def holds(self, value: Any) -> bool:
        """Tell whether it is a whole number that is not 0."""
        return super().holds(value) and value != 0

    def must(self) -> str:
        """Return what it may be."""
        return "a number of processes, -1 for as many as processors"


@dataclass(frozen=True)
class Seed(Parameter):
    """What scikit-learn takes as ``random_state``."""

    def holds(self, value: Any) -> bool:
        """Tell whether it is a seed or a generator as scikit-learn knows them."""
        if isinstance(value, Integral):
            return 0 <= int(value) < _SEEDS
        return hasattr(value, "randint")

    def must(self) -> str:
        """Return both."""
        return "an integer >= 0 or a RandomState"

    def kind(self) -> str:
        """Return both."""
        return "int, RandomState"

    def form(self) -> Schema:
        """Return the number; generators cannot come from a form."""
        return {"type": "integer", "minimum": 0}


@dataclass(frozen=True)
class Choice(Parameter):
    """One of a few values; or an object, of one of the types in ``or_a``.

    Examples
    --------
    >>> Choice("", "cosine", options=("cosine", "constant")).check("schedule", "cosin")
    Traceback (most recent call last):
        ...
    mipl.errors.MiplError: schedule must be one of 'cosine', 'constant'; got 'cosin', \
    did you mean 'cosine'?
    """

    options: tuple[Any, ...] = ()
    or_a: tuple[tuple[str, type[Any]], ...] = ()  # Names and types.

    def holds(self, value: Any) -> bool:
        """Tell whether it is one of the values, or of a type that will do."""
        if isinstance(value, tuple(kind for _, kind in self.or_a)):
            return True
        return isinstance(value, Hashable) and value in self.options

    def must(self) -> str:
        """Return all values."""
        told = f"one of {', '.join(map(repr, self.options))}"
        return " or ".join([told, *(f"a {name}" for name, _ in self.or_a)])

    def guess(self, value: Any) -> str:
        """Return the likeliest of the values."""
        names = [name for name in self.options if isinstance(name, str)]
        close = get_close_matches(value, names, n=1) if isinstance(value, str) else []
        return f", did you mean {close[0]!r}?" if close else super().guess(value)

    def kind(self) -> str:
        """Return the set of values."""
        told = ", ".join(_quoted(value) for value in self.options)
        return " or ".join([f"{{{told}}}", *(name for name, _ in self.or_a)])

    def form(self) -> Schema:
        """Return the values; objects cannot come from a form."""
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Flag(Parameter):
    """True or False."""

    def holds(self, value: Any) -> bool:
        """Tell whether it is either of them."""
        return isinstance(value, Hashable) and value in (False, True)

    def must(self) -> str:
        """Return both."""
        return "True or False"

    def kind(self) -> str:
        """Return Python's name of the kind."""
        return "bool"

    def form(self) -> Schema:
        """Return the type."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Part(Parameter):
    """An object of a declared class, which checks itself."""

    of: type[Any] = object

    def check(self, name: str, value: Any) -> None:
        """Refuse what is no such object, and one that refuses itself."""
        super().check(name, value)
        if value is not None:
            value.check()

    def holds(self, value: Any) -> bool:
        """Tell whether it is of the class."""
        return isinstance(value, self.of)

    def must(self) -> str:
        """Return the class."""
        return f"a {self.of.__name__}"

    def kind(self) -> str:
        """Return the class."""
        return self.of.__name__


def _named(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_named, value))
    if callable(value) or hasattr(value, "get_params"):
        return getattr(value, "__name__", "") or repr(value)
    return value


def _told(bound: float) -> str:
    return str(bound) if isinstance(bound, int) else f"{bound:g}"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
