"""synthetic: bags with known truth, and knobs for what makes them hard."""

import math

import numpy as np
from scipy.stats import norm

from mipl.data.bags import Bags
from mipl.data.dataset import Dataset
from mipl.data.frozen import Array
from mipl.datasets.recipe import offsets_of, rounded
from mipl.datasets.request import Request
from mipl.errors import MiplError

_NEGATIVE = -1

_MOST_NUMBERS = 1 << 31  # Of 8 GiB.


def build(
    request: Request,
    *,
    n_bags: int = 200,
    n_classes: int = 5,
    n_features: int = 10,
    overlap: float = 0.05,
    positives: float = 0.2,
    bag_size: tuple[int, int] = (8, 12),
) -> Dataset:
    """Draw Gaussian classes and a Gaussian background, all equally far apart.

    A positive instance of class c is normal around the centre of c with unit spread,
    a negative one around the centre of the background. All k + 1 centres have the
    same distance D from each other, chosen so that any two of these densities share
    the area ``overlap`` = 2 Phi(-D / 2).

    Parameters
    ----------
    n_bags, n_classes, n_features : int
        Bags are divided evenly among the classes; ``n_features >= n_classes``.
    overlap : float
        Shared area of two densities, above 0 (far apart) up to 1 (the same).
    positives : float
        Share of positives in a bag, 0 to 1; a bag has at least one.
    bag_size : pair of int
        Smallest and largest bag; sizes are uniform between them.
    """
    smallest, largest = _checked(
        n_bags, n_classes, n_features, overlap, positives, bag_size
    )
    rng = request.rng("bags")
    labels = np.sort(np.arange(n_bags) % n_classes)  # (m,)
    sizes = rng.integers(smallest, largest, size=n_bags, endpoint=True)
    offsets = offsets_of(sizes)
    owner = np.repeat(np.arange(n_bags), sizes)  # (N,)
    order = np.lexsort((rng.random(len(owner)), owner))
    rank = np.empty(len(owner), dtype=np.int64)
    rank[order] = np.arange(len(owner)) - offsets[owner]
    positive = rank < np.maximum(1, rounded(positives * sizes))[owner]
    instance_labels = np.where(positive, labels[owner], _NEGATIVE)
    centres = _centres(n_classes, n_features, overlap, rng)  # (k + 1, d)
    x = centres[instance_labels] + rng.standard_normal((len(owner), n_features))
    bags = Bags(x, offsets, instance_labels=instance_labels)
    facts = {"centres": centres.tolist(), "negative": _NEGATIVE}
    return request.labelled(bags, labels, np.arange(n_classes), **facts)


def _centres(k: int, d: int, overlap: float, rng: np.random.Generator) -> Array:
    """Return the corners of a regular simplex, turned at random; the last is last."""
    distance = -2 * float(norm.ppf(overlap / 2))
    corners = np.eye(k + 1) - 1 / (k + 1)  # (k + 1, k + 1), of rank k, sides sqrt 2
    u, s, _ = np.linalg.svd(corners)
    turn = np.linalg.qr(rng.standard_normal((d, k)))[0]  # (d, k)
    centres: Array = (u * s)[:, :k] @ turn.T  # (k + 1, d)
    return centres * (distance / math.sqrt(2))


def _checked(
    n_bags: int,
    n_classes: int,
    n_features: int,
    overlap: float,
    positives: float,
    bag_size: tuple[int, int],
) -> tuple[int, int]:
    counts = {"n_bags": n_bags, "n_classes": n_classes, "n_features": n_features}
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise MiplError(f"{name} must be a whole number; got {value!r}.")
    if not 2 <= n_classes <= min(n_bags, n_features):
        raise MiplError(
            "n_classes must be at least 2 and at most n_bags and n_features; "
            f"got {n_classes} with {n_bags} bags and {n_features} features."
        )
    for name, share in (("overlap", overlap), ("positives", positives)):
        if isinstance(share, bool) or not isinstance(share, (int, float, np.number)):
            raise MiplError(f"{name} must be a number from 0 to 1; got {share!r}.")
        if not 0 <= share <= 1 or (name == "overlap" and share == 0):
            raise MiplError(f"{name} must lie between 0 and 1; got {share}.")
    try:
        smallest, largest = (int(size) for size in bag_size)
    except (TypeError, ValueError):
        smallest, largest = 0, 0
    if not 1 <= smallest <= largest:
        raise MiplError(
            "bag_size must be the smallest and the largest bag, such as (8, 12); "
            f"got {bag_size!r}."
        )
    size = n_bags * largest * n_features
    if size > _MOST_NUMBERS:
        raise MiplError(
            f"{n_bags:,} bags of up to {largest:,} instances and {n_features:,} "
            f"features are {size:,} numbers; at most {_MOST_NUMBERS:,} are made."
        )
    return smallest, largest
