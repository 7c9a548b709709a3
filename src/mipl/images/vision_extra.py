"""Packages of the optional extra ``vision``, loaded where they do the work."""

from importlib import import_module
from typing import Any

from mipl.errors import MissingExtra

_PACKAGES = {
    "PIL.Image": "Pillow",
    "PIL.ImageOps": "Pillow",
    "cv2": "opencv-python-headless",
    "pywt": "PyWavelets",
    "skimage.color": "scikit-image",
}


def vision(module: str, what: str) -> Any:
    """Return a module of the extra, or tell what needs it.

    Examples
    --------
    >>> vision("pywt", "KMeansSeg").__name__
    'pywt'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra.of(what, _PACKAGES[module], "vision") from None
