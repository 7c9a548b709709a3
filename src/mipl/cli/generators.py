"""The generator that a command names, and new pictures or recordings cut by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mipl.cli.progress import count_bar

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.dataset import Dataset
    from mipl.generators.bag_generator import BagGenerator
    from mipl.runs.folder import OpenedModel
    from mipl.runs.source import Source


def named_generator(
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    jobs: int = -1,
    skip_bad: bool = False,
) -> BagGenerator:
    """Build a generator of a catalog from its settings."""
    from mipl.datasets.places import cache_dir
    from mipl.generators.generator_catalog import catalog_of

    arguments = dict(settings)
    if name == "deep":  # Its features are worth more than one command.
        arguments = {"cache": cache_dir() / "deep_features.db", **arguments}
    on_error = "skip" if skip_bad else "raise"
    arguments = {"n_jobs": jobs, "on_error": on_error, **arguments}
    made: BagGenerator = catalog_of(kind).build(name, **arguments)
    return made


@dataclass(frozen=True)
class NewItems:
    """Pictures, recordings or documents that a model is asked about.

    Attributes
    ----------
    kind : str
        A name of the catalogs, as "picture".
    generator : str
        Of the command line; "" stands for the model's own.
    """

    opened: OpenedModel
    source: Source
    kind: str
    generator: str

    def dataset(self) -> Dataset:
        """Cut them as the model's own, and let every class be a candidate of each."""
        import numpy as np

        from mipl.data.candidates import Candidates
        from mipl.data.dataset import Dataset

        made, bags = self._cut(skip_bad=False)
        classes = self.opened.model.classes_
        sets = np.ones((len(bags), len(classes)), dtype=bool)
        candidates = Candidates.from_parts(sets, classes)
        return Dataset(bags, candidates, facts=made.data_facts())

    def bags(self, skip_bad: bool) -> Bags:
        """Cut them, which need no labels, as those that the model has learnt from."""
        return self._cut(skip_bad)[1]

    def _cut(self, skip_bad: bool) -> tuple[BagGenerator, Bags]:
        from mipl.cli.output import tell_left_out
        from mipl.errors import MiplError
        from mipl.files import existing

        source = self.source
        if (source.r, source.seed, source.raw) != (None, None, None):
            raise MiplError(
                "--r, --data-seed and --raw do not go with --generator, which takes "
                f"{self.kind}s; leave them out."
            )
        if self.generator:
            made = named_generator(
                self.kind, self.generator, source.options, skip_bad=skip_bad
            ).learnt_from(_trained_by(self.opened) or {})
        else:
            made = self._own(skip_bad)
        made.check()
        self.opened.check_generator(made)
        with count_bar(f"{self.kind}s") as progress:
            done = made.convert(existing(source.target), progress=progress)
        tell_left_out(done.skipped)
        return made, done.bags

    def _own(self, skip_bad: bool) -> BagGenerator:
        """Return the generator of the model's training items."""
        from mipl.errors import MiplError
        from mipl.generators.generator_catalog import catalog_of

        told = _trained_by(self.opened) or {}
        if self.source.options:
            raise MiplError(
                f"--set goes with --generator; without it {self.kind}s are cut as "
                "those of the training: leave --set out."
            )
        made: BagGenerator | None = catalog_of(self.kind).recorded(told)
        if made is None or not made.rebuilt_from_facts():
            raise MiplError(
                f"the model learnt from {self.kind}s cut by {told.get('kind')}, which "
                "needs files or a class of your own; give --generator and --set as for "
                "the training."
            )
        made.set_params(n_jobs=-1, on_error="skip" if skip_bad else "raise")
        return made


def new_items(
    opened: OpenedModel, source: Source, generator: str | None
) -> NewItems | None:
    """Return DATA where they are pictures, recordings or documents; None for bags.

    Without ``--generator`` they are cut by the model's own.
    """
    from mipl.errors import MiplError

    kind = _kind(opened, source, generator)
    if kind is None:
        return None
    if generator is None and _trained_by(opened) is None:
        raise MiplError(
            f"{source.target} holds {kind}s, and it is not known how those of the "
            "training were cut; give --generator and its --set."
        )
    return NewItems(opened, source, kind, generator or "")


def _trained_by(opened: OpenedModel) -> Mapping[str, Any] | None:
    return None if opened.trained is None else opened.trained.generator


def _kind(opened: OpenedModel, source: Source, generator: str | None) -> str | None:
    """Return of which kind DATA are: the model's own where that may be."""
    from mipl.errors import unknown
    from mipl.generators.generator_catalog import CATALOGS, catalog_of, kind_of

    told = _trained_by(opened) or {}
    own = [kind for kind in [kind_of(told.get("kind"))] if kind is not None]
    order = [*own, *(kind for kind in CATALOGS if kind not in own)]
    if generator is None:
        return next((kind for kind in order if source.holds(kind, kind in own)), None)
    named = [kind for kind in order if generator in catalog_of(kind).paths]
    if not named:
        every = {name for kind in CATALOGS for name in catalog_of(kind).paths}
        raise unknown("generator", generator, sorted(every))
    return next((kind for kind in named if source.holds(kind, True)), named[0])
