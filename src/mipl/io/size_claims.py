"""Refusal of files that claim to hold absurdly more than their size."""

from pathlib import Path

from mipl.errors import BadFile

# Real feature files shrink 2 to 60 times, very sparse ones 250; bombs 1000 and more.
_MOST_INFLATION = 500
_ALWAYS_READ = 1 << 28


def refuse_absurd(path: Path, claimed: int) -> None:
    """Raise unless ``claimed`` bytes can honestly come out of this file.

    Examples
    --------
    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile() as file:
    ...     refuse_absurd(Path(file.name), 40 * 10**9)
    Traceback (most recent call last):
        ...
    mipl.errors.BadFile: ... has 0 bytes and claims to hold 40,000,000,000; ...
    """
    size = path.stat().st_size
    if claimed > max(_ALWAYS_READ, _MOST_INFLATION * size):
        raise BadFile(
            f"{path} has {size:,} bytes and claims to hold {claimed:,}; "
            f"more than {_MOST_INFLATION} times its size is not read."
        )
