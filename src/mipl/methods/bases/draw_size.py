"""How many instances of each bag to draw, chosen by held-out candidates.

The numbers 512, 2048 and 8192 that are smaller than the largest bag are tried: each on
the same four fifths of the training bags, for at most ten epochs, and judged on the
others by the log-likelihood of their candidate sets, for which no true label is needed.
The smallest is taken whose mean is no worse than the best one less its standard error:
time goes with the number of instances that an epoch sees, so the smallest is the
fastest. No clock is read: the same seed and the same bags give the same number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

from mipl.metrics.ambiguity import logs_of_sets
from mipl.seeds import as_seed, stream

if TYPE_CHECKING:
    from mipl.data.bags import Bags
    from mipl.data.candidates import Candidates
    from mipl.methods.bases.neural import NeuralClassifier
    from mipl.training.options import Training

AUTO = "auto"
NUMBERS = (512, 2048, 8192)
_EPOCHS = 10
_FEWEST = 5  # Bags of which some can be held out.


def draw_size(
    method: NeuralClassifier, bags: Bags, candidates: Candidates, options: Training
) -> int | None:
    """Return the number that ``instances_per_bag="auto"`` stands for; None is all."""
    numbers = [number for number in NUMBERS if number < bags.sizes.max()]
    if len(numbers) < 2 or len(bags) < _FEWEST:
        return numbers[-1] if numbers else None
    seed = as_seed(method.random_state)
    order = stream(seed, "instances per bag").permutation(len(bags))
    held, train = np.sort(order[: len(bags) // 5]), np.sort(order[len(bags) // 5 :])
    judged = []
    for number in numbers:
        trial = clone(method)
        trial.training = clone(options).set_params(
            instances_per_bag=number,
            epochs=min(options.epochs, _EPOCHS),
            stop_on=None,
            record_bags=(),
        )
        trial.random_state = seed
        trial.fit(bags[train], candidates[train])
        p = trial.predict_proba(bags[held])
        judged.append(logs_of_sets(p, candidates[held].matrix))
    means = [float(logs.mean()) for logs in judged]
    best = int(np.argmax(means))
    error = float(judged[best].std() / np.sqrt(len(held)))
    pairs = zip(numbers, means, strict=True)
    return next(number for number, mean in pairs if mean >= means[best] - error)
