"""The generator of pictures that a command names, and new pictures cut by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mipl.cli.output import warn
from mipl.cli.progress import count_bar

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.dataset import Dataset
    from mipl.images.image_bags import ImageBags
    from mipl.runs.folder import OpenedModel
    from mipl.runs.source import Source


def named_generator(
    name: str, settings: Mapping[str, Any], jobs: int = -1, skip_bad: bool = False
) -> ImageBags:
    """Build a generator of the catalog from its settings."""
    from mipl.datasets.places import cache_dir
    from mipl.images.bag_generators import image_bags

    arguments = dict(settings)
    if name == "deep":  # Its features are worth more than one command.
        arguments = {"cache": cache_dir() / "deep_features.db", **arguments}
    on_error = "skip" if skip_bad else "raise"
    return image_bags(name, **{"n_jobs": jobs, "on_error": on_error, **arguments})


def unlabelled(opened: OpenedModel, source: Source, generator: str) -> Dataset:
    """Cut pictures as a model's own, and let every class be a candidate of each."""
    import numpy as np

    from mipl.data.candidates import Candidates
    from mipl.data.dataset import Dataset

    made, bags = _cut(opened, source, generator, skip_bad=False)
    classes = opened.model.classes_
    sets = np.ones((len(bags), len(classes)), dtype=bool)
    candidates = Candidates.from_parts(sets, classes)
    return Dataset(bags, candidates, facts={"generator": made.facts()})


def new_bags(
    opened: OpenedModel, source: Source, generator: str, skip_bad: bool
) -> Bags:
    """Cut pictures, which need no labels, as those that a model has learnt from."""
    return _cut(opened, source, generator, skip_bad)[1]


def _cut(
    opened: OpenedModel, source: Source, generator: str, skip_bad: bool
) -> tuple[ImageBags, Bags]:
    from mipl.errors import MiplError
    from mipl.files import existing

    if (source.r, source.seed, source.raw) != (None, None, None):
        raise MiplError(
            "--r, --data-seed and --raw do not go with --generator, which takes "
            "pictures; leave them out."
        )
    made = named_generator(generator, source.options, skip_bad=skip_bad)
    made.check()
    opened.check_generator(made)
    with count_bar("pictures") as progress:
        done = made.convert(existing(source.target), progress=progress)
    for reason in done.skipped.values():
        warn(f"left out: {reason}")
    return made, done.bags
