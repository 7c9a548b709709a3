"""A folder of pictures and a label table -> a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.files import existing, inside
from mipl.images.conversion import Progress, convert, left_out, read_all
from mipl.images.image_bags import ImageBags
from mipl.images.pictures import SUFFIXES, Picture, as_pictures
from mipl.io.left_out import LeftOut
from mipl.io.tables.label_options import LabelOptions
from mipl.io.tables.label_table import LabelTable, read_label_table

_LABELS = "labels.csv"


def read_pictures(
    path: str | Path,
    generator: ImageBags,
    *,
    labels: str | Path | None = None,
    progress: Progress | None = None,
    finished: str | Path | None = None,
    **columns: Any,
) -> tuple[Dataset, dict[str, str]]:
    """Turn the pictures of a folder into a data set.

    The labels are read before bags are made, so that a mistake there costs little time.

    Parameters
    ----------
    path : folder
    generator : ImageBags
    labels : path, optional
        A row per picture, called by its path in the folder, with or without suffix; by
        default ``labels.csv`` in the folder.
    progress, finished
        See ``ImageBags.transform``.
    **columns
        ``bag_id``, ``candidates``, ``label``, ``group``, ``split``, ``classes``,
        ``annotations``, ``annotators``, ``rule``, ``unsure``: see ``LabelOptions``.

    Returns
    -------
    dataset : Dataset
    skipped : dict
        What was wrong with each picture left out, where ``on_error="skip"``: damaged,
        too small, without a label, or named in the label table and not there.
    """
    root = existing(path)
    if not root.is_dir():
        raise MiplError(f"{root} is a file; give the folder of the pictures.")
    generator.check()
    pictures = as_pictures(root)
    options = LabelOptions.of(columns, without=["file"])
    if labels is None and options.annotations is None:
        labels = root / _LABELS
        if not labels.is_file():
            raise MiplError(
                f"{labels} does not exist; put a label table there or name one."
            )
    left = left_out(generator, root)
    table, labelled = _matched(labels, options, pictures, root, left)
    if left and generator.on_error == "raise":
        read_all(pictures, left)
    total = len({*map(str, pictures), *left.reasons})
    left.settle(total)
    done = convert(generator, labelled, progress, finished)
    kept = [i for i, picture in enumerate(labelled) if str(picture) not in done.skipped]
    skipped = {**left.reasons, **done.skipped}
    facts: dict[str, Any] = {"generator": generator.facts()}
    if skipped:
        facts["left_out"] = skipped
    data = table.take(np.array(kept)).dataset(
        done.bags, name=root.resolve().name, facts=facts
    )
    return data, skipped


def _matched(
    labels: str | Path | None,
    options: LabelOptions,
    pictures: Sequence[Picture],
    root: Path,
    left: LeftOut,
) -> tuple[LabelTable, list[Picture]]:
    """Read the label table in the order of the pictures that it names; note others."""
    rows = LeftOut("skip", root)
    written = set(keys := read_label_table(labels, options, left=rows).keys)
    like = f", whose first is of bag {keys[0]!r}" if keys else ""
    for name, reason in rows.reasons.items():
        left.add(name, reason)
    named: dict[str, Picture] = {}
    for picture in pictures:
        key = next((name for name in picture.names if name in written), None)
        if key is not None:
            named[key] = picture
        elif not any(name in left for name in picture.names):
            where = labels or options.annotations
            left.add(str(picture), f"bag {picture.name!r} has no row in {where}{like}")
    for key in sorted(written - named.keys()):
        left.add(key, _why_not(root, key))
    return read_label_table(labels, options, list(named), left=left), [*named.values()]


def _why_not(root: Path, key: str) -> str:
    """Tell why a picture that a label table names is not among those of the folder."""
    place = inside(root, key).parent
    for file in sorted(place.iterdir()) if place.is_dir() else ():
        if key in (file.relative_to(root).as_posix(), _stem(file, root)):
            return (
                f"{file} is named in the label table and is no picture that is read "
                f"({', '.join(SUFFIXES)})"
            )
    return f"bag {key!r} has no instances: the folder has no such picture"


def _stem(file: Path, root: Path) -> str:
    return file.relative_to(root).with_suffix("").as_posix()
