"""register: a method of one's own under an id, beside those of this library."""

from __future__ import annotations

import inspect
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sklearn.utils import get_tags

from mipl.errors import MiplError
from mipl.methods.bases.base import BagClassifier
from mipl.methods.bases.partial import PartialLabelClassifier
from mipl.methods.catalogue import registry
from mipl.methods.catalogue.method_row import MethodRow, Reference
from mipl.methods.catalogue.registered import keep, registered
from mipl.methods.saving.arguments import class_path, mark_as_own

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
Kind = TypeVar("Kind", bound=type[Any])


def register(kind: Kind, id: str, sentence: str = "", **arguments: Any) -> Kind:
    """Make a method of one's own known under an id, in this program.

    Whatever takes an id then takes this one: ``mipl.method``, ``mipl.Run``, plans and
    their workers, tables and searches; and models of the class load. At the command
    line ``--with FILE.py`` runs the file that calls this.

    Parameters
    ----------
    kind : class
        With a base of this library, such as ``BagClassifier``; it can be made without
        arguments. What it is saved as is its first id.
    id : str
        Small letters and digits, with hyphens between; none of this library's.
    sentence : str, optional
        What it does; by default the first line of the class's docstring.
    **arguments
        What sets the id apart from others of the class, as in ``mipl.method``.

    Returns
    -------
    class
        The same.

    Examples
    --------
    >>> import mipl
    >>> class Narrow(mipl.MIPLMA):
    ...     '''MIPLMA with a short embedding.'''
    ...
    ...     width: int = mipl.parameters.redeclared(default=8)
    >>> _ = mipl.register(Narrow, id="narrow")
    >>> mipl.method("narrow", lam=0.1)
    Narrow(lam=0.1)
    >>> from mipl.methods.catalogue.registered import forget
    >>> forget("narrow")  # An example of the documentation leaves nothing behind.
    """
    _check_class(kind)
    _check_id(kind, id)
    code = ""
    if not kind.__module__.startswith("mipl."):
        code = _code(kind)
        ids = [row.id for row in registered() if row.kind is kind]
        mark_as_own(kind, ids[0] if ids else id, code)
    row = MethodRow(
        id,
        kind.__name__,
        "pll" if issubclass(kind, PartialLabelClassifier) else "mipl",
        sentence or _first_line(kind),
        class_path(kind),
        Reference("", ""),
        arguments=arguments,
        kind=kind,
        code=code,
        one_vs_rest=_needs_two_classes(kind),
    )
    row.build({}, {})  # Arguments that it does not have are told at once.
    keep([row])
    return kind


def _check_class(kind: Any) -> None:
    if not isinstance(kind, type) or not issubclass(kind, BagClassifier):
        raise MiplError(
            f"register takes a class with a base of this library, such as "
            f"mipl.BagClassifier; got {kind!r}."
        )


def _check_id(kind: type[Any], id: str) -> None:
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise MiplError(
            "id of register must be small letters and digits with hyphens between, "
            f"such as 'my-method'; got {id!r}."
        )
    before = next((row for row in registered() if row.id == id), None)
    if before is None and id in {row.id for row in registry.methods()}:
        raise MiplError(
            f"the id {id!r} is that of another method; give one of its own."
        )
    if before is not None and before.title != kind.__name__:
        raise MiplError(
            f"the id {id!r} is registered for {before.title} already; give another."
        )


def _first_line(kind: type[Any]) -> str:
    """Return the first sentence of the class's own docstring."""
    told: str = (vars(kind).get("__doc__") or "").strip()
    line = " ".join(told.partition("\n\n")[0].split())
    if not line:
        raise MiplError(
            f"{kind.__name__} needs a docstring whose first line says what it does; "
            "write one, or give sentence."
        )
    return line


def _needs_two_classes(kind: type[Any]) -> bool:
    try:
        estimator = kind()
    except TypeError as error:
        raise MiplError(
            f"{kind.__name__} must be made without arguments: {error}; give each a "
            "default."
        ) from None
    return not get_tags(estimator).classifier_tags.multi_class


def _code(kind: type[Any]) -> str:
    """Return a hash of the text of a class; "" where there is none.

    Of the whole file, where it is a module: what the class calls stands there, too.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    try:
        if kind.__module__ != "__main__" and file is not None:
            text = Path(file).read_text(encoding="utf-8")
        else:
            text = inspect.getsource(kind)
    except (OSError, TypeError, ValueError):
        return ""
    return sha256(text.encode()).hexdigest()
