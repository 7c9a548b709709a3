"""The generator of pictures that a command names, and new pictures cut by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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


def pictures_by(
    opened: OpenedModel, source: Source, generator: str | None
) -> str | None:
    """Return how DATA are to be cut where they are pictures: by which generator.

    Without ``--generator`` it is the model's own, of the name "".
    """
    if generator is not None or not source.pictures():
        return generator
    if opened.trained is None or opened.trained.generator is None:
        from mipl.errors import MiplError

        raise MiplError(
            f"{source.target} holds pictures, and it is not known how those of the "
            "training were cut; give --generator and its --set."
        )
    return ""


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
    from mipl.cli.output import tell_left_out
    from mipl.errors import MiplError
    from mipl.files import existing

    if (source.r, source.seed, source.raw) != (None, None, None):
        raise MiplError(
            "--r, --data-seed and --raw do not go with --generator, which takes "
            "pictures; leave them out."
        )
    if generator:
        made = named_generator(generator, source.options, skip_bad=skip_bad)
    else:
        made = _own_generator(opened, source, skip_bad)
    made.check()
    opened.check_generator(made)
    with count_bar("pictures") as progress:
        done = made.convert(existing(source.target), progress=progress)
    tell_left_out(done.skipped)
    return made, done.bags


def _own_generator(opened: OpenedModel, source: Source, skip_bad: bool) -> ImageBags:
    """Return the generator of a model's training pictures."""
    from mipl.errors import MiplError
    from mipl.images.bag_generators import recorded

    assert opened.trained is not None and opened.trained.generator is not None
    told = opened.trained.generator
    if source.options:
        raise MiplError(
            "--set goes with --generator; without it pictures are cut as those of the "
            "training: leave --set out."
        )
    made = recorded({"generator": told})
    made.set_params(n_jobs=-1, on_error="skip" if skip_bad else "raise")
    if type(made).__name__ != told.get("kind") or "weights" in made.get_params():
        raise MiplError(
            f"the model learnt from pictures cut by {told.get('kind')}, which needs "
            "files or a class of your own; give --generator and --set as for the "
            "training."
        )
    return made
