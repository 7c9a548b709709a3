"""The mean of the parameters over the epochs: recomputed, and nothing else touched."""

import numpy as np
import pytest
import torch
from sklearn.base import clone
from tests.methods.wrappers.test_together import PROBLEMS, assert_as_alone, build
from tests.training.test_callbacks import Watcher

from mipl import MIPLGP, MIPLMA, MiplError, Training, fit_together
from mipl.testing.checks.problem import make_problem
from mipl.training import loop

PROBLEM = make_problem()
OPTIMISERS = ("sgd", "adam")


def model(**training):
    settings = {"epochs": 5, "batch_size": 4, "dtype": "float64", "lr": 0.2} | training
    return MIPLMA(width=4, random_state=0, training=Training(**settings))


@pytest.fixture
def path(monkeypatch):
    """Note the parameters after the last step of each epoch."""
    seen = {}
    take_step = loop.take_step

    def watched(fit, batch, clock):
        take_step(fit, batch, clock)
        seen[clock.epoch] = [p.detach().clone() for p in fit.optimiser.parameters]

    monkeypatch.setattr(loop, "take_step", watched)
    return seen


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("decay", [0.3, 0.9])
def test_predictions_are_those_of_the_mean_over_the_epochs(decay, optimiser, path):
    kind = {"optimiser": optimiser, "lr": 0.2 if optimiser == "sgd" else 0.02}
    last = model(**kind).fit(PROBLEM.bags, PROBLEM.y)
    moved = [p.clone() for p in path[5]]
    fitted = model(average=decay, **kind).fit(PROBLEM.bags, PROBLEM.y)
    counts = np.array([decay ** (5 - epoch) for epoch in range(1, 6)])
    of_epochs = [torch.stack(values) for values in zip(*path.values(), strict=True)]
    for own, values in zip(fitted.module_.parameters(), of_epochs, strict=True):
        mean = np.tensordot(counts / counts.sum(), values.numpy(), 1)
        np.testing.assert_allclose(own.detach().numpy(), mean, rtol=0, atol=1e-14)
    # What moves is what would move without it: the same bits.
    assert all(map(torch.equal, path[5], moved))
    assert fitted.history_ == last.history_
    np.testing.assert_array_equal(fitted.label_weights_, last.label_weights_)
    p, q = (one.predict_proba(PROBLEM.bags) for one in (fitted, last))
    assert abs(p - q).max() > 1e-4


def test_one_epoch_is_its_own_mean():
    one, mean = model(epochs=1), model(epochs=1, average=0.99)
    p, q = (
        m.fit(PROBLEM.bags, PROBLEM.y).predict_proba(PROBLEM.bags) for m in (one, mean)
    )
    np.testing.assert_array_equal(p, q)


def test_callbacks_and_a_wish_to_stop_see_the_mean():
    watcher = Watcher(stop_after=3)
    stopped = model(average=0.8).set_callbacks(watcher).fit(PROBLEM.bags, PROBLEM.y)
    seen = watcher.predicted[-1]
    np.testing.assert_array_equal(stopped.predict_proba(PROBLEM.bags), seen)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
def test_stacked_runs_end_with_the_means_that_they_have_alone(optimiser):
    models = [
        build(
            random_state=seed,
            training__average=0.7,
            training__epochs=12,
            training__optimiser=optimiser,
            training__stop_on="margin_violation_rate",
            training__patience=patience,
            training__holdout=0.3,
        )
        for seed, patience in enumerate((1, 2, 3, 12))
    ]
    fit_together(models, [PROBLEMS[0], *PROBLEMS])
    lengths = {one.n_iter_ for one in models}
    assert len(lengths) > 1  # Some are set aside, and the others close ranks.
    assert_as_alone(models, [PROBLEMS[0], *PROBLEMS])


def test_runs_with_other_decays_are_not_stacked():
    models = [build(training__average=decay) for decay in (0.5, 0.9, None)]
    fit_together([*models, *map(clone, models)], [PROBLEMS[0]] * 6)
    assert_as_alone(models, [PROBLEMS[0]] * 3)


@pytest.mark.parametrize("decay", [0, 1, -0.5, "0.9"])
def test_what_is_no_decay_is_refused(decay):
    with pytest.raises(
        MiplError, match=r"average of Training must be None or a number in \(0, 1\)"
    ):
        model(average=decay).fit(PROBLEM.bags, PROBLEM.y)


@pytest.mark.parametrize("given", [{"average": 0.5}, {"instances_per_bag": 2}])
def test_processes_say_that_they_have_no_use_for_it(given):
    with pytest.raises(MiplError, match="MIPLGP learns processes on all instances"):
        MIPLGP(training=Training(**given)).fit(PROBLEM.bags, PROBLEM.y)
