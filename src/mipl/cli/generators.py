"""The generator of pictures that a command names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mipl.cli.sources import given_options

if TYPE_CHECKING:
    from mipl.images.base import ImageBags


def named_generator(
    name: str, settings: Sequence[str], jobs: int = -1, skip_bad: bool = False
) -> ImageBags:
    """Build a generator of the catalog from ``NAME=VALUE`` settings."""
    from mipl.datasets.places import cache_dir
    from mipl.images.catalog import image_bags

    arguments = given_options(settings)
    if name == "deep":  # Its features are worth more than one command.
        arguments = {"cache": cache_dir() / "deep_features.db", **arguments}
    on_error = "skip" if skip_bad else "raise"
    return image_bags(name, **{"n_jobs": jobs, "on_error": on_error, **arguments})
