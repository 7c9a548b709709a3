"""The methods by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from numbers import Integral
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mipl.errors import MiplError, unknown
from mipl.methods.catalogue import entry
from mipl.methods.catalogue.method_row import MethodRow, Published, Reference
from mipl.methods.catalogue.registered import registered

if TYPE_CHECKING:
    from mipl.methods.bases.base import BagClassifier

__all__ = [
    "GROUP",
    "MethodRow",
    "Published",
    "Reference",
    "has_published",
    "method",
    "methods",
    "published",
]

GROUP = "mipl.methods"
_ENTRIES = Path(__file__).parent / "entries"
_FAMILIES = ("mipl", "pll", "mil")


def method(
    id: str,
    published_for: str | None = None,
    r: int = 1,
    reduction: str | None = None,
    one_vs_rest: bool | None = None,
    **arguments: Any,
) -> BagClassifier:
    """Build a method by its id.

    Parameters
    ----------
    id : str
        An id that ``methods()`` lists.
    published_for : str, optional
        Name of a data set: takes the settings that the authors published for it, and
        this library's choice where they published only a grid.
    r : int
        Number of false labels, which published settings depend on.
    reduction : {"mean", "maxmin"}, optional
        Makes a bag method of a partial-label one: ``Degraded`` around it.
    one_vs_rest : bool, optional
        Whether it is built inside ``OneVsRest``, a learner per class, and takes its
        arguments too; methods of two classes are where nothing is said.
    **arguments
        Arguments of the method, which win over all settings; ``training__lr`` reaches
        into the training settings.

    Examples
    --------
    >>> model = method("miplma-released", published_for="mnist-mipl", r=2)
    >>> model.lam, model.training.lr, model.training.batch_size
    (0.1, 0.01, 1)
    >>> method("pl-svm", reduction="maxmin", lam=0.1)
    Degraded(estimator=PLSVM(lam=0.1), reduction='maxmin')
    >>> method("vwsgp", inducing=20, n_jobs=2)
    OneVsRest(estimator=VWSGP(inducing=20), n_jobs=2)
    >>> method("vwsgp", one_vs_rest=False), method("abmil", one_vs_rest=True)
    (VWSGP(), OneVsRest(estimator=ABMIL()))
    """
    row = find(id).with_learners(one_vs_rest)
    settings, preset = {}, ""
    if published_for is not None:
        found = published(id, published_for, r)
        settings, preset = found.fill({**row.arguments, **arguments}), found.preset
    estimator = row.build(settings, arguments, preset)
    return estimator if reduction is None else row.degraded(estimator, reduction)


def methods() -> tuple[MethodRow, ...]:
    """Return the rows of all methods, ours first; their classes stay unloaded.

    Examples
    --------
    >>> [row.id for row in methods()][:3]
    ['agopmipl', 'cdl', 'demipl']
    """
    return tuple(_rows().values())


def published(id: str, data: str, r: int = 1) -> Published:
    """Return the published settings of a method, with their source and their gaps.

    Examples
    --------
    >>> published("miplma", "birdsong-mipl", r=3).gaps
    ('training__lr',)
    """
    if isinstance(r, bool) or not isinstance(r, Integral):
        raise MiplError(f"r must be a whole number; got {r!r}.")
    return find(id).settings_for(data, int(r))


def has_published(id: str, data: str, r: int = 1) -> bool:
    """Tell whether settings of a method were published for a data set.

    Examples
    --------
    >>> has_published("abmil", "mnist-mipl"), has_published("abmil", "sival-mipl")
    (True, False)
    """
    return any(one.covers(data) and one.r in (None, r) for one in find(id).published)


def find(id: str) -> MethodRow:
    """Return the row of an id."""
    rows = _own_rows_like(id)
    if id not in rows:
        rows = _rows()
    if id not in rows:
        raise MiplError(
            f"{unknown('method', id, rows)} One of your own is known once its program "
            "has called mipl.register, or by --with FILE.py."
        )
    return rows[id]


def _own_rows_like(id: str) -> Mapping[str, MethodRow]:
    """Return the rows of the one entry of ours that may have an id."""
    parts = id.split("-")
    for length in range(len(parts), 0, -1):
        name = "-".join(parts[:length])
        if name in _own_names():
            return entry.rows(_ENTRIES, name)
    return {}


@cache
def _own_names() -> tuple[str, ...]:
    return tuple(entry.names(_ENTRIES))


@cache
def _own_rows() -> dict[str, MethodRow]:
    found = entry.all_rows(_ENTRIES)
    found.sort(key=lambda row: _FAMILIES.index(row.family))
    return {row.id: row for row in found}


def _rows() -> dict[str, MethodRow]:
    rows = {**_own_rows(), **{row.id: row for row in registered()}}
    for point in _points():
        for row in _plugged(point):
            if row.id in rows:
                row = _broken(point, f"the id {row.id!r} is taken", point.value)
            rows[row.id] = row
    return rows


def _points() -> Iterable[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda point: point.name)


def _plugged(point: EntryPoint) -> tuple[MethodRow, ...]:
    """Read the rows of another package; whatever fails there must not fail here."""
    try:
        found = point.load()
        if isinstance(found, ModuleType):
            return tuple(entry.all_rows(Path(next(iter(found.__path__)))))
        row = found if isinstance(found, MethodRow) or not callable(found) else found()
    except (Exception, SystemExit) as error:
        return (_broken(point, f"{type(error).__name__}: {error}", point.name),)
    if not isinstance(row, MethodRow):
        why = f"it must give a MethodRow, and gave a {type(row).__name__}"
        return (_broken(point, why, point.name),)
    return (row,)


def _broken(point: EntryPoint, why: str, id: str) -> MethodRow:
    package = point.dist.name if point.dist else "another package"
    fault = f"method {point.name!r} of {package} cannot be used: {why}."
    return MethodRow(
        id, id, "plug-in", fault, point.value, Reference("", ""), fault=fault
    )
