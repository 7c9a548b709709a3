"""What all generators share: pictures, recordings or documents in, bags out."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from mipl.data.bags import Bags
from mipl.data.features import Features
from mipl.errors import BadType, MiplError, MissingExtra
from mipl.generators.conversion import Converted, Progress, convert
from mipl.generators.instance_bag import InstanceBag
from mipl.generators.item import Item, items_of
from mipl.parameters import Declared, choice, processes


class BagGenerator(
    Declared,
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    kw_only=True,
):
    """A transformer: items of one kind -> ``Bags``.

    A kind's base (``ImageBags``, ``SoundBags``, ``TextBags``) says what an item is and
    what the columns of places are; a generator of the kind overrides ``instances``, the
    bag of one item, or ``chunk``, where it is faster on several at once.
    """

    item: ClassVar[type[Item]] = Item
    # The columns of places, told with the data set where they are not usual.
    place_names: ClassVar[tuple[str, ...]] = ()
    n_places: ClassVar[int] = 4
    # Items per task of a process: enough to hide what starting a task costs.
    per_task: ClassVar[int] = 32

    n_jobs: int | None = processes(
        "Processes, as in scikit-learn: None is one, -1 one for each core.",
        default=None,
    )
    on_error: str = choice(
        "What to do with an item that cannot be read or is too small: stop, or leave "
        "it out and warn with its name.",
        ("raise", "skip"),
        default="raise",
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the arguments, and learn what the generator learns, if anything."""
        self.check()
        self.learn(self.items(X))
        return self

    def passes(self) -> int:
        """Return how often ``learn`` and the making of bags go over all items."""
        return 1

    def learn(self, items: Sequence[Item], progress: Progress | None = None) -> None:
        """Learn from the items that bags are made of; most have nothing to learn."""

    def learnt_from(self, told: Mapping[str, Any]) -> Self:
        """Take over what a model's generator has learnt, of which its facts tell."""
        return self

    def transform(
        self,
        X: Any,
        *,
        progress: Progress | None = None,
        finished: str | Path | None = None,
    ) -> Bags:
        """Return a bag for each item.

        Parameters
        ----------
        X : list of items or paths, folder
        progress : callable, optional
            Called as ``progress(done, total)`` at first and after some items each.
        finished : path, optional
            A file that keeps the bags of finished items: what lies there already, by
            content and settings, is not computed again.

        Returns
        -------
        bags : Bags
            ``coords`` are the places of instances; items from files have ``uris`` and,
            as ``bag_ids``, their names.
        """
        done = self.convert(X, progress=progress, finished=finished)
        if done.skipped:
            warnings.warn(done.warning(), stacklevel=2)
        return done.bags

    def convert(
        self,
        X: Any,
        *,
        progress: Progress | None = None,
        finished: str | Path | None = None,
    ) -> Converted:
        """Do as ``transform``, and return the names of skipped items, too."""
        self.check()
        return convert(self, self.items(X), progress, finished)

    def items(self, X: Any) -> list[Any]:
        """Return the items that are given, each with a name."""
        return items_of(self.item, [X] if isinstance(X, (str, Path)) else X)

    def check(self) -> None:
        """Refuse wrong arguments; a generator adds what its declarations cannot say."""
        self.check_parameters()

    def settings(self) -> dict[str, Any]:
        """Return what the instances depend on, for the keys of finished items."""
        given = self.get_params()
        others = ("n_jobs", "on_error")
        return {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in given.items()
            if name not in others
        }

    def facts(self) -> dict[str, Any]:
        """Return what a data set tells of the generator that made it."""
        return {"kind": type(self).__name__, **self.settings()}

    @classmethod
    def of_facts(cls, told: Mapping[str, Any]) -> Self:
        """Build the generator that a data set tells of."""
        known = inspect.signature(cls).parameters
        return cls(**{name: value for name, value in told.items() if name in known})

    def rebuilt_from_facts(self) -> bool:
        """Tell whether facts say all of it; files and objects they do not hold."""
        return True

    def features(self) -> Features | None:
        """Return by what bags of other settings are told from these, and refused."""
        if not self.place_names:
            return None
        settings = json.dumps(self.settings(), sort_keys=True, default=str)
        mark = sha256(settings.encode()).hexdigest()[:12]
        return Features(extractor=f"{type(self).__name__} {mark}")

    def data_facts(self) -> dict[str, Any]:
        """Return the facts of a data set that this generator has made."""
        facts: dict[str, Any] = {"generator": self.facts()}
        if self.place_names:
            facts["coords"] = list(self.place_names)
        if (features := self.features()) is not None:
            facts |= features.facts()
        return facts

    def store(self, finished: str | Path | None) -> str | Path | None:
        """Return the file of finished items to use; a generator may have its own."""
        return finished

    def shape(self, bag: InstanceBag) -> tuple[int, ...] | None:
        """Return the shape of an instance, where it is itself a picture."""
        return None

    def chunk(self, contents: Sequence[Any]) -> list[InstanceBag | MiplError]:
        """Return the bags of some items; an error takes the place of a bag."""
        return [self._tried(content) for content in contents]

    def _tried(self, content: Any) -> InstanceBag | MiplError:
        try:
            made = self.instances(content)
        except (MissingExtra, BadType):  # No item is to blame.
            raise
        except MiplError as error:
            return error
        return self._as_bag(made)

    def _as_bag(self, made: Any) -> InstanceBag:
        """Refuse what is no bag; here, too, no item is to blame."""
        try:
            features, places = (np.asarray(part, np.float32) for part in made)
        except (TypeError, ValueError):
            features = places = np.zeros(0, np.float32)
        wanted = (len(features), self.n_places)
        if features.ndim != 2 or places.shape != wanted or not places.size:
            raise BadType(
                f"{type(self).__name__}.instances must return features (n, d) and "
                f"places (n, {self.n_places}) of n >= 1 instances, as an InstanceBag; "
                f"got {_told(made)}."
            )
        return InstanceBag(features, places)

    def instances(self, content: Any) -> InstanceBag:
        """Return the instances (n, d) and places (n, c) of one item.

        What is wrong with an item is a MiplError that goes on after its name: "has 2 x
        2 pixels, too few for ...".
        """
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _told(made: Any) -> str:
    if not isinstance(made, tuple):
        return f"a {type(made).__name__}"
    shapes = (getattr(part, "shape", type(part).__name__) for part in made)
    return " and ".join(map(str, shapes))
