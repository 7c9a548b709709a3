"""Runs that are stopped at a step, and what a run has learnt, as bytes."""

import json
import signal

import numpy as np
import pytest

from mipl import MIPLMA
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=12)


class Stopped:
    """Hears Ctrl-C in the middle of these steps, counted over the whole run."""

    stops: frozenset = frozenset()
    steps = 0

    def _update(self, out, batch, w, clock):
        type(self).steps += 1
        if type(self).steps in self.stops:
            signal.raise_signal(signal.SIGINT)
        return super()._update(out, batch, w, clock)


def stopped_at(*steps, method=MIPLMA):
    """Return a method that is interrupted in these steps; it counts all steps."""
    return type("Stopped", (Stopped, method), {"stops": frozenset(steps), "steps": 0})


def fit_in_parts(build, path, times, bags=PROBLEM.bags, y=PROBLEM.y):
    """Fit what ``build`` gives, interrupted so often and then to the end."""
    for _ in range(times):
        with pytest.raises(KeyboardInterrupt):
            build().fit(bags, y, checkpoint=path)
    return build().fit(bags, y, checkpoint=path)


def bits(model, bags=PROBLEM.bags):
    """Return all that a model has learnt and recorded, as bytes."""
    arrays = [value.numpy() for value in model.module_.state_dict().values()]
    arrays += [record[name] for record in model.record_ for name in sorted(record)]
    arrays += [model.label_weights_, model.predict_proba(bags)]
    parts = [np.ascontiguousarray(array).tobytes() for array in arrays]
    facts = (model.history_, model.n_iter_, model.best_epoch_, model.tau_)
    return b"".join([*parts, json.dumps(facts).encode()])
