"""The authors' own files, from their public address."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mipl.datasets.download import Progress, download
from mipl.datasets.places import data_dir
from mipl.errors import BadFile, MiplError, unknown
from mipl.files import CALLS, git_blob_id, make_folder, sha256, write_text
from mipl.io.arrays.zip_file import unpack

ADDRESS = "https://palm.seu.edu.cn/zhangml/files"
_LIST = "fetched.json"


@dataclass(frozen=True)
class PublishedArchive:
    """An archive of the authors, and the git ids of files in it that are known."""

    archive: str
    git_ids: Mapping[str, str] = field(default_factory=dict)
    most_bytes: int = 2 << 30


PUBLISHED = {
    "birdsong-mipl": PublishedArchive("Birdsong_MIPL.zip"),
    "crc-mipl-kmeansseg": PublishedArchive("CRC-MIPL-KMeansSeg.zip"),
    "crc-mipl-row": PublishedArchive("CRC-MIPL-Row.zip"),
    "crc-mipl-sbn": PublishedArchive("CRC-MIPL-SBN.zip"),
    "crc-mipl-sift": PublishedArchive("CRC-MIPL-SIFT.zip"),
    "fmnist-mipl": PublishedArchive("FMNIST_MIPL.zip"),
    "mnist-mipl": PublishedArchive(
        "MNIST_MIPL.zip",
        {
            "MNIST_MIPL_r1.mat": "97dad3c7b1d6ca992fc1162d88742b1a95d7eed9",
            "MNIST_MIPL_r2.mat": "999c450d7ea4edd2b368d226111be15da287c0e5",
            "MNIST_MIPL_r3.mat": "c1b25b440f23bd7c27c52ba3455cc96de5098f73",
        },
    ),
    "newsgroups-mipl": PublishedArchive("Newsgroups_MIPL.zip"),
    "sival-mipl": PublishedArchive("SIVAL_MIPL.zip"),
}


@dataclass(frozen=True)
class Fetched:
    """What ``fetch`` returns.

    Attributes
    ----------
    folder : Path
    files : tuple of str
        Names inside the folder.
    verified : tuple of str
        Those whose content was compared with a published id; the others are only
        known to have arrived whole.
    fresh : bool
        Whether anything was downloaded; False if the files were there already.
    """

    folder: Path
    files: tuple[str, ...]
    verified: tuple[str, ...]
    fresh: bool


def fetch(
    name: str,
    folder: str | Path | None = None,
    *,
    address: str = ADDRESS,
    progress: Progress = lambda done, total: None,
) -> Fetched:
    """Get the files of a data set as its authors publish them.

    An interrupted download goes on at the next call; nothing is seen in its place
    before it is complete and its content is the published one; good files stay.

    Parameters
    ----------
    name : str
        A name of ``PUBLISHED``.
    folder : path, optional
        Where the set gets a folder of its own; the user's data directory by default.
    address : str
        The place of the archive, e.g. of a mirror.
    progress : callable of (bytes so far, bytes in all or None)
    """
    if name not in PUBLISHED:
        raise unknown("published data set", name, PUBLISHED)
    published = PUBLISHED[name]
    root = Path(folder) if folder is not None else data_dir() / "published"
    target = root / name
    files = _good(target)
    if files is not None:
        return Fetched(target, files, _verified(published, files), fresh=False)
    if target.exists() and not (target / _LIST).is_file():
        raise MiplError(f"{target} was not made by fetch; move it, or choose a folder.")
    make_folder(root)
    archive = root / published.archive
    if not archive.exists():  # Only whole ones get this name.
        download(
            f"{address.rstrip('/')}/{published.archive}",
            archive,
            progress,
            published.most_bytes,
        )
    try:
        files = _install(published, archive, target)
    except BadFile:
        archive.unlink()
        raise
    archive.unlink()
    return Fetched(target, files, _verified(published, files), fresh=True)


def _good(target: Path) -> tuple[str, ...] | None:
    """Return the files of a complete earlier fetch, None if there is none."""
    try:
        listed = json.loads((target / _LIST).read_text(encoding="utf-8"))
        whole = all(sha256(target / file) == digest for file, digest in listed.items())
    except (OSError, ValueError, AttributeError, TypeError):
        return None
    return tuple(listed) if listed and whole else None


def _install(
    published: PublishedArchive, archive: Path, target: Path
) -> tuple[str, ...]:
    """Unpack beside the target, check, and move into place in one step."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    stale = target.with_name(f".{target.name}.{os.getpid()}.old")
    fresh.mkdir()
    try:
        files = sorted(unpack(archive, fresh))
        _check_content(published, archive, fresh, files)
        listed = {file: sha256(fresh / file) for file in files}
        for file in files:
            CALLS.fsync(fresh / file)
        write_text(fresh / _LIST, json.dumps(listed, indent=1))
        # After an exchange the old files lie where the new ones were.
        if not (target.exists() and CALLS.swap(fresh, target)):
            if target.exists():
                CALLS.replace(target, stale)
            CALLS.replace(fresh, target)
        CALLS.fsync_dir(target.parent)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(stale, ignore_errors=True)
    return tuple(files)


def _verified(published: PublishedArchive, files: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f for f in files if Path(f).name in published.git_ids)


def _check_content(
    published: PublishedArchive, archive: Path, folder: Path, files: list[str]
) -> None:
    places = {Path(file).name: folder / file for file in files}
    for name, expected in published.git_ids.items():
        if name not in places or expected not in _git_ids(places[name]):
            fault = "has other content" if name in places else "is missing"
            raise BadFile(
                f"{name} of {archive.name} {fault}; it must have the git id "
                f"{expected}: try again later, or get the file elsewhere."
            )


def _git_ids(path: Path) -> set[str]:
    """Return the ids git may know a file by: of its content, or of its LFS pointer."""
    pointer = (
        "version https://git-lfs.github.com/spec/v1\n"
        f"oid sha256:{sha256(path)}\nsize {path.stat().st_size}\n"
    ).encode()
    digest = hashlib.sha1(b"blob %d\0" % len(pointer), usedforsecurity=False)
    digest.update(pointer)
    return {git_blob_id(path), digest.hexdigest()}
