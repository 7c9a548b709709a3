"""The generators by name, as commands and data sets call them."""

from collections.abc import Mapping
from typing import Any

from mipl.generators.generator_catalog import GeneratorCatalog
from mipl.images.image_bags import ImageBags

GENERATORS = {
    "deep": "mipl.images.deep:DeepPatches",
    "kmeansseg": "mipl.images.kmeans_seg:KMeansSeg",
    "patches": "mipl.images.patches:Patches",
    "row": "mipl.images.row:Row",
    "sbn": "mipl.images.sbn:SBN",
    "sift": "mipl.images.sift:SIFT",
}
CATALOG = GeneratorCatalog(
    "mipl images to-bags", GENERATORS, "mipl.images.pictures:Picture"
)


def image_bags(name: str, **arguments: Any) -> ImageBags:
    """Build a generator by its name.

    Examples
    --------
    >>> image_bags("sift", patch=16, stride=48)
    SIFT(patch=16, stride=48)
    """
    made: ImageBags = CATALOG.build(name, **arguments)
    return made


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
    made: ImageBags = CATALOG.recorded(facts.get("generator")) or ImageBags()
    return made
