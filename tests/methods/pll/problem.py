"""Small problems with candidate sets, and what a method makes of given logits."""

from types import SimpleNamespace

import numpy as np
import torch

from mipl.training.state import Clock


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


def uniform(sets):
    """Return the label weights before the first step."""
    return sets.double() / sets.sum(dim=1, keepdim=True)


def terms(model, logits, w, sets):
    """Return the terms of a method's loss for these logits and label weights."""
    return model._loss(_said(logits), _batch(sets), w, _clock(sets))


def updated(model, logits, w, sets):
    """Return the label weights after a step whose network gives these logits."""
    return model._update(_said(logits), _batch(sets), w, _clock(sets))


def _said(logits):
    log_p = torch.log_softmax(logits, dim=1)
    return SimpleNamespace(log_p=log_p, p=log_p.exp(), z=logits)


def _batch(sets):
    return SimpleNamespace(
        candidates=sets,
        bags=torch.arange(len(sets)),
        bag_weights=None,
        mean=lambda values: values.mean(-1),
    )


def _clock(sets):
    return Clock(1, 1, own={"kept": sets})
