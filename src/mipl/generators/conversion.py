"""Items through a generator: in processes, resumable, bad files by name."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed

from mipl.data.bags import Bags
from mipl.errors import BadFile, MiplError, MissingExtra
from mipl.generators.finished import Finished
from mipl.generators.instance_bag import InstanceBag
from mipl.generators.item import Item
from mipl.io.left_out import LeftOut

if TYPE_CHECKING:
    from mipl.generators.bag_generator import BagGenerator

Progress = Callable[[int, int | None], None]
Result = InstanceBag | MiplError

_NAMED = 5


@dataclass(frozen=True, eq=False)
class Converted:
    """Bags, and by its name what was wrong with each item left out."""

    bags: Bags
    skipped: dict[str, str]
    noun: str

    def warning(self) -> str:
        """Name the items that were left out."""
        names = list(self.skipped)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        first = self.skipped[names[0]]
        return (
            f"left out {len(names)} of {len(names) + len(self.bags)} {self.noun}s: "
            f"{', '.join(names[:_NAMED])}{more}; the first because {first}"
        )


def convert(
    generator: BagGenerator,
    items: Sequence[Item],
    progress: Progress | None = None,
    finished: str | Path | None = None,
) -> Converted:
    """Return the bags of items in their order; bad ones are told all together."""
    results: list[Result] = []
    path = generator.store(finished)
    if progress is not None:
        progress(0, len(items))
    opened = nullcontext() if path is None else Finished.open(path)
    with opened as store:
        for part in _results(generator, items, store):
            results += part
            if progress is not None:
                progress(len(results), len(items))
    left = left_out(generator, "those given")
    note_bad(items, results, left)
    if left and generator.on_error == "raise":
        left.settle(len(items))
    if len(left.reasons) == len(items):
        raise MiplError(
            f"no {generator.item.noun} could be used; the first because {results[0]}"
        )
    bags = _bags(generator, items, results)
    return Converted(bags, left.reasons, generator.item.noun)


def left_out(generator: BagGenerator, where: str | Path) -> LeftOut:
    """Return what gathers bad items, as the generator deals with them."""
    option = 'on_error="skip" (--skip-bad)'
    return LeftOut(generator.on_error, where, generator.item.noun, option)


def note_bad(items: Sequence[Item], results: Sequence[object], left: LeftOut) -> None:
    """Note the items whose result is an error."""
    for item, result in zip(items, results, strict=True):
        if isinstance(result, MiplError):
            left.add(str(item), result)


def read_all(items: Sequence[Item], left: LeftOut) -> None:
    """Note the items that cannot be read, without making bags of them."""
    for item in items:
        try:
            item.check()
        except MissingExtra:
            raise
        except MiplError as error:
            left.add(str(item), error)


def _results(
    generator: BagGenerator, items: Sequence[Item], store: Finished | None
) -> Iterator[list[Result]]:
    """Give the results of the items chunk by chunk, in their order."""
    step = generator.per_task
    chunks = [items[i : i + step] for i in range(0, len(items), step)]
    if store is None:
        yield from _computed(generator, chunks)
        return
    settings = _settings(generator)
    keys = [[_key(settings, item) for item in chunk] for chunk in chunks]
    known = [[None if key is None else store.get(key) for key in part] for part in keys]
    missing = [
        [one for one, bag in zip(chunk, bags, strict=True) if bag is None]
        for chunk, bags in zip(chunks, known, strict=True)
    ]
    computed = _computed(generator, [chunk for chunk in missing if chunk])
    for part, bags in zip(keys, known, strict=True):
        waiting = any(bag is None for bag in bags)
        new = iter(next(computed) if waiting else ())
        results = [next(new) if bag is None else bag for bag in bags]
        pairs = zip(part, bags, results, strict=True)
        store.put(
            (key, result)
            for key, bag, result in pairs
            if bag is None and key is not None and isinstance(result, InstanceBag)
        )
        yield results


def _computed(
    generator: BagGenerator, chunks: Sequence[Sequence[Item]]
) -> Iterator[list[Result]]:
    """Compute chunks in processes, as far as somebody asks for them."""
    asked = True
    wanted = takewhile(lambda _: asked, chunks)
    parallel = Parallel(n_jobs=generator.n_jobs, return_as="generator")
    results = parallel(delayed(_chunk)(generator, chunk) for chunk in wanted)
    try:
        yield from (result for result in results)  # Closed in place of the results.
    finally:
        asked = False
        deque(results, maxlen=0)  # joblib would kill its processes in mid-task.


def _chunk(generator: BagGenerator, chunk: Sequence[Item]) -> list[Result]:
    """Read some items and make their bags, in a process of its own or here."""
    read = [_read(item) for item in chunk]
    good = [one for one in read if not isinstance(one, MiplError)]
    made = iter(generator.chunk(good))
    results: list[Result] = []
    for item, one in zip(chunk, read, strict=True):
        result = one if isinstance(one, MiplError) else next(made)
        if result is not one and isinstance(result, MiplError):
            result = told_of(item, result)
        results.append(result)
    return results


def told_of(item: Item, error: MiplError) -> MiplError:
    """Return what a generator says of an item, with its name; readers tell it."""
    return error if isinstance(error, BadFile) else MiplError(f"{item} {error}")


def _read(item: Item) -> Any:
    try:
        return item.content()
    except MissingExtra:
        raise
    except MiplError as error:
        return error


def _key(settings: str, item: Item) -> str | None:
    """Return the key of an item; None where it cannot be read, as is told later."""
    try:
        return sha256(f"{settings} {item.digest()}".encode()).hexdigest()
    except (OSError, MiplError):
        return None


def _settings(generator: BagGenerator) -> str:
    """Return all that a bag depends on, besides its item, as text."""
    kind = type(generator).__name__
    facts = [version("mipl"), kind, generator.settings()]
    try:
        return json.dumps(facts, sort_keys=True)
    except TypeError:
        raise MiplError(
            f"the arguments of {kind} must be numbers, texts or lists of them for "
            "what is finished to be kept; give it settings() that tell in such values "
            "what its instances depend on."
        ) from None


def _bags(
    generator: BagGenerator, items: Sequence[Item], results: Sequence[Result]
) -> Bags:
    pairs = zip(items, results, strict=True)
    made = [(item, bag) for item, bag in pairs if isinstance(bag, InstanceBag)]
    _check_alike(generator, made)
    files = all(item.uri is not None for item in items)
    return Bags(
        [bag.features for _, bag in made],
        bag_ids=[item.name for item, _ in made] if files else None,
        uris=[item.uri for item, _ in made] if files else None,
        coords=np.concatenate([bag.places for _, bag in made]),
        instance_shape=generator.shape(made[0][1]),
        features=generator.features(),
    )


def _check_alike(
    generator: BagGenerator, made: Sequence[tuple[Item, InstanceBag]]
) -> None:
    """Refuse instances of several lengths or shapes."""

    def kind(bag: InstanceBag) -> tuple[int, ...]:
        return generator.shape(bag) or bag.features.shape[1:]

    first, bag = made[0]
    for item, other in made:
        if kind(other) != kind(bag):
            raise MiplError(
                f"{item} gives instances of shape {kind(other)}, {first} of "
                f"{kind(bag)}; give {generator.item.noun}s of one size, or the size of "
                "an instance."
            )
