"""kmnist and fmnist: images as vectors, bags of one, with generated candidate sets."""

from dataclasses import replace
from typing import Any

import numpy as np

from mipl.data.bags import Bags
from mipl.data.candidate_generators import generate_candidates
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.datasets.mnist import RECIPES, read_images
from mipl.datasets.request import Request, check_classes
from mipl.errors import MiplError

_FILE = "kmnist_test.npz"
_NAMES = np.array(["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"])


def build(
    request: Request, *, generator: str = "fixed", q: Any = None, Q: Any = None
) -> Dataset:
    """Read the 10,000 test images, pixels 0-1, and generate candidate sets.

    Parameters
    ----------
    generator : str
        A rule of ``mipl.data.candidate_generators``: "fixed" takes ``r``, "flip",
        "flip-free" and "pair" take ``q``, "matrix" ``Q``, "uniform" takes nothing.
    q, Q : arguments of that rule
    """
    images, classes = request.arrays(_FILE, x_test=3, y_test=1)
    check_classes(classes, len(images), 0, len(_NAMES), _FILE)
    return _vectors(request, images, _NAMES[classes], _NAMES, generator, q, Q)


def clothes(
    request: Request,
    *,
    images: int | None = None,
    generator: str = "fixed",
    q: Any = None,
    Q: Any = None,
) -> Dataset:
    """Read training images of Fashion-MNIST in the same way.

    Parameters
    ----------
    images : int, optional
        Only the first so many of the 60,000.
    generator, q, Q
        As those of ``build``.
    """
    recipe = RECIPES["fmnist-mipl"]
    pictures, classes = read_images(recipe, request)
    most = len(pictures)
    whole = isinstance(images, int) and not isinstance(images, bool)
    if images is not None and not (whole and 0 < images <= most):
        raise MiplError(
            f"images of {request.name} must be a whole number from 1 to {most}; got "
            f"{images!r}."
        )
    names = np.array(recipe.class_names)
    labels = names[classes[:images]]
    return _vectors(request, pictures[:images], labels, names, generator, q, Q)


def _vectors(
    request: Request,
    images: Array,
    labels: Array,
    names: Array,
    generator: str,
    q: Any,
    Q: Any,
) -> Dataset:
    """Return images as bags of one, labelled by a rule."""
    rows = images.reshape(len(images), -1) / np.float32(255)
    bags = Bags(rows, np.arange(len(rows) + 1), instance_shape=(1, *images.shape[1:]))
    data = request.labelled(bags, labels, names)
    if request.r == 0 or (generator == "fixed" and q is None and Q is None):
        return data
    if generator == "fixed" or request.r != 1:
        raise MiplError(
            "r goes with generator='fixed', q and Q with another one; "
            f"got generator={generator!r} and r={request.r}."
        )
    arguments = {k: v for k, v in (("q", q), ("Q", Q)) if v is not None}
    candidates, made = generate_candidates(
        data.labels, names, generator, request.seed, **arguments
    )
    return replace(data, candidates=candidates, facts={"candidates": made})
