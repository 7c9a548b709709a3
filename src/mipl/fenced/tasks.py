"""The tasks a fenced child knows, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mipl.fenced.bags_file import check_bags
from mipl.fenced.frames import Frame
from mipl.fenced.hdf5_arrays import read_arrays
from mipl.fenced.mat_variables import read_variables
from mipl.fenced.sound_file import read_sound

# A task takes the open file, the budget and its own options, and gives frames.
Task = Callable[..., Iterator[Frame]]

TASKS: dict[str, Task] = {
    "bags": check_bags,
    "hdf5": read_arrays,
    "mat": read_variables,
    "sound": read_sound,
}
