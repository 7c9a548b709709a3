"""The label weights of a run are the recursion, recomputed naively."""

import numpy as np
import pytest

from mipl import MIPLMA, Training
from mipl.testing.checks.problem import make_problem
from mipl.training import loop

PROBLEM = make_problem(n_bags=12)
EPOCHS = 6


@pytest.fixture
def visits(monkeypatch):
    """Keep the probabilities and the label weights of each step of a run."""
    seen = []
    take_step = loop.take_step

    def recorded(fit, batch, clock):
        take_step(fit, batch, clock)
        bags = batch.bags.tolist()
        seen.append((clock.epoch, bags, fit.state.p.numpy().copy()[bags]))

    monkeypatch.setattr(loop, "take_step", recorded)
    return seen


@pytest.mark.parametrize("alpha_lag", [0, 1])
@pytest.mark.parametrize("update_first", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("balance", [False, True])
def test_label_weights_follow_the_recursion(
    visits, alpha_lag, update_first, weighted, balance
):
    sets = PROBLEM.candidates
    y = sets * np.array([3.0, 1.0, 2.0]) if weighted else sets.astype(float)
    everything = tuple(range(len(sets)))
    training = Training(
        epochs=EPOCHS, batch_size=5, dtype="float64", record_bags=everything
    )
    model = MIPLMA(
        width=6,
        alpha_lag=alpha_lag,
        update_first=update_first,
        balance=balance,
        training=training,
    ).fit(PROBLEM.bags, y)
    w = [[v / sum(row) for v in row] for row in y.tolist()]
    means = np.ones(3)
    for epoch in range(1, EPOCHS + 1):
        alpha = (EPOCHS - epoch + alpha_lag) / EPOCHS
        for _, bags, p in [visit for visit in visits if visit[0] == epoch]:
            for i, row in zip(bags, p / means, strict=True):
                total = sum(v for v, held in zip(row, sets[i], strict=True) if held)
                for c, held in enumerate(sets[i]):
                    new = row[c] / total if held else 0.0
                    w[i][c] = alpha * w[i][c] + (1 - alpha) * new
        if balance:
            said = [p for t, _, p in visits if t == epoch]
            means = np.concatenate(said).mean(axis=0)
        stored = model.record_[epoch - 1]["label_weights"]
        np.testing.assert_allclose(stored, w, atol=1e-12)
    np.testing.assert_allclose(model.label_weights_, w, atol=1e-12)


def test_every_bag_is_visited_once_per_epoch(visits):
    MIPLMA(width=4, training=Training(epochs=3, batch_size=5)).fit(
        PROBLEM.bags, PROBLEM.y
    )
    for epoch in (1, 2, 3):
        order = [i for t, bags, _ in visits if t == epoch for i in bags]
        assert sorted(order) == list(range(12))


def test_only_the_paper_ends_with_weights_that_forget_the_past(visits):
    """At its last epoch alpha is 0: the weights are the last prediction's."""
    model = MIPLMA.paper(width=4).set_params(training__epochs=4)
    model.fit(PROBLEM.bags, PROBLEM.y)
    _, bags, p = visits[-1]
    kept = np.where(PROBLEM.candidates[bags], p, 0)
    expected = kept / kept.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.label_weights_[bags], expected, atol=1e-6)
