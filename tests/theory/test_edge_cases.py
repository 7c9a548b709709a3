"""Edge cases by name: defined, finite, and the same in every reading."""

import numpy as np
import pytest

from mipl import MIPLMA, Bags, Training
from mipl.testing.checks.problem import make_problem

READINGS = {
    "ours": MIPLMA(),
    "paper": MIPLMA.paper(),
    "released": MIPLMA.released(),
    "no z-score": MIPLMA(standardise="none"),
    "spread with gradient": MIPLMA(detach_spread=False),
    "epoch": MIPLMA(margin="epoch"),
}


@pytest.fixture(params=READINGS)
def model(request):
    chosen = READINGS[request.param]
    options = chosen.training or Training()
    quick = options.get_params() | {"epochs": 4, "lr": 0.05}
    return chosen.set_params(width=6, training=Training(**quick))


def finite(model, bags, y):
    """Fit, and demand finite numbers everywhere."""
    model.fit(bags, y)
    outputs = (
        model.predict_proba(bags),
        model.attend(bags),
        model.transform(bags),
        model.predict_instances(bags),
        model.label_weights_,
        [list(entry.values()) for entry in model.history_],
    )
    assert all(np.isfinite(output).all() for output in outputs)
    return model


def test_a_bag_of_one_instance_has_all_the_attention(model):
    problem = make_problem(sizes=(1,))
    finite(model, problem.bags, problem.y)
    assert (model.attend(problem.bags) == 1).all()


def test_a_bag_of_one_instance_is_predicted_as_that_instance(model):
    problem = make_problem()
    finite(model, problem.bags, problem.y)
    rows = Bags(problem.bags).instances
    alone = model.predict_proba([row[None] for row in rows])
    np.testing.assert_allclose(model.predict_instances(problem.bags), alone, atol=1e-6)


def test_equal_instances_share_the_attention_evenly(model):
    problem = make_problem()
    bags = [np.repeat(bag[:1], len(bag), axis=0) for bag in problem.bags]
    finite(model, bags, problem.y)
    even = np.concatenate([np.full(len(bag), 1 / len(bag)) for bag in bags])
    np.testing.assert_allclose(model.attend(bags), even, atol=1e-4)
    alone = model.predict_proba([bag[:1] for bag in bags])
    np.testing.assert_allclose(model.predict_proba(bags), alone, atol=1e-4)


def test_full_candidate_sets_have_the_best_probability_as_margin(model):
    problem = make_problem()
    full = np.ones_like(problem.candidates)
    finite(model, problem.bags, full)
    found = model.disambiguate(problem.bags, full)
    p = model.predict_proba(problem.bags)
    np.testing.assert_allclose(found.margins, p.max(axis=1), atol=1e-12)
    assert not found.violated.any()


def test_one_class_is_certain(model):
    problem = make_problem()
    finite(model, problem.bags, ["elm"] * len(problem.bags))
    assert (model.predict_proba(problem.bags) == 1).all()


def test_one_bag_can_be_learnt(model):
    problem = make_problem(n_bags=1, names=("elm", "oak"))
    finite(model, problem.bags, [{"elm", "oak"}])


def test_a_spread_of_margins_of_one_is_survived():
    """Two bags, one sure and right, one sure and wrong: phi is 0 and 2."""
    bags = [[[50.0]], [[50.0]]] * 3
    model = MIPLMA(width=4, lam=5.0, scaling="none", training=Training(epochs=8))
    finite(model, bags, np.array([0, 1] * 3))


def test_a_candidate_of_probability_zero_is_survived():
    """Far apart and wrongly labelled later: the true class has probability 0."""
    bags = [np.full((2, 1), v, dtype=np.float32) for v in (-1e4, 1e4) * 4]
    y = np.array([0, 1] * 4)
    model = MIPLMA(
        width=4,
        scaling="none",
        unit_start=False,
        training=Training(epochs=3, lr=1e-4, clip=None),
    )
    finite(model, bags, y)
    p = model.predict_proba(bags)
    found = model.disambiguate(bags, 1 - y)
    assert np.isfinite(found.posterior).all()
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1)
    assert p.min() < 1e-12
