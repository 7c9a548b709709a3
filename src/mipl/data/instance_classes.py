"""What the labels of instances say about their bags, where they are known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mipl.data.dataset import Dataset


def positive_instances(dataset: Dataset) -> npt.NDArray[np.bool_] | None:
    """Tell which instances belong to the true class of their bag, where known.

    Examples
    --------
    >>> from mipl.data.bags import Bags
    >>> bags = Bags([np.zeros((2, 1)), np.zeros((2, 1))], instance_labels=[0, 7, 1, 1])
    >>> positive_instances(Dataset(bags, [{0, 1}, {0, 1}], labels=[0, 1])).tolist()
    [True, False, True, True]
    """
    if dataset.labels is None or dataset.bags.instance_labels is None:
        return None
    truth = dataset.candidates.encode(dataset.labels)
    own = truth[dataset.bags.bag_of_instance]  # (N,)
    return np.asarray(_columns(dataset) == own, dtype=np.bool_)


def classes_inside(dataset: Dataset) -> npt.NDArray[np.int64] | None:
    """Count the different classes among the labels of each bag's instances.

    Instance labels that are no class of the data set (background, reserved classes)
    do not count.

    Examples
    --------
    >>> from mipl.data.bags import Bags
    >>> bags = Bags([np.zeros((2, 1)), np.zeros((2, 1))], instance_labels=[0, 7, 0, 1])
    >>> classes_inside(Dataset(bags, [{0, 1}, {0, 1}])).tolist()
    [1, 2]
    """
    if dataset.bags.instance_labels is None:
        return None
    columns, k = _columns(dataset), len(dataset.classes)
    known = columns >= 0
    present = np.zeros((len(dataset), k), dtype=bool)  # (m, k)
    present[dataset.bags.bag_of_instance[known], columns[known]] = True
    return np.asarray(np.count_nonzero(present, axis=1), dtype=np.int64)


def _columns(dataset: Dataset) -> npt.NDArray[np.int64]:
    """Return the class column of each instance, -1 for what is no class."""
    labels = dataset.bags.instance_labels
    assert labels is not None
    names, place = np.unique(labels, return_inverse=True)
    column_of = {_text(name): c for c, name in enumerate(dataset.classes.tolist())}
    columns = [column_of.get(_text(name), -1) for name in names.tolist()]
    return np.array(columns, dtype=np.int64)[place]  # (N,)


def _text(name: str | float) -> str:
    """Return one spelling for 3, 3.0 and "3": files keep class names as either."""
    whole = isinstance(name, float) and name.is_integer()
    return str(int(name) if whole else name)
