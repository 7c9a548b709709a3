"""The generators by name, as commands and data sets call them."""

import inspect
from importlib import import_module
from typing import Any

from mipl.errors import unknown
from mipl.images.base import ImageBags

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
    module, kind = GENERATORS[name].split(":")
    build = getattr(import_module(module), kind)
    known = inspect.signature(build).parameters
    for argument in arguments:
        if argument not in known:
            raise unknown(f"argument of {name}", argument, known)
    made: ImageBags = build(**arguments)
    return made
