"""``make attack``: run what is missing of every part, and write the report.

Each piece runs in a process of its own, so that a crash or a hang is counted and ends
nothing. What is done is kept in a file; the same command again goes on.

    python -m tests.attacks.campaign --share 0.01 --part mutants
"""

import argparse
import json
import os
import platform
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from tests.attacks.campaign import bombs, fuzz, methods, mutants, stores
from tests.attacks.campaign.pieces import outcome

from mipl.files import write_text

REPORT = Path(__file__).parents[3] / "docs" / "reliability_counts.md"
GOOD = (
    "refused",
    "equal",
    "same",
    "same bits",
    "works",
    "old",
    "new",
    "read or refused",
    "kills",
    "results, all there",
)


class Part(NamedTuple):
    """Pieces of one kind: by whom, over which names, how many of each, and the goal."""

    title: str
    piece: object
    names: list[str]
    size: int
    goal: int


PARTS = {
    "mutants": Part(
        "mutants of files", mutants.piece, list(mutants.FORMATS), 100, 50_000
    ),
    "bits": Part("fits, for the same bits", methods.same_bits, methods.IDS, 4, 750),
    "kills": Part("kills in training", methods.kills, methods.IDS, 10, 1_000),
    "arguments": Part("bad arguments", methods.bad_arguments, methods.IDS, 30, 960),
    "bags": Part("bad bags and sets", methods.bad_bags, methods.IDS, 133, 4_256),
    "store": Part("kills of writers of a store", stores.kills, ["store"], 20, 2_000),
    "points": Part("fault points of writers", stores.points, stores.WRITERS, 1, 48),
    "verbs": Part("fault points of verbs", stores.verb_points, stores.VERBS, 1, 44),
    "bombs": Part("bombs", bombs.piece, list(bombs.BOMBS), 1, len(bombs.BOMBS)),
    "fuzz": Part(
        "readings of a guided fuzzer", fuzz.piece, list(fuzz.TARGETS), 5_000, 450_000
    ),
}


def missing(part: Part, done: dict, share: float) -> Iterator[tuple[str, int, int]]:
    """Give the pieces that are not done: every name in turn, the goal split evenly."""
    size = max(1, min(part.size, round(part.goal * share / len(part.names))))
    pieces = max(1, round(part.goal * share / size / len(part.names)))
    for seed in range(pieces):
        for name in part.names:
            if f"{name}:{seed}:{size}" not in done:
                yield name, seed, size


def run(key: str, kept: Path, share: float) -> None:
    done = read(kept)
    for name, seed, size in missing(PARTS[key], done.get(key, {}), share):
        start = monotonic()
        found = outcome(PARTS[key].piece, name, seed, size)
        piece = {"found": dict(found), "seconds": round(monotonic() - start, 2)}
        done.setdefault(key, {})[f"{name}:{seed}:{size}"] = piece
        write_text(kept, json.dumps(done, indent=1))
        bad = {n: c for n, c in found.items() if n not in GOOD}
        print(key, name, seed, dict(found) if not bad else bad, flush=True)


def read(kept: Path) -> dict:
    return json.loads(kept.read_text()) if kept.exists() else {}


def report(kept: Path) -> str:
    """Return what was really run, as Markdown."""
    lines = [
        "# Attacks, counted",
        "",
        "Written by `make attack` (`python -m tests.attacks.campaign`), which goes on "
        "where it stopped; these are the numbers that were really run.",
        "",
        "| part | goal | run | outcomes | seconds |",
        "| --- | ---: | ---: | --- | ---: |",
    ]
    notes: Counter[str] = Counter()
    for key, pieces in read(kept).items():
        total: Counter[str] = Counter()
        for name, piece in pieces.items():
            total.update(piece["found"])
            for what, n in piece["found"].items():
                if what not in GOOD:
                    notes[f"{key}, {name.rsplit(':', 2)[0]}: {what}"] += n
        seconds = sum(piece["seconds"] for piece in pieces.values())
        usual = ", ".join(f"{total[n]:,} {n}" for n in GOOD if total[n])
        rest = sum(n for what, n in total.items() if what not in GOOD)
        told = usual + (f", {rest:,} as listed below" if rest else "")
        part = PARTS[key]
        row = (part.title, f"{part.goal:,}", f"{sum(total.values()):,}", told)
        lines.append(f"| {' | '.join(row)} | {seconds:,.0f} |")
    packages = ("torch", "numpy", "scipy", "scikit-learn", "h5py", "pyarrow", "pillow")
    used = ", ".join(f"{name} {version(name)}" for name in packages)
    lines += [
        "",
        f"Python {platform.python_version()}, {used}; {os.cpu_count()} processors.",
    ]
    if notes:
        lines += ["", "What was neither refused nor equal; text has no checksum, so a "]
        lines[-1] += "changed letter of a table or a setting can be another value:"
        lines += ["", *(f"- {what} ({n})" for what, n in sorted(notes.items()))]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the full counts")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--kept", type=Path, default=Path("attack.json"))
    parser.add_argument("--out", type=Path, default=REPORT)
    given = parser.parse_args()
    for key in given.part or PARTS:
        run(key, given.kept, given.share)
    write_text(given.out, report(given.kept))


if __name__ == "__main__":
    main()
