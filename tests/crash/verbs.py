"""Every verb that writes, stopped at each of its system calls.

What it leaves under a name that a user gave is the old thing or the new one; a folder
is one thing.
"""

import contextlib
import io
import itertools
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image
from tests.crash.test_fault_points import Points, Stopped

from mipl.cli.main import main
from mipl.runs.result import Result
from mipl.runs.run import Run
from mipl.runs.store import Store

ONE_EPOCH = ("--set", "training.epochs=1")
DATA = ("trees.csv", "few.csv")


class Verb(NamedTuple):
    """The words of a verb in two versions, and the things that it writes."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    things: tuple[str, ...]


def verb(words: str, things: str, old: str = "trees.csv", new: str = "few.csv") -> Verb:
    """Return a verb in whose words ``*`` stands for what differs."""
    both = (tuple(words.replace("*", one).split()) for one in (old, new))
    return Verb(*both, tuple(things.split()))


VERBS = {
    "fit": verb(
        "fit trees.csv -o fitted --force --seed * --set training.epochs=1",
        "fitted",
        *"01",
    ),
    "predict": verb("predict run * -o said.csv", "said.csv"),
    "predict, parquet": verb("predict run * -o said.parquet", "said.parquet"),
    "explain": verb(
        "explain run trees.csv --bag * --plot p.svg -o top.csv", "p.svg top.csv", *"pr"
    ),
    "data import": verb("data import * -o mine.bags.h5", "mine.bags.h5"),
    "data convert": Verb(
        ("methods",), ("data", "convert", "trees.csv", "folder"), ("folder",)
    ),
    "data convert, csv": verb("data convert * t.csv", "t.csv"),
    "images to-bags": verb(
        "images to-bags photos -o photos.npz -g * --labels labels.csv --bag-id file "
        "--jobs 1",
        "photos.npz",
        "row",
        "sbn",
    ),
    "runs export": verb("runs export runs.csv --store *", "runs.csv", "0.db", "1.db"),
    "tune": verb(
        "tune trees.csv --study study.db --trials * --folds 2 "
        "--set training.lr=[0.0001,0.5] --set training.epochs=9",
        "study.run.toml",
        *"19",
    ),
    "reproduce": verb(
        "reproduce digits --method miplma --known --store * --format markdown "
        "--format csv -o .",
        "digits.md digits.csv",
        "0.db",
        "1.db",
    ),
}


def make_inputs() -> None:
    """Write what the verbs read, into the folder that one is in."""
    rows = ["p,1,2,oak|elm", "p,2,3,oak|elm", "q,3,1,oak", "r,4,5,elm"]
    for name, first in zip(DATA, (0, 1), strict=True):
        lines = ["bag_id,height,width,candidates", *rows[first:]]
        Path(name).write_text("\n".join(lines))
    assert run(("fit", "trees.csv", "-o", "run", *ONE_EPOCH))[0] == 0
    chance = np.random.default_rng(0)
    Path("photos").mkdir()
    for name in "abcd":
        pixels = chance.integers(256, size=(20, 20, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(f"photos/{name}.png")
    Path("labels.csv").write_text("file,candidates\n" + "".join(LABELS))
    for version in (0, 1):
        store = Store(Path(f"{version}.db"), create=True)
        done = Run("miplma", "digits-mipl", split=0)
        store.record(Result(done, "finished", 0.5 - 0.25 * version, 1.0))


LABELS = [f"{n}.png,oak|elm\n" for n in "abcd"]


def run(words: tuple[str, ...]) -> tuple[int, str]:
    """Run the program; return its exit code and what it said on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        with pytest.raises(SystemExit) as end:
            main(list(words))
    return int(end.value.code or 0), said.getvalue()


def seen(things: tuple[str, ...]) -> list[dict[str, bytes]]:
    """Return the files of each thing that was written."""
    return [
        {
            str(file): file.read_bytes()
            for file in [Path(thing), *Path(thing).rglob("*")]
            if file.is_file()
        }
        for thing in things
    ]


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def points(name: str, error: BaseException, after: bool, folder: Path) -> Counter[str]:
    """Stop a verb at each of its calls; count what was left, old or new."""
    one, found = VERBS[name], Counter[str]()
    place, kept = folder / "place", folder / "kept"
    place.mkdir()
    with inside(place):
        make_inputs()
        assert run(one.old)[0] == 0
        old = seen(one.things)
        shutil.copytree(place, kept)
        assert run(one.new)[0] == 0
        new = seen(one.things)
        assert all(new) and old != new
        for n in itertools.count():
            again(place, kept)
            code, said = stopped_at(n, error, after, one.new)
            now = seen(one.things)
            found.update(map(called, now, old, new))
            if code == 0:
                assert now == new
                return found
            told = [line for line in said.splitlines() if line.startswith("error: ")]
            if code != STOPPED and (code != 2 or len(told) != 1 or "Trace" in said):
                found[f"badly told: {code}, {said[-200:]}"] += 1


STOPPED = -1


def called(now: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> str:
    if now in (old, new):
        return "old" if now == old else "new"
    return "MIXTURE"


def again(place: Path, kept: Path) -> None:
    """Put a folder back into the state it was in."""
    for path in place.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(kept, place, dirs_exist_ok=True)


def stopped_at(
    n: int, error: BaseException, after: bool, words: tuple[str, ...]
) -> tuple[int, str]:
    """Run a verb that fails at call n; 0 where it has fewer calls."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        stopping = Points(monkeypatch, n, error, after)
        try:
            code, said = run(words)
        except Stopped:
            code, said = STOPPED, ""
        if stopping.over and code == 0:
            code, said = 1, "a failure was passed over in silence\n\n"
    return code, said
