"""What predictions depend on: features and instances, permuted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch

from mipl.data.bags import Bags
from mipl.errors import MiplError
from mipl.seeds import as_seed, stream

Floats = npt.NDArray[np.float64]


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    over: str = "features",
    n_repeats: int = 5,
    random_state: Any = None,
) -> Bunch:
    """Return how much is lost where features, or instances, are those of others.

    A feature takes, in all instances, the values of other instances: its importance is
    the fall of the score, as of scikit-learn's function for tables. An instance is
    replaced by one of any bag: its importance is the fall of the probability of its
    bag's label.

    Parameters
    ----------
    model : a fitted method
    X : bags
    y : (m,) true labels
    over : {"features", "instances"}
    n_repeats : int
    random_state : seed

    Returns
    -------
    Bunch
        ``importances`` (d or N, n_repeats), ``importances_mean`` and
        ``importances_std``.

    Examples
    --------
    >>> from mipl import MeanPooling
    >>> chance = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> bags = chance.normal(size=(40, 3, 2)) + labels[:, None, None] * [4, 0]
    >>> model = MeanPooling().fit(bags, labels)
    >>> found = permutation_importance(model, bags, labels, random_state=0)
    >>> bool(found.importances_mean[0] > 0.2 > found.importances_mean[1])
    True
    """
    bags = Bags(X).load()
    if over not in ("features", "instances"):
        raise MiplError(f"over must be 'features' or 'instances'; got {over!r}.")
    if n_repeats < 1:
        raise MiplError(f"n_repeats must be at least 1; got {n_repeats}.")
    seed = as_seed(random_state)
    each = _of_features if over == "features" else _of_instances
    found = np.stack(
        [
            each(model, bags, y, stream(seed, "permutation", repeat))
            for repeat in range(n_repeats)
        ],
        axis=1,
    )
    return Bunch(
        importances=found,
        importances_mean=found.mean(axis=1),
        importances_std=found.std(axis=1),
    )


def _of_features(model: Any, bags: Bags, y: Any, chance: np.random.Generator) -> Floats:
    before = model.score(bags, y)
    found = np.empty(bags.n_features)
    for feature in range(bags.n_features):
        rows = np.array(bags.instances)
        rows[:, feature] = rows[chance.permutation(len(rows)), feature]
        found[feature] = before - model.score(bags.with_instances(rows), y)
    return found


def _of_instances(
    model: Any, bags: Bags, y: Any, chance: np.random.Generator
) -> Floats:
    columns = np.searchsorted(model.classes_, np.asarray(y))
    here = np.arange(len(bags))
    before = model.predict_proba(bags)[here, columns]  # (m,)
    found, rows = np.empty(bags.n_instances), np.asarray(bags.instances)
    starts = bags.offsets[:-1]
    for place in range(int(bags.sizes.max())):
        chosen = np.flatnonzero(bags.sizes > place)  # Bags that are so long.
        changed = np.array(rows)
        at = starts[chosen] + place
        changed[at] = rows[chance.integers(len(rows), size=len(at))]
        p = model.predict_proba(bags.with_instances(changed))[here, columns]
        found[at] = (before - p)[chosen]
    return found
