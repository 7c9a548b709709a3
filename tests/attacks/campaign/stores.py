"""Writers that are killed or fail: of the store of results, and of every format."""

import itertools
from collections import Counter
from pathlib import Path

from tests.crash import test_fault_points as faults
from tests.crash import writers
from tests.crash.test_store import storm

WRITERS = [
    f"{name}, {'over an old one' if exists else 'new'}, {error}"
    for name in faults.NAMES
    for exists in (True, False)
    for error in ("cut", "full")
]


def kills(name: str, seed: int, folder: Path, count: int = 20) -> Counter[str]:
    """Kill writers of one store at random; nothing acknowledged may be lost."""
    killed = storm(folder, 0.05, writers.write, 4 * count, most=count, seed=seed)
    return Counter({"kills": killed, "results, all there": 4 * count})


def points(name: str, seed: int, folder: Path, count: int = 1) -> Counter[str]:
    """Stop a writer at each of its system calls, before and after it."""
    which, exists, error = name.split(", ")
    found: Counter[str] = Counter()
    for after in (False, True):
        fault = faults.Stopped() if error == "cut" else OSError(28, "no space left")
        for n in itertools.count():
            place = folder / f"{after}{n}"
            place.mkdir()
            if exists != "new":
                faults.write_old(which, place)
            finished = faults.stopped_at(
                n, fault, after, lambda p=place: faults.write(which, 1, p)
            )
            seen = faults.outcome(place / which)
            found["new" if seen == "new" else "old"] += 1
            if finished:
                break
    return found
