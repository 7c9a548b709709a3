"""Library: data sets and what is told of them, loaded once and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from importlib import import_module
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, TypeVar

from mipl.files import stamp
from mipl.page.workspace import Place

if TYPE_CHECKING:
    from mipl.data.dataset import Dataset
    from mipl.data.description import Description
    from mipl.data.findings import Finding
    from mipl.runs.folder import OpenedModel

_KEPT = 8
_Made = TypeVar("_Made")


class Library:
    """Loads what lies in a workspace; what was loaded last is kept until it changes.

    Its methods take their time and may be called from any thread.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._locks: dict[Any, RLock] = {}
        self._lock = Lock()

    def dataset(self, place: Place) -> Dataset:
        """Return a data set; its instances stay on disk until they are asked for."""
        read = _loaded("mipl.io:read_dataset")
        data: Dataset = self._once("data", place, lambda: read(place.path))
        return data

    def description(self, place: Place) -> Description:
        """Return what ``describe`` tells of a data set."""
        describe = _loaded("mipl.data.describe:describe")
        told: Description = self._once(
            "told", place, lambda: describe(self.dataset(place))
        )
        return told

    def findings(self, place: Place) -> list[Finding]:
        """Return what ``validate`` finds in a data set, which is read for it."""
        validate = _loaded("mipl.data.validate:validate")
        found: list[Finding] = self._once(
            "found", place, lambda: validate(self.dataset(place))
        )
        return found

    def model(self, place: Place) -> OpenedModel:
        """Return the model of a run, and what is remembered of the run."""
        open_model = _loaded("mipl.runs.folder:open_model")
        opened: OpenedModel = self._once("model", place, lambda: open_model(place.path))
        return opened

    def kept(self, what: str, place: Place, make: Callable[[], _Made]) -> _Made:
        """Return what was made of a place before, or make and keep it.

        ``what`` names it among all that is made of the place, arguments included.
        """
        return self._once(what, place, make)

    def _once(self, what: str, place: Place, make: Callable[[], _Made]) -> _Made:
        key = (what, place.path, stamp(place.path))
        with self._lock:
            lock = self._locks.setdefault(key, RLock())
        with lock:  # Two tabs that ask for the same wait for one reading.
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found: _Made = self._kept[key]
                    return found
            made = make()
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > 4 * _KEPT:
                    old, _ = self._kept.popitem(last=False)
                    self._locks.pop(old, None)
            return made


def _loaded(path: str) -> Any:
    """Return a function by its path: the server starts without SciPy and torch."""
    module, name = path.split(":")
    return getattr(import_module(module), name)
