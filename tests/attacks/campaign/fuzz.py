"""Readers in Python under a fuzzer that follows what they execute.

The readers are instrumented as they are imported, so each hunt is a program of its own:

    python -m tests.attacks.campaign.fuzz table 1000 corpus
"""

import contextlib
import json
import re
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

SECONDS = 5  # That one reading may take.
MEMORY = 2048  # MiB, that of the fuzzer included.
# What is hunted, and the kind of file that its readers are given.
TARGETS = {
    "table": "csv without hashes",
    "archive": "npz",
    "results": "results.csv",
    "settings": "run.toml",
    "splits": "splits.json",
    "checkpoint": "checkpoint",
    "model": "model",
    "idx": None,
    "label sets": None,
}
PACKAGES = ["mipl.io", "mipl.runs", "mipl.data", "mipl.datasets", "mipl.training"]


def idx(content: bytes, folder: Path) -> None:
    from mipl.datasets.idx import read_idx

    (folder / "x.idx").write_bytes(content)
    read_idx(folder / "x.idx", 3)


def label_sets(content: bytes) -> None:
    from mipl import Candidates

    Candidates(content.decode("utf-8", "replace").split("\n"))


def of_a_file(name: str, folder: Path) -> tuple[bytes, Callable[[bytes], object]]:
    """Return a good file of a format, and what reads another content of it."""
    from tests.attacks.campaign import mutants

    make, read = mutants.FORMATS[name]
    path = make(folder)
    file = sorted(f for f in [path, *path.rglob("*")] if f.is_file())[0]

    def reading(content: bytes) -> object:
        file.write_bytes(content)
        return read(path)

    return file.read_bytes(), reading


def target(name: str, folder: Path) -> tuple[bytes, Callable[[bytes], object]]:
    """Return a seed, and what is hunted."""
    if name == "idx":
        head = bytes([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2])
        return head + b"abcd", lambda content: idx(content, folder)
    if name == "label sets":
        return b"oak|elm\nash", label_sets
    return of_a_file(str(TARGETS[name]), folder)


def piece(name: str, seed: int, folder: Path, count: int = 2000) -> Counter[str]:
    """Hunt through so many readings."""
    (folder / "corpus").mkdir()
    words = [sys.executable, "-m", __name__, name, str(count), str(seed), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    ran = re.findall(r"Done (\d+) runs|^#(\d+)", done.stderr, re.MULTILINE)
    if done.returncode == 0 and ran:
        return Counter({"read or refused": int(ran[-1][0] or ran[-1][1])})
    told = [
        line for line in done.stderr.splitlines() if "Error" in line or "==" in line
    ]
    return Counter({f"FOUND: {json.dumps(told[:2])[:200]}": 1})


def hunt(name: str, count: int, seed: int, folder: Path) -> None:
    """Be the fuzzer; end with an error at the first reading that is one."""
    import atheris

    with atheris.instrument_imports(include=PACKAGES):
        first, read = target(name, folder)
        from mipl import MiplError
    (folder / "corpus" / "good").write_bytes(first)

    def once(content: bytes) -> None:
        with warnings.catch_warnings(), contextlib.suppress(MiplError):
            warnings.simplefilter("ignore")
            read(content)

    options = [f"-runs={count}", f"-seed={seed + 1}", f"-timeout={SECONDS}"]
    atheris.Setup(
        ["hunt", *options, f"-rss_limit_mb={MEMORY}", str(folder / "corpus")], once
    )
    atheris.Fuzz()


if __name__ == "__main__":
    hunt(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
