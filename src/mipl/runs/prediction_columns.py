"""What a model says of bags, as the columns of a table."""

from __future__ import annotations

import warnings

import numpy as np

from mipl.data.bags import Bags
from mipl.data.frozen import Array
from mipl.io.tables.label_columns import bag_names
from mipl.methods.bases.base import BagClassifier


def prediction_columns(
    model: BagClassifier, bags: Bags, alpha: float | None = None
) -> dict[str, Array]:
    """Return id, class, the probability of each class and, with alpha, the set.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic", n_bags=20)
    >>> model = MIPLMA(training=Training(epochs=1), random_state=0)
    >>> model = model.fit(data.bags, data.candidates)
    >>> list(prediction_columns(model, data.bags))
    ['bag_id', 'predicted', 'p_0', 'p_1', 'p_2', 'p_3', 'p_4']
    """
    p = model.predict_proba(bags)
    columns = {"bag_id": bag_names(bags), "predicted": model.classes_[p.argmax(axis=1)]}
    columns |= {f"p_{name}": p[:, c] for c, name in enumerate(model.classes_.tolist())}
    if alpha is not None:
        with warnings.catch_warnings():  # What it warns of is told in the end.
            warnings.simplefilter("ignore")
            sets = model.predict_set(bags, alpha)
        columns["set"] = np.array(
            ["|".join(str(name) for name in model.classes_[row]) for row in sets]
        )
    return columns
