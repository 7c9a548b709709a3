"""Where raw files are looked for, and where built sets are kept."""

import os
from collections.abc import Sequence
from pathlib import Path

from mipl.errors import MiplError, MissingData, MissingExtra

Folder = str | Path | None


def data_dir() -> Path:
    """Return the user's data directory, where ``make data`` puts raw files."""
    return _of_the_user("data")


def cache_dir() -> Path:
    """Return where built sets are kept: ``MIPL_CACHE``, or the user's cache.

    The folder is made where it is absent. ``load_dataset`` keeps nothing there: to
    build from raw files takes no longer than to read a built file with all checks.
    """
    given = os.environ.get("MIPL_CACHE")
    folder = Path(given) if given else _of_the_user("cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MiplError(
            f"cannot make the cache folder {folder}: {error.strerror}; "
            "set MIPL_CACHE to another one."
        ) from None
    return folder


def _of_the_user(what: str) -> Path:
    try:
        import platformdirs  # noqa: PLC0415
    except ImportError:
        raise MissingExtra.of("a raw data set", "platformdirs", "files") from None
    ask = {"data": platformdirs.user_data_path, "cache": platformdirs.user_cache_path}
    return ask[what]("mipl", appauthor=False)


def raw_dirs(raw: Folder = None) -> tuple[Path, ...]:
    """Return the folders searched for raw files, first the one named first.

    That is ``raw``, then ``MIPL_DATA``, then the user's data directory. They are only
    read.
    """
    given = os.environ.get("MIPL_DATA")
    named = [Path(folder) for folder in (raw, given) if folder]
    return (*named, data_dir())


def find_raw(what: str, remedy: str, names: Sequence[str], raw: Folder) -> Path:
    """Return the first file of any of these names in the folders of raw files.

    A name may stand in a folder of its set ("mnist/..."); ``raw`` may also be that
    folder itself.
    """
    folders = raw_dirs(raw)
    places = [folder / name for folder in folders for name in names]
    if raw is not None:
        places = [Path(raw) / Path(name).name for name in names] + places
    for place in places:
        if place.is_file():
            return place
    raise MissingData(
        f"{what} needs the raw file {names[0]}, which is in none of "
        f"{', '.join(map(str, folders))}; {remedy}"
    )
