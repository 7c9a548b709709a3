"""Print a hash of what a fit has learnt; the surroundings must not matter."""

import contextlib
import hashlib
import locale
import random

import numpy as np
import torch
from tests.training.interrupted import PROBLEM, bits

from mipl import MIPLMA, Training


def fitted():
    """Fit with dropout, a held-out part and drawn instances: all that is random."""
    training = {"stop_on": "covering_rate", "holdout": 0.3, "instances_per_bag": 3}
    training |= {"epochs": 4, "batch_size": 4, "record_bags": (0,)}
    return MIPLMA(width=8, training=Training(**training)).fit(PROBLEM.bags, PROBLEM.y)


def digest():
    return hashlib.sha256(bits(fitted())).hexdigest()


if __name__ == "__main__":
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "")
    seed = random.SystemRandom().randrange(2**32)
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    print(digest())
