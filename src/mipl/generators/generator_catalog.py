"""The generators of one kind of items by name, as commands and data sets call them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from mipl.errors import unknown
from mipl.generators.bag_generator import BagGenerator

# Where the catalog of each kind stands; none is loaded before it is asked for.
CATALOGS = {
    "picture": "mipl.images.bag_generators",
    "recording": "mipl.audio.sound_generators",
    "document": "mipl.text.text_generators",
}


@dataclass(frozen=True)
class GeneratorCatalog:
    """Generators by name.

    Attributes
    ----------
    verb : str
        The command that makes such bags.
    paths : mapping of name to "module:class"
    item : "module:class"
    """

    verb: str
    paths: Mapping[str, str]
    item: str

    def build(self, name: str, **arguments: Any) -> Any:
        """Build a generator by its name; an unknown argument gets a guess."""
        if name not in self.paths:
            raise unknown("generator", name, self.paths)
        build = _loaded(self.paths[name])
        known = inspect.signature(build).parameters
        for argument in arguments:
            if argument not in known:
                raise unknown(f"argument of {name}", argument, known)
        return build(**arguments)

    def recorded(self, told: Any) -> Any:
        """Rebuild the generator that a data set tells of; None where it is none."""
        name = self.name_of(told.get("kind")) if isinstance(told, Mapping) else None
        if name is None:
            return None
        build: type[BagGenerator] = _loaded(self.paths[name])
        return build.of_facts(told)

    def name_of(self, kind: Any) -> str | None:
        """Return the name of a class of generators; None of one that is not here."""
        named = (n for n, path in self.paths.items() if path.endswith(f":{kind}"))
        return next(named, None)

    def items(self) -> Any:
        """Return the kind of items."""
        return _loaded(self.item)


def catalog_of(kind: str) -> GeneratorCatalog:
    """Return the catalog of pictures, recordings or documents."""
    found: GeneratorCatalog = import_module(CATALOGS[kind]).CATALOG
    return found


def kind_of(generator: Any) -> str | None:
    """Return of what a class of generators makes bags; None of one that is unknown.

    Examples
    --------
    >>> kind_of("SIFT"), kind_of("Mine")
    ('picture', None)
    """
    named = (kind for kind in CATALOGS if catalog_of(kind).name_of(generator))
    return next(named, None)


def _loaded(path: str) -> Any:
    module, name = path.split(":")
    return getattr(import_module(module), name)
