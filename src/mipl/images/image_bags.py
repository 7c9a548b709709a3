"""What all generators share: pictures in, bags with positions out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from mipl.data.bags import Bags
from mipl.errors import BadType, MiplError, MissingExtra
from mipl.images.conversion import Converted, Progress, convert
from mipl.images.finished_pictures import PictureBag
from mipl.images.pictures import as_pictures
from mipl.images.pixels import Pixels
from mipl.parameters import Declared, choice, processes

# Of (h, w) arrays: an index that gives the pixels of one instance.
Area = tuple[slice, slice] | npt.NDArray[np.bool_]


class ImageBags(
    Declared,
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    kw_only=True,
):
    """A transformer without state: pictures -> ``Bags``.

    A generator overrides ``instances``, the bag of one picture; one that is faster on
    many pictures at once (a network) overrides ``chunk`` instead. One whose instances
    are no boxes overrides ``areas``, too, so that what a model says of them can be
    drawn over the picture.

    Examples
    --------
    A generator of one's own, an instance for each half of a picture:

    >>> class Halves(ImageBags):
    ...     def instances(self, pixels):
    ...         h, w = pixels.shape[:2]
    ...         halves = np.array([[0, 0, w // 2, h], [w // 2, 0, w, h]], np.float32)
    ...         means = [pixels[area].mean(axis=(0, 1)) for area in boxed(halves)]
    ...         return PictureBag(np.array(means, np.float32), halves)
    >>> Halves().transform(np.zeros((3, 8, 8, 3), np.uint8))
    Bags(3 bags, 6 instances x 3 features, 2-2 per bag)
    """

    n_jobs: int | None = processes(
        "Processes, as in scikit-learn: None is one, -1 one for each core.",
        default=None,
    )
    on_error: str = choice(
        "What to do with a picture that cannot be read or is too small: stop, or leave "
        "it out and warn with its name.",
        ("raise", "skip"),
        default="raise",
    )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the arguments; there is nothing to learn."""
        self.check()
        return self

    def transform(
        self,
        X: Any,
        *,
        progress: Progress | None = None,
        finished: str | Path | None = None,
    ) -> Bags:
        """Return a bag for each picture.

        Parameters
        ----------
        X : (m, h, w, c) or (m, h, w) array, list of arrays and paths, folder
        progress : callable, optional
            Called as ``progress(done, total)`` at first and after some pictures each.
        finished : path, optional
            A file that keeps the bags of finished pictures: what lies there already,
            by content and settings, is not computed again.

        Returns
        -------
        bags : Bags
            ``coords`` are x0, y0, x1, y1 in pixels of the picture; pictures from files
            have ``uris`` and, as ``bag_ids``, their names.
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
        """Do as ``transform``, and return the names of skipped pictures, too."""
        self.check()
        return convert(self, as_pictures(X), progress, finished)

    def check(self) -> None:
        """Refuse wrong arguments; a generator adds what its declarations cannot say."""
        self.check_parameters()

    def settings(self) -> dict[str, Any]:
        """Return what the instances depend on, for the keys of finished pictures."""
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

    def store(self, finished: str | Path | None) -> str | Path | None:
        """Return the file of finished pictures to use; a generator may have its own."""
        return finished

    def shape(self, bag: PictureBag) -> tuple[int, ...] | None:
        """Return the shape of an instance, where it is itself a picture."""
        return None

    def chunk(self, pictures: Sequence[Pixels]) -> list[PictureBag | MiplError]:
        """Return the bags of some pictures; an error takes the place of a bag."""
        return [self._tried(pixels) for pixels in pictures]

    def _tried(self, pixels: Pixels) -> PictureBag | MiplError:
        try:
            made = self.instances(pixels)
        except MissingExtra:  # No picture is to blame.
            raise
        except MiplError as error:
            return error
        return self._as_bag(made)

    def _as_bag(self, made: Any) -> PictureBag:
        """Refuse what is no bag; here, too, no picture is to blame."""
        try:
            features, boxes = (np.asarray(part, np.float32) for part in made)
        except (TypeError, ValueError):
            features = boxes = np.zeros(0, np.float32)
        if features.ndim != 2 or boxes.shape != (len(features), 4) or not boxes.size:
            raise BadType(
                f"{type(self).__name__}.instances must return features (n, d) and "
                "boxes (n, 4) of n >= 1 instances, as a PictureBag; got "
                f"{_told(made)}."
            )
        return PictureBag(features, boxes)

    def instances(self, pixels: Pixels) -> PictureBag:
        """Return the instances (n, d) and boxes (n, 4) of one picture.

        What is wrong with a picture is a MiplError that goes on after its name: "has 2
        x 2 pixels, too few for ...".
        """
        raise NotImplementedError

    def areas(self, pixels: Pixels, bag: PictureBag) -> Iterable[Area]:
        """Return for each instance of a picture the pixels that it is made of.

        An area is an index of (h, w) arrays. Areas may overlap and leave pixels out.
        """
        return boxed(bag.boxes)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _told(made: Any) -> str:
    if not isinstance(made, tuple):
        return f"a {type(made).__name__}"
    shapes = (getattr(part, "shape", type(part).__name__) for part in made)
    return " and ".join(map(str, shapes))


def boxed(boxes: npt.NDArray[np.floating[Any]]) -> list[Area]:
    """Return the pixels inside boxes x0, y0, x1, y1, which may leave the picture.

    Examples
    --------
    >>> boxed(np.array([[1.0, -2.0, 3.0, 2.0]]))
    [(slice(0, 2, None), slice(1, 3, None))]
    """
    whole = np.rint(boxes).astype(int).clip(0).tolist()
    return [(slice(y0, y1), slice(x0, x1)) for x0, y0, x1, y1 in whole]
