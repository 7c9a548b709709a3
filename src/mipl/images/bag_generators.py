"""The generators by name, as commands and data sets call them."""

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from mipl.errors import unknown
from mipl.images.image_bags import ImageBags

GENERATORS = {
    "deep": "mipl.images.deep:DeepPatches",
    "kmeansseg": "mipl.images.kmeans_seg:KMeansSeg",
    "patches": "mipl.images.patches:Patches",
    "row": "mipl.images.row:Row",
    "sbn": "mipl.images.sbn:SBN",
    "sift": "mipl.images.sift:SIFT",
}


def image_bags(name: str, **arguments: Any) -> ImageBags:
    """Build a generator by its name.

    Examples
    --------
    >>> image_bags("sift", patch=16, stride=48)
    SIFT(patch=16, stride=48)
    """
    if name not in GENERATORS:
        raise unknown("generator", name, GENERATORS)
    build = _class(name)
    known = inspect.signature(build).parameters
    for argument in arguments:
        if argument not in known:
            raise unknown(f"argument of {name}", argument, known)
    return build(**arguments)


def recorded(facts: Mapping[str, Any]) -> ImageBags:
    """Rebuild, for its ``areas``, the generator that the facts of a data set tell of.

    Of a generator that is not in the catalog only boxes are known.

    Examples
    --------
    >>> recorded({"generator": {"kind": "SIFT", "patch": 16, "stride": None}})
    SIFT(patch=16)
    >>> recorded({})
    ImageBags()
    """
    told = facts.get("generator")
    if not isinstance(told, Mapping):
        return ImageBags()
    for name, path in GENERATORS.items():
        if path.endswith(f":{told.get('kind')}"):
            build = _class(name)
            known = inspect.signature(build).parameters
            return build(**{n: value for n, value in told.items() if n in known})
    return ImageBags()


def _class(name: str) -> type[ImageBags]:
    module, kind = GENERATORS[name].split(":")
    found: type[ImageBags] = getattr(import_module(module), kind)
    return found
