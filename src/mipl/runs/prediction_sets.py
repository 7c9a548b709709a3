"""Whether the prediction sets of a calibrated model are worth having."""

from __future__ import annotations

from mipl.data.bags import Bags
from mipl.methods.bases.base import BagClassifier
from mipl.metrics.calibration import bags_needed


def doubts_of_sets(model: BagClassifier, bags: Bags, alpha: float = 0.1) -> list[str]:
    """Return a sentence where the sets of these bags tell little, and what would help.

    Examples
    --------
    >>> from mipl import MIPLMA, Training, load_dataset
    >>> data = load_dataset("synthetic", n_bags=60)
    >>> model = MIPLMA(training=Training(epochs=2), random_state=0)
    >>> held = data[:5]
    >>> _ = model.fit(data.bags[5:], data.candidates[5:])
    >>> doubts_of_sets(model.calibrate(held.bags, labels=held.labels), held.bags)
    ['5 calibration bags cannot promise 90%: 9 are needed, and with fewer, sets hold \
all 5 classes.']
    """
    if model.conformal_ is None:
        return []
    by, p, _ = model.conformal_
    (n, k), needed = p.shape, bags_needed(alpha)
    if n < needed:
        more = "; by their candidates alone sets stay wide, so give true labels"
        return [
            f"{n} calibration bags cannot promise {100 * (1 - alpha):.4g}%: {needed} "
            f"are needed, and with fewer, sets hold all {k} classes"
            f"{more if by == 'candidates' else ''}."
        ]
    size = float(model.predict_set(bags, alpha).sum(axis=1).mean())
    if size <= (1 + k) / 2:
        return []
    told = f"sets at alpha {alpha:g} hold {size:.2f} of {k} classes on average"
    if by == "candidates":
        return [
            f"{told}, which says little, as is usual of calibration by candidate sets; "
            f"calibrate with the true labels of at least {needed} bags."
        ]
    return [
        f"{told}, which says little: the model is not sure enough; give it more bags "
        "to learn from, or take a larger alpha."
    ]
