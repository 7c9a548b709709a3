"""What else a fitted model is worth: overfitting, calibration, instances.

``python -m benchmarks.measure --figures ...`` saves these beside the accuracies, in
results/figures.csv.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.record import RESULTS

FILE = RESULTS / "figures.csv"
ALPHA = 0.1


def figures_of(model: Any, train: Any, test: Any) -> dict[str, str]:
    """Return the figures of a fitted model.

    Training and test accuracy (their gap is the overfitting), AUROC of instance scores
    and of attention for 'belongs to the bag's true class' on test bags. Then half of
    the test bags calibrate, with true labels and with candidates alone, and the other
    half shows the calibration error, the share of true labels inside the sets of level
    1 - ALPHA, and the size of these sets.
    """
    from mipl.runs.evaluation import evaluate  # noqa: PLC0415

    on_test = evaluate(model, test)
    found: dict[str, float | None] = {
        "train_accuracy": model.score(train.bags, train.labels),
        "test_accuracy": on_test.truth.accuracy,
        "score_auroc": on_test.instances.score_auroc if on_test.instances else None,
        "attention_auroc": (
            on_test.instances.attention_auroc if on_test.instances else None
        ),
    }
    order = np.random.default_rng(0).permutation(len(test))
    calibrating, rest = test[order[::2]], test[order[1::2]]
    found["ece"] = evaluate(model, rest).truth.ece
    for name, given in (
        ("labels", {"labels": calibrating.labels}),
        ("candidates", {"candidates": calibrating.candidates}),
    ):
        model.calibrate(calibrating.bags, **given)
        found[f"ece_{name}"] = evaluate(model, rest).truth.ece
        sets = model.predict_set(rest.bags, ALPHA)
        truth = rest.candidates.encode(rest.labels)
        found[f"coverage_{name}"] = sets[np.arange(len(sets)), truth].mean()
        found[f"set_size_{name}"] = sets.sum(axis=1).mean()
    return {k: "" if v is None else f"{v:.4f}" for k, v in found.items()}
