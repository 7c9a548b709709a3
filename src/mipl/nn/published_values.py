"""Published values of a network, from a safetensors file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor, nn

from mipl import files
from mipl.errors import BadFile

_LARGEST = 1 << 34
# A count that batch norm keeps in training; files come with it and without.
_UNUSED = "num_batches_tracked"


def fill(module: nn.Module, path: str | Path, whose: str) -> None:
    """Give every parameter and buffer of a network its value from a file.

    Parameters
    ----------
    module : torch.nn.Module
        Keeps its own types; a file of half precision is widened.
    path : str or Path
        A safetensors file with the names and shapes of the network's state.
    whose : str
        How messages call the network and the layout of its file.
    """
    values, needed = _read(path), module.state_dict()
    wanted = {name for name in needed if _used(name)}
    absent = wanted - values.keys()
    foreign = {name for name in values.keys() - needed.keys() if _used(name)}
    if absent:
        raise BadFile(f"{path} does not fit {whose}: it lacks {_some(absent)}.")
    if foreign:
        raise BadFile(
            f"{path} does not fit {whose}: there is no place for {_some(foreign)}."
        )
    module.load_state_dict({n: _fitting(path, n, values, needed) for n in needed})


def digest(module: nn.Module) -> str:
    """Return a hash of the values of a network, under their names."""
    total = sha256()
    for name, value in module.state_dict().items():
        total.update(name.encode())
        # By bytes: NumPy has no name for some of torch's types.
        total.update(value.cpu().flatten().view(torch.uint8).numpy().tobytes())
    return total.hexdigest()


def _read(path: str | Path) -> dict[str, Tensor]:
    size = files.existing_file(path).stat().st_size
    content = files.read_bounded(path, min(size, _LARGEST))
    try:
        return load(content)
    except (SafetensorError, KeyError, TypeError, ValueError):
        raise BadFile(
            f"{path} is not a readable safetensors file; give one, no pickled file."
        ) from None


def _fitting(
    path: str | Path,
    name: str,
    values: Mapping[str, Tensor],
    needed: Mapping[str, Tensor],
) -> Tensor:
    old = needed[name]
    if name not in values or not _used(name):
        return old
    new = values[name]
    if new.shape != old.shape or not new.is_floating_point():
        raise BadFile(
            f"{name!r} in {path} must be of shape {tuple(old.shape)} with real "
            f"numbers; it is of shape {tuple(new.shape)} with {new.dtype}."
        )
    if not torch.isfinite(new).all():
        raise BadFile(f"{name!r} in {path} must be finite; it holds NaN or infinity.")
    return new.to(old.dtype)


def _used(name: str) -> bool:
    return not name.endswith(_UNUSED)


def _some(names: Iterable[str]) -> str:
    first, *others = sorted(name[:60] for name in names)
    return f"{first!r}" + (f" and {len(others)} more" if others else "")
