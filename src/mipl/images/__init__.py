"""From pictures to bags: each generator is a scikit-learn transformer.

Public names are loaded on first use: none but ``DeepPatches`` loads torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.images.deep import DeepPatches
    from mipl.images.image_bags import ImageBags
    from mipl.images.kmeans_seg import KMeansSeg
    from mipl.images.patches import Patches
    from mipl.images.row import Row
    from mipl.images.sbn import SBN
    from mipl.images.sift import SIFT

_HOMES = {
    "SBN": "mipl.images.sbn",
    "SIFT": "mipl.images.sift",
    "DeepPatches": "mipl.images.deep",
    "ImageBags": "mipl.images.image_bags",
    "KMeansSeg": "mipl.images.kmeans_seg",
    "Patches": "mipl.images.patches",
    "Row": "mipl.images.row",
}

__all__ = ["SBN", "SIFT", "DeepPatches", "ImageBags", "KMeansSeg", "Patches", "Row"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl.images' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
