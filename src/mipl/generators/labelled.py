"""A folder of items and a label table -> a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.files import existing, inside
from mipl.generators.bag_generator import BagGenerator
from mipl.generators.conversion import Progress, convert, left_out, read_all
from mipl.generators.item import Item
from mipl.io.left_out import LeftOut
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import LabelTable, read_label_table

_LABELS = "labels.csv"
TABLES = (".csv", ".parquet", ".xlsx")  # They may hold items and labels at once.


def read_items(
    path: str | Path,
    generator: BagGenerator,
    *,
    labels: str | Path | None = None,
    progress: Progress | None = None,
    finished: str | Path | None = None,
    **columns: Any,
) -> tuple[Dataset, dict[str, str]]:
    """Turn the pictures, recordings or documents of a folder into a data set.

    The labels are read before bags are made, so that a mistake there costs little time.

    Parameters
    ----------
    path : folder
        Or a file that holds several items, where the kind has such.
    generator : BagGenerator
    labels : path, optional
        A row per item, called by its path in the folder, with or without suffix; by
        default ``labels.csv`` in the folder, or the table that holds the items.
    progress, finished
        See ``BagGenerator.transform``.
    **columns
        ``bag_id``, ``candidates``, ``label``, ``group``, ``split``, ``classes``,
        ``annotations``, ``annotators``, ``rule``, ``unsure``: see ``LabelOptions``.

    Returns
    -------
    dataset : Dataset
    skipped : dict
        What was wrong with each item left out, where ``on_error="skip"``: damaged, too
        small, without a label, or named in the label table and not there.
    """
    root = existing(path)
    noun = generator.item.noun
    if not root.is_dir() and root.suffix.lower() not in generator.item.holders:
        raise MiplError(f"{root} is a file; give the folder of the {noun}s.")
    generator.check()
    items = generator.items(root)
    options = LabelOptions.of(columns, without=["file"])
    if labels is None and options.annotations is None:
        labels = _usual_labels(root)
    left = left_out(generator, root)
    table, labelled = _matched(labels, options, items, root, left)
    if left and generator.on_error == "raise":
        read_all(items, left)
    left.settle(len({*map(str, items), *left.reasons}))
    passes = generator.passes()
    generator.learn(labelled, _share(progress, 0, passes))
    done = convert(generator, labelled, _share(progress, passes - 1, passes), finished)
    kept = [i for i, item in enumerate(labelled) if str(item) not in done.skipped]
    skipped = {**left.reasons, **done.skipped}
    facts = generator.data_facts()
    if skipped:
        facts["left_out"] = skipped
    name = root.resolve().name if root.is_dir() else root.stem
    data = table.take(np.array(kept)).dataset(done.bags, name=name, facts=facts)
    return data, skipped


def _share(progress: Progress | None, before: int, passes: int) -> Progress | None:
    """Return what one of several passes over the items tells: its share of the whole.

    Examples
    --------
    >>> told = _share(lambda done, total: print(done, total), 1, 2)
    >>> told(0, 10), told(10, 10)
    5 10
    10 10
    (None, None)
    """
    if progress is None or passes == 1:
        return progress

    def tell(done: int, total: int | None) -> None:
        progress((before * (total or 0) + done) // passes, total)

    return tell


def _usual_labels(root: Path) -> Path:
    """Return where labels stand if nobody says it."""
    if root.is_file() and root.suffix.lower() in TABLES:
        return root
    labels = (root if root.is_dir() else root.parent) / _LABELS
    if not labels.is_file():
        raise MiplError(
            f"{labels} does not exist; put a label table there or name one."
        )
    return labels


def _matched(
    labels: str | Path | None,
    options: LabelOptions,
    items: Sequence[Item],
    root: Path,
    left: LeftOut,
) -> tuple[LabelTable, list[Item]]:
    """Read the label table in the order of the items that it names; note others."""
    rows = LeftOut("skip", root)
    written = set(keys := read_label_table(labels, options, left=rows).keys)
    like = f", whose first is of bag {keys[0]!r}" if keys else ""
    for name, reason in rows.reasons.items():
        left.add(name, reason)
    named: dict[str, Item] = {}
    for item in items:
        key = next((name for name in item.names if name in written), None)
        if key is not None:
            named[key] = item
        elif not any(name in left for name in item.names):
            where = labels or options.annotations
            left.add(str(item), f"bag {item.name!r} has no row in {where}{like}")
    for key in sorted(written - named.keys()):
        left.add(key, _why_not(root, key, type(items[0])))
    return read_label_table(labels, options, list(named), left=left), [*named.values()]


def _why_not(root: Path, key: str, kind: type[Item]) -> str:
    """Tell why an item that a label table names is not among those of the folder."""
    if not root.is_dir():
        return f"bag {key!r} has no instances: {root} has no such {kind.noun}"
    place = inside(root, key).parent
    for file in sorted(place.iterdir()) if place.is_dir() else ():
        if key in (file.relative_to(root).as_posix(), _stem(file, root)):
            return (
                f"{file} is named in the label table and is no {kind.noun} that is "
                f"read ({', '.join(kind.suffixes)})"
            )
    return f"bag {key!r} has no instances: the folder has no such {kind.noun}"


def _stem(file: Path, root: Path) -> str:
    return file.relative_to(root).with_suffix("").as_posix()
