"""A folder of pictures and a label table -> a data set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mipl.data.dataset import Dataset
from mipl.errors import MiplError
from mipl.files import existing
from mipl.images.conversion import Progress, convert
from mipl.images.image_bags import ImageBags
from mipl.images.pictures import Picture, as_pictures
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

    The labels are read before the pictures, so that a mistake there costs no time.

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
        What was wrong with each picture left out, where ``on_error="skip"``.
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
    table = _matched(labels, options, pictures)
    done = convert(generator, pictures, progress, finished)
    kept = [i for i, picture in enumerate(pictures) if str(picture) not in done.skipped]
    facts = {"generator": generator.facts()}
    data = table.take(np.array(kept)).dataset(
        done.bags, name=root.resolve().name, facts=facts
    )
    return data, done.skipped


def _matched(
    labels: str | Path | None, options: LabelOptions, pictures: Sequence[Picture]
) -> LabelTable:
    """Read the label table in the order of the pictures."""
    written = set(read_label_table(labels, options).keys)
    keys = [
        next((name for name in picture.names if name in written), picture.name)
        for picture in pictures
    ]
    return read_label_table(labels, options, keys)
