"""From recordings to bags: each generator is a scikit-learn transformer.

Public names are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mipl.audio.energy_segments import EnergySegments
    from mipl.audio.sound_bags import SoundBags
    from mipl.audio.time_windows import TimeWindows

_HOMES = {
    "EnergySegments": "mipl.audio.energy_segments",
    "SoundBags": "mipl.audio.sound_bags",
    "TimeWindows": "mipl.audio.time_windows",
}

__all__ = ["EnergySegments", "SoundBags", "TimeWindows"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mipl.audio' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
