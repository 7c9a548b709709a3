"""Pictures through a generator: in processes, resumable, bad files by name."""

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
from typing import TYPE_CHECKING

import numpy as np
from joblib import Parallel, delayed

from mipl.data.bags import Bags
from mipl.errors import MiplError, MissingExtra
from mipl.images.finished_pictures import Finished, PictureBag
from mipl.images.pictures import Picture
from mipl.images.pixels import Pixels
from mipl.io.left_out import LeftOut

if TYPE_CHECKING:
    from mipl.images.image_bags import ImageBags

Progress = Callable[[int, int | None], None]
Result = PictureBag | MiplError

_CHUNK = 32  # Pictures per task: enough to hide what starting a task costs.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class Converted:
    """Bags, and by its name what was wrong with each picture left out."""

    bags: Bags
    skipped: dict[str, str]

    def warning(self) -> str:
        """Name the pictures that were left out."""
        names = list(self.skipped)
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        first = self.skipped[names[0]]
        return (
            f"left out {len(names)} of {len(names) + len(self.bags)} pictures: "
            f"{', '.join(names[:_NAMED])}{more}; the first because {first}"
        )


def convert(
    generator: ImageBags,
    pictures: Sequence[Picture],
    progress: Progress | None = None,
    finished: str | Path | None = None,
) -> Converted:
    """Return the bags of pictures in their order; bad ones are told all together."""
    results: list[Result] = []
    path = generator.store(finished)
    if progress is not None:
        progress(0, len(pictures))
    opened = nullcontext() if path is None else Finished.open(path)
    with opened as store:
        for part in _results(generator, pictures, store):
            results += part
            if progress is not None:
                progress(len(results), len(pictures))
    left = left_out(generator, "those given")
    note_bad(pictures, results, left)
    if left and generator.on_error == "raise":
        left.settle(len(pictures))
    if len(left.reasons) == len(pictures):
        raise MiplError(f"no picture could be used; the first because {results[0]}")
    return Converted(_bags(generator, pictures, results), left.reasons)


def left_out(generator: ImageBags, where: str | Path) -> LeftOut:
    """Return what gathers bad pictures, as the generator deals with them."""
    option = 'on_error="skip" (--skip-bad)'
    return LeftOut(generator.on_error, where, "picture", option)


def note_bad(
    pictures: Sequence[Picture], results: Sequence[object], left: LeftOut
) -> None:
    """Note the pictures whose result is an error."""
    for picture, result in zip(pictures, results, strict=True):
        if isinstance(result, MiplError):
            left.add(str(picture), result)


def read_all(pictures: Sequence[Picture], left: LeftOut) -> None:
    """Note the pictures that cannot be read, without making bags of them."""
    for picture in pictures:
        note_bad([picture], [_read(picture)], left)


def _results(
    generator: ImageBags, pictures: Sequence[Picture], store: Finished | None
) -> Iterator[list[Result]]:
    """Give the results of the pictures chunk by chunk, in their order."""
    chunks = [pictures[i : i + _CHUNK] for i in range(0, len(pictures), _CHUNK)]
    if store is None:
        yield from _computed(generator, chunks)
        return
    settings = _settings(generator)
    keys = [[_key(settings, picture) for picture in chunk] for chunk in chunks]
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
            if bag is None and key is not None and isinstance(result, PictureBag)
        )
        yield results


def _computed(
    generator: ImageBags, chunks: Sequence[Sequence[Picture]]
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


def _chunk(generator: ImageBags, chunk: Sequence[Picture]) -> list[Result]:
    """Read some pictures and make their bags, in a process of its own or here."""
    read = [_read(picture) for picture in chunk]
    made = iter(generator.chunk([one for one in read if isinstance(one, np.ndarray)]))
    results: list[Result] = []
    for picture, one in zip(chunk, read, strict=True):
        result = one if isinstance(one, MiplError) else next(made)
        if isinstance(one, np.ndarray) and isinstance(result, MiplError):
            result = MiplError(f"{picture} {result}")
        results.append(result)
    return results


def _read(picture: Picture) -> Pixels | MiplError:
    try:
        return picture.pixels()
    except MissingExtra:
        raise
    except MiplError as error:
        return error


def _key(settings: str, picture: Picture) -> str | None:
    """Return the key of a picture; None where it cannot be read, as is told later."""
    try:
        return sha256(f"{settings} {picture.digest()}".encode()).hexdigest()
    except (OSError, MiplError):
        return None


def _settings(generator: ImageBags) -> str:
    """Return all that a bag depends on, besides its picture, as text."""
    kind = type(generator).__name__
    facts = [version("mipl"), kind, generator.settings()]
    try:
        return json.dumps(facts, sort_keys=True)
    except TypeError:
        raise MiplError(
            f"the arguments of {kind} must be numbers, texts or lists of them for "
            "finished pictures to be kept; give it settings() that tell in such values "
            "what its instances depend on."
        ) from None


def _bags(
    generator: ImageBags, pictures: Sequence[Picture], results: Sequence[Result]
) -> Bags:
    pairs = zip(pictures, results, strict=True)
    made = [(p, bag) for p, bag in pairs if isinstance(bag, PictureBag)]
    _check_alike(generator, made)
    files = all(picture.uri is not None for picture in pictures)
    return Bags(
        [bag.features for _, bag in made],
        bag_ids=[picture.name for picture, _ in made] if files else None,
        uris=[picture.uri for picture, _ in made] if files else None,
        coords=np.concatenate([bag.boxes for _, bag in made]),
        instance_shape=generator.shape(made[0][1]),
    )


def _check_alike(
    generator: ImageBags, made: Sequence[tuple[Picture, PictureBag]]
) -> None:
    """Refuse instances of several lengths or shapes."""

    def kind(bag: PictureBag) -> tuple[int, ...]:
        return generator.shape(bag) or bag.features.shape[1:]

    first, bag = made[0]
    for picture, other in made:
        if kind(other) != kind(bag):
            raise MiplError(
                f"{picture} gives instances of shape {kind(other)}, {first} of "
                f"{kind(bag)}; give pictures of one size, or the size of an instance."
            )
