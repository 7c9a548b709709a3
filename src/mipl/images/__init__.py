"""From pictures to bags: each generator is a scikit-learn transformer.

Public names are loaded on first use: none but ``DeepPatches`` loads torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.images.base import ImageBags
    from mipl.images.patches import Patches

_HOMES = {
    "ImageBags": "mipl.images.base",
    "Patches": "mipl.images.patches",
}

__all__ = ["ImageBags", "Patches"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl.images' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
