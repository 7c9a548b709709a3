"""Pixels of any picture as (h, w, 3) bytes: red, green and blue from 0 to 255."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mipl.errors import BadFile, MiplError
from mipl.files import read_bounded
from mipl.images.vision_extra import vision

Pixels = npt.NDArray[np.uint8]  # (h, w, 3)

_MOST_BYTES = 1 << 28  # A picture file of a quarter of a gigabyte is a mistake.
# A plain page packs a thousand pixels into a byte; below some millions nothing hurts.
_LEAST_PIXELS, _PIXELS_PER_BYTE = 1 << 22, 1 << 10
_WORD_TO_BYTE = 257  # 65535 / 255


def as_pixels(array: Any, name: str) -> Pixels:
    """Return an array as red, green and blue bytes.

    Grey is repeated; what lies behind a transparent pixel is white; 16-bit values are
    rounded to 8 bits; floating-point numbers are read as 0 to 1.

    Examples
    --------
    >>> as_pixels(np.full((1, 1), 65535, np.uint16), "a picture").tolist()
    [[[255, 255, 255]]]
    >>> as_pixels(np.array([[[10, 20, 30, 0]]], np.uint8), "a picture").tolist()
    [[[255, 255, 255]]]
    """
    array = np.asarray(array)
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or array.shape[2] not in (1, 2, 3, 4) or 0 in array.shape:
        raise MiplError(
            f"{name} must have the shape (h, w) or (h, w, c) with 1 to 4 channels; "
            f"got {array.shape}."
        )
    pixels = _as_bytes(array, name)
    if array.shape[2] in (2, 4):
        pixels = _over_white(pixels)
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    return np.ascontiguousarray(pixels)


def read_pixels(path: str | Path) -> Pixels:
    """Read a picture file (PNG, JPEG, TIFF, BMP, WebP, ...) upright, as shown."""
    data = read_bounded(path, _MOST_BYTES)
    pil = vision("PIL.Image", "reading pictures")
    turn = vision("PIL.ImageOps", "reading pictures").exif_transpose
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Odd metadata do not change the pixels.
            warnings.simplefilter("error", pil.DecompressionBombWarning)
            with pil.open(io.BytesIO(data)) as picture:
                picture.verify()  # Its checksums; reading passes over some of them.
            with pil.open(io.BytesIO(data)) as picture:
                _check_size(path, picture.size, len(data))
                array = _decoded(turn(picture))
    except BadFile:
        raise
    except (pil.DecompressionBombWarning, pil.DecompressionBombError) as error:
        raise BadFile(f"{path} is too large to be read: {error}") from None
    except Exception as error:  # Each decoder has errors of its own.
        reason = str(error).split("<")[0].strip() or type(error).__name__
        raise BadFile(f"{path} cannot be read as a picture: {reason}.") from None
    return as_pixels(array, str(path))


def _check_size(path: str | Path, size: tuple[int, int], n_bytes: int) -> None:
    """Refuse a header that claims more pixels than its file could ever hold."""
    most = _LEAST_PIXELS + _PIXELS_PER_BYTE * n_bytes
    if size[0] * size[1] > most:
        raise BadFile(
            f"{path} claims {size[0]} x {size[1]} pixels in {n_bytes:,} bytes; at most "
            f"{most:,} are decoded from a file of that size."
        )


def _decoded(picture: Any) -> npt.NDArray[Any]:
    mode = picture.mode
    if mode.startswith("I"):  # Grey of 16 bits, by some decoders in 32.
        words: npt.NDArray[np.int64] = np.asarray(picture, dtype=np.int64)
        return np.clip(words, 0, 65535).astype(np.uint16)
    if mode == "F":
        return np.asarray(picture)
    clear = mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in picture.info
    return np.asarray(picture.convert("RGBA" if clear else "RGB"))


def _as_bytes(array: npt.NDArray[Any], name: str) -> Pixels:
    if array.dtype == np.uint8:
        return array
    if array.dtype == bool:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype == np.uint16:
        wide: npt.NDArray[np.uint32] = array.astype(np.uint32)
        return ((wide + _WORD_TO_BYTE // 2) // _WORD_TO_BYTE).astype(np.uint8)
    if array.dtype.kind == "f":
        if np.isfinite(array).all() and array.min() >= 0 and array.max() <= 1:
            scaled: npt.NDArray[np.float64] = np.rint(array * 255)
            return scaled.astype(np.uint8)
        raise MiplError(
            f"{name} has floating-point pixels, which must lie from 0 to 1; divide "
            "them by their largest possible value."
        )
    if array.dtype.kind in "iu" and array.min() >= 0 and array.max() <= 255:
        return array.astype(np.uint8)
    raise MiplError(
        f"{name} must hold bytes, 16-bit numbers, or numbers from 0 to 1; "
        f"got {array.dtype}."
    )


def _over_white(pixels: Pixels) -> Pixels:
    """Lay a picture with an alpha channel on white paper."""
    alpha = pixels[..., -1:].astype(np.uint32)
    ink = pixels[..., :-1] * alpha + 255 * (255 - alpha)
    return ((ink + 127) // 255).astype(np.uint8)
