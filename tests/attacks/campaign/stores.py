"""Writers that are killed or fail: of the store, of every format, of every verb."""

import errno
import itertools
from collections import Counter
from pathlib import Path

from tests.crash import test_fault_points as faults
from tests.crash import verbs, writers
from tests.crash.test_store import storm

# What ends a call: the power, a full disk, a broken one, a signal.
ERRORS = {"cut": 0, "full": errno.ENOSPC, "broken": errno.EIO, "signal": errno.EINTR}
WRITERS = [
    f"{name}; {'over an old one' if exists else 'new'}; {error}"
    for name in faults.NAMES
    for exists in (True, False)
    for error in ERRORS
]
VERBS = [f"{name}; {error}" for name in verbs.VERBS for error in ERRORS]


def kills(name: str, seed: int, folder: Path, count: int = 20) -> Counter[str]:
    """Kill writers of one store at random; nothing acknowledged may be lost."""
    killed = storm(folder, 0.05, writers.write, 4 * count, most=count, seed=seed)
    return Counter({"kills": killed, "results, all there": 4 * count})


def fault(error: str) -> BaseException:
    """Return what a failing call raises."""
    return OSError(ERRORS[error], "it failed") if ERRORS[error] else faults.Stopped()


def points(name: str, seed: int, folder: Path, count: int = 1) -> Counter[str]:
    """Stop a writer at each of its system calls, before and after it."""
    which, exists, error = name.split("; ")
    found: Counter[str] = Counter()
    for after in (False, True):
        for n in itertools.count():
            place = folder / f"{after}{n}"
            place.mkdir()
            if exists != "new":
                faults.write_old(which, place)
            finished = faults.stopped_at(
                n, fault(error), after, lambda p=place: faults.write(which, 1, p)
            )
            seen = faults.outcome(place / which)
            found["new" if seen == "new" else "old"] += 1
            if finished:
                break
    return found


def verb_points(name: str, seed: int, folder: Path, count: int = 1) -> Counter[str]:
    """Stop a verb at each of its system calls, before and after it."""
    which, error = name.split("; ")
    found: Counter[str] = Counter()
    for after in (False, True):
        place = folder / str(after)
        place.mkdir()
        found += verbs.points(which, fault(error), after, place)
    return found
