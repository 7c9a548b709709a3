"""Small problems with candidate sets, for the methods that solve one problem."""

import numpy as np


def problem(m=40, d=3, k=3, seed=0, far=3.0):
    """Return rows around a centre per class, candidate sets and true labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=m)
    x = rng.normal(size=(m, d)) + far * rng.normal(size=(k, d))[y]
    sets = rng.random((m, k)) < 0.3
    sets[np.arange(m), y] = True
    return x.astype(np.float32), sets, y


def standardised(x):
    x = x.astype(np.float64)
    return (x - x.mean(axis=0)) / x.std(axis=0)
