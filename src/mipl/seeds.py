"""One seed -> named, independent random streams.

No global generator is read or touched: a stream is a pure function of the seed and
of the names that say what it is for, so adding a stream never shifts another.
"""

import numbers
from hashlib import sha256

import numpy as np

from mipl.errors import MiplError

Seed = int | np.random.RandomState | None


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the NumPy generator that ``seed`` gives for these names.

    Examples
    --------
    >>> a, b = stream(0, "split", 3), stream(0, "split", 3)
    >>> bool(a.random() == b.random())
    True
    """
    return np.random.Generator(np.random.PCG64(_sequence(seed, names)))


def stream_seed(seed: int, *names: str | int) -> int:
    """Return a 63-bit seed for another library's generator.

    Examples
    --------
    >>> stream_seed(0, "init") != stream_seed(0, "order")
    True
    """
    return int(_sequence(seed, names).generate_state(1, np.uint64)[0] >> np.uint64(1))


def as_seed(random_state: Seed) -> int:
    """Turn scikit-learn's ``random_state`` into one integer seed; None means 0.

    A ``RandomState`` is the caller's own object and is drawn from once, as
    scikit-learn does.

    Examples
    --------
    >>> as_seed(None), as_seed(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    raise MiplError(
        f"random_state must be None, an integer >= 0 or a RandomState; "
        f"got {random_state!r}."
    )


def _sequence(seed: int, names: tuple[str | int, ...]) -> np.random.SeedSequence:
    if not isinstance(seed, numbers.Integral) or seed < 0:
        raise MiplError(f"seed must be an integer >= 0; got {seed!r}.")
    # In quotes, so that neither "a/b" and "a", "b" nor 1 and "1" share a stream.
    plain = [name if isinstance(name, str) else int(name) for name in names]
    digest = sha256(repr(plain).encode()).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence(entropy=int(seed), spawn_key=tuple(words))
