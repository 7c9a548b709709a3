"""FastMIPL: arguments, whose statistics, what a bag's score depends on, learning."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from tests.methods.mipl.images import SETS, images
from tests.training.interrupted import fit_in_parts, stopped_at

from mipl import Bags, Candidates, FastMIPL, MiplError, Training, load_dataset
from mipl.methods.mipl import fastmipl
from mipl.nn.encoders import ConvEncoder
from mipl.nn.mixed_effects import soft_logistic
from mipl.testing.checks.problem import make_problem

SMALL_SETTINGS = {"training__lr": 0.02}

PROBLEM = make_problem(n_bags=12)
OTHER = make_problem(n_bags=9, seed=1)


def fitted(**arguments):
    options = {"epochs": 4, "lr": 0.05, "batch_size": None, "schedule": "constant"}
    training = Training(**options | arguments.pop("training", {}))
    model = FastMIPL(**{"width": 6, "samples": 3} | arguments, training=training)
    return model.fit(PROBLEM.bags, PROBLEM.y)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"samples": 0}, "samples of FastMIPL must be an integer >= 1; got 0."),
        (
            {"keep": 2},
            "keep of FastMIPL must be None or a number in [0, 1]; got 2.",
        ),
        (
            {"width": (8, 0)},
            "width of FastMIPL must be an integer >= 1 or several of them; got (8, 0).",
        ),
        (
            {"width": ()},
            "width of FastMIPL must be an integer >= 1 or several of them; got ().",
        ),
        (
            {"width": True},
            "width of FastMIPL must be an integer >= 1 or several of them; got True.",
        ),
        (
            {"start": "random", "start_network": "another"},
            "start_network of FastMIPL is whose embedding the regression sees, and "
            "start='random' has no regression; leave start_network 'trained', or set "
            "start to 'means' or 'published'.",
        ),
        (
            {"training": Training(batch_size=1)},
            "FastMIPL compares the bags of a step, and learns nothing from one alone; "
            "training__batch_size must be None or above 1; got 1.",
        ),
        (
            {"standardise": "test"},
            "standardise of FastMIPL must be one of 'training', 'given'; got 'test'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        FastMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"reliability_at_prediction": True},
            "reliability_at_prediction needs a reliability; set reliability to 'draws' "
            "or 'classes', or leave reliability_at_prediction False.",
        ),
    ],
)
def test_arguments_without_use_are_refused(arguments, sentence):
    with pytest.raises(MiplError) as refused:
        FastMIPL(**arguments).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_label_weights_of_both_types_move_alike():
    single, double = (
        fitted(keep=0.5, training={"dtype": dtype}) for dtype in ("float32", "float64")
    )
    np.testing.assert_allclose(single.label_weights_, double.label_weights_, atol=1e-4)
    losses = [[line["loss"] for line in m.history_] for m in (single, double)]
    np.testing.assert_allclose(*losses, rtol=1e-4)


def test_the_divergence_counts_once_in_an_epoch_whatever_the_batches():
    """Each step has its bags' share, 1/m of the whole for each of them."""
    still = {"epochs": 1, "lr": 1e-30, "dtype": "float64"}
    whole, parts = (
        fitted(kl_weight=0.7, training=still | {"batch_size": size})
        for size in (None, 4)
    )
    posterior = whole.module_.posterior
    with torch.no_grad():
        covariance = posterior.factor @ posterior.factor.mT
        covariance = covariance + torch.diag_embed(posterior.log_diagonal.exp())
        sigmas = posterior.log_sigma_attention, posterior.log_sigma_score
        width = posterior.mean.shape[1] // 2
        prior = torch.cat([s.T.exp().expand(-1, width) for s in sigmas], dim=1)
        kl = torch.distributions.kl_divergence(
            torch.distributions.MultivariateNormal(posterior.mean, covariance),
            torch.distributions.MultivariateNormal(
                torch.zeros_like(prior), torch.diag_embed(prior**2)
            ),
        ).sum()
    for model in (whole, parts):
        assert np.isclose(model.history_[0]["divergence"], 0.7 * float(kl) / 12)


def test_scores_start_with_a_regression_on_the_means_of_the_bags():
    model = fitted(encoder="image", training={"epochs": 1, "lr": 1e-30})
    posterior, bags = model.module_.posterior, Bags(PROBLEM.bags)
    x = (bags.instances - bags.instances.mean(0)) / bags.instances.std(0)
    means = np.stack([x[a:b].mean(0) for a, b in pairwise(bags.offsets)])
    b, variances = soft_logistic(
        means.astype(float), Candidates(PROBLEM.y).initial_weights()
    )
    d = bags.n_features
    found = posterior.mean.detach().numpy()[:, d:]
    np.testing.assert_allclose(found, b, rtol=1e-3, atol=1e-4)
    factor = posterior.factor.detach().numpy()
    np.testing.assert_allclose(
        np.stack([np.diag(one)[d:] for one in factor]), variances**0.5, rtol=1e-3
    )
    prior = np.exp(2 * posterior.log_sigma_score.detach().numpy()[0])
    np.testing.assert_allclose(prior, (b**2 + variances).mean(1), rtol=1e-3)
    other = fitted(encoder="image", start="random", training={"epochs": 1, "lr": 1e-30})
    assert np.abs(other.module_.posterior.mean.detach().numpy()[:, d:] - b).max() > 0.1


STILL = {"epochs": 1, "lr": 1e-30}


def test_the_published_start_has_even_attention_and_an_intercept():
    model = fitted(encoder="image", start="published", training=STILL)
    mean = model.module_.posterior.mean.detach().numpy()
    d = PROBLEM.bags[0].shape[1]
    assert np.abs(mean[:, :d]).max() < 1e-30 and np.abs(mean[:, d:]).max() > 0.1
    posterior = model.module_.posterior
    spread = posterior.factor.detach().diagonal(dim1=1, dim2=2)[:, d:].numpy()
    np.testing.assert_allclose(spread**2, 0.1 * (mean[:, d:] ** 2).mean(), rtol=1e-4)
    assert np.abs(model.module_.head.intercept.detach().numpy()).max() > 0.1


@pytest.mark.parametrize("start", ["means", "published"])
def test_another_network_gives_another_start_of_the_same_network(start):
    one, other = (
        fitted(start=start, start_network=name, training=STILL)
        for name in ("trained", "another")
    )
    weights = (m.module_.encoder.feature.weight for m in (one, other))
    assert torch.equal(*weights)
    means = [m.module_.posterior.mean.detach().numpy()[:, 6:] for m in (one, other)]
    assert np.abs(means[0] - means[1]).max() > 1e-2
    again = fitted(start=start, start_network="another", training=STILL)
    np.testing.assert_array_equal(
        again.module_.posterior.mean.detach().numpy()[:, 6:], means[1]
    )


def test_label_weights_of_the_program_move_ever_faster():
    """In the first of T epochs they stay, in the last 1/T of them does."""
    everything = tuple(range(12))
    model = fitted(keep=None, training={"epochs": 4, "record_bags": everything})
    weights = [one["label_weights"] for one in model.record_]
    first = Candidates(PROBLEM.y).initial_weights()
    np.testing.assert_array_equal(weights[0], first.astype(np.float32))
    assert [line["alpha"] for line in model.history_] == [1, 0.75, 0.5, 0.25]
    p = (weights[-1] - weights[-2] / 4) / 0.75
    best = model.record_[-1]["best_candidate"]
    np.testing.assert_allclose(p.max(axis=1), best, atol=1e-5)


@pytest.mark.parametrize("over", ["draws", "classes"])
def test_reliability_is_mixed_in_from_its_epoch_on(over):
    options = {"reliability_threshold": 0, "reliability_weight": 0.9}
    off, late, early = (
        fitted(**options, reliability=name, reliability_from=first)
        for name, first in (("off", 1), (over, 3), (over, 2))
    )
    losses = [[line["loss"] for line in m.history_] for m in (off, late, early)]
    assert losses[0][:2] == losses[1][:2]
    assert losses[0][0] == losses[2][0] and losses[0][1] != losses[2][1]
    assert losses[0][2] != losses[1][2]


def test_below_its_threshold_reliability_changes_nothing_but_rounding():
    off, on = (
        fitted(
            reliability=name,
            reliability_from=1,
            reliability_threshold=1,
            training={"dtype": "float64"},
        )
        for name in ("off", "draws")
    )
    losses = [[line["loss"] for line in m.history_] for m in (off, on)]
    np.testing.assert_allclose(*losses, rtol=1e-9)


def test_an_interrupted_fit_goes_on_mixing(tmp_path):
    options = {"reliability": "draws", "reliability_threshold": 0}
    options |= {"reliability_from": 2, "reliability_weight": 0.9}
    whole = fitted(**options)
    path = tmp_path / "run.checkpoint"
    training = Training(epochs=4, lr=0.05, batch_size=None, schedule="constant")
    kind = stopped_at(3, method=FastMIPL)
    arguments = {"width": 6, "samples": 3, "training": training} | options
    model = fit_in_parts(lambda: kind(**arguments), path, 1)
    assert model.history_ == whole.history_


def test_predictions_mix_reliability_in_where_they_are_asked_to():
    options = {"reliability": "draws", "reliability_threshold": 0}
    options |= {"reliability_from": 1, "reliability_weight": 1}
    without, with_it = (
        fitted(**options, reliability_at_prediction=asked) for asked in (False, True)
    )
    assert without.history_ == with_it.history_
    p, q = (m.predict_proba(OTHER.bags) for m in (without, with_it))
    assert np.abs(p - q).max() > 1e-3
    alone = np.concatenate([with_it.predict_proba([bag]) for bag in OTHER.bags])
    np.testing.assert_allclose(alone, q, atol=1e-9)
    f = with_it.transform(PROBLEM.bags)
    np.testing.assert_allclose(
        with_it.module_.head.mean.numpy(), f.mean(axis=0), atol=1e-4
    )


def test_the_intercept_is_a_matter_of_predictions():
    model = fitted()
    without = model.predict_proba(PROBLEM.bags)
    at_fit = fitted(test_intercept=True)
    for standardise in ("training", "given"):
        for one in (model, at_fit):
            one.set_params(test_intercept=True, standardise=standardise)
        p = model.predict_proba(PROBLEM.bags)
        np.testing.assert_array_equal(p, at_fit.predict_proba(PROBLEM.bags))
        assert not np.allclose(p, without)


def test_the_released_reading_is_transductive_with_dropout():
    model = FastMIPL.released(samples=7)
    assert (model.standardise, model.test_dropout) == ("given", True)
    assert (model.samples, model.test_intercept) == (7, False)
    start = (model.start, model.start_network, model.keep)
    assert start == ("published", "another", None)


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def size(model):
    """Root mean square of the posterior means of the score coefficients."""
    mean = model.module_.posterior.mean.detach().numpy().astype(float)
    return np.sqrt((mean[:, mean.shape[1] // 2 :] ** 2).mean(axis=1))


def test_by_default_each_bag_is_scored_with_the_training_bags_statistics():
    model = fitted()
    f, g = (model.transform(bags) for bags in (PROBLEM.bags, OTHER.bags))
    scores = size(model) * (g - f.mean(axis=0)) / f.std(axis=0, ddof=1)
    expected = softmax(scores)
    np.testing.assert_allclose(model.predict_proba(OTHER.bags), expected, atol=1e-5)
    alone = np.concatenate([model.predict_proba([bag]) for bag in OTHER.bags])
    np.testing.assert_allclose(alone, expected, atol=1e-5)


def test_the_published_reading_uses_the_bags_it_is_asked_about():
    model = fitted(standardise="given")
    f = model.transform(OTHER.bags)
    scores = size(model) * (f - f.mean(axis=0)) / f.std(axis=0, ddof=1)
    found = model.predict_proba(OTHER.bags)
    np.testing.assert_allclose(found, softmax(scores), atol=1e-6)
    fewer = model.predict_proba(OTHER.bags[:4])
    assert np.abs(fewer - found[:4]).max() > 1e-3
    np.testing.assert_allclose(model.predict_proba(OTHER.bags[:1]), 1 / 3)


def test_both_readings_are_one_fit():
    """They differ in predictions alone, and agree on the training bags."""
    ours, published = fitted(), fitted(standardise="given")
    assert ours.history_ == published.history_
    p, q = (model.predict_proba(PROBLEM.bags) for model in (ours, published))
    np.testing.assert_allclose(p, q, atol=1e-5)


def test_dropout_in_predictions_follows_the_seed():
    model = fitted(test_dropout=True, random_state=0)
    p = model.predict_proba(OTHER.bags)
    assert (model.predict_proba(OTHER.bags) == p).all()
    model.test_dropout = False
    assert np.abs(model.predict_proba(OTHER.bags) - p).max() > 1e-3


def test_the_intercept_counts_where_it_is_asked_for():
    without, with_it = fitted(), fitted(test_intercept=True)
    intercept = with_it.module_.head.intercept.detach().numpy()
    assert np.abs(intercept).max() > 1e-3
    p, q = (np.log(m.predict_proba(OTHER.bags)) for m in (without, with_it))
    shift = q - p - intercept
    np.testing.assert_allclose(shift, shift[:, :1].repeat(3, axis=1), atol=1e-6)


def test_label_weights_inside_shrink_and_outside_lie_on_the_simplex():
    everything = tuple(range(12))
    model = fitted(training={"record_bags": everything}, keep=0.5)
    inside = model.record_[-1]["label_weights"]
    assert (inside.sum(axis=1) < 1).all()
    expected = inside / inside.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.label_weights_, expected, atol=1e-6)


def test_label_weights_that_vanish_are_even(monkeypatch):
    """Scores far apart leave the candidates of a bag no probability at all."""
    monkeypatch.setattr(fastmipl, "confidence_update", lambda w, *_: w * 0)
    np.testing.assert_allclose(fitted().label_weights_, PROBLEM.candidates / 2)


def test_attention_is_that_of_the_classes_by_their_probability():
    model = fitted()
    module = model.module_.double()
    for bag in OTHER.bags:
        h = module.embed(module.scaling.mean.new_tensor(bag))
        a = module.attention.score(h).softmax(dim=0).detach().numpy()
        p = model.predict_proba([bag])[0]
        np.testing.assert_allclose(model.attend([bag]), a @ p, atol=1e-6)
        assert np.isclose(model.attend([bag]).sum(), 1)


def test_instances_are_scored_as_bags_of_their_own():
    model = fitted()
    rows = np.concatenate(OTHER.bags)
    alone = model.predict_proba([row[None] for row in rows])
    np.testing.assert_allclose(model.predict_instances(OTHER.bags), alone, atol=1e-6)


def test_early_stopping_goes_back_to_the_statistics_of_its_epoch():
    stop = {"stop_on": "covering_rate", "holdout": 0.3, "patience": 1, "epochs": 6}
    model = fitted(training=stop)
    f = model.transform(PROBLEM.bags)
    np.testing.assert_allclose(
        model.module_.head.mean.numpy(), f.mean(axis=0), atol=1e-5
    )


def test_images():
    training = Training(epochs=2, lr=0.1, batch_size=None)
    model = FastMIPL(samples=2, width=(6, 4), training=training).fit(images(), SETS)
    assert isinstance(model.module_.encoder[0], ConvEncoder)
    assert np.isfinite(model.predict_proba(images())).all()
    assert model.attend(images()).shape == (10,)


@pytest.mark.parametrize("standardise", ["training", "given"])
def test_it_learns_from_candidates(standardise):
    train, test = load_dataset("synthetic", r=1).split(0)
    model = FastMIPL(width=32, standardise=standardise)
    model.set_params(training__epochs=60, training__lr=0.05)
    model.fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)


def test_a_published_start_needs_bags_that_differ():
    alike = np.ones((4, 2, 3))
    sets = [["a", "b"], ["a"], ["b"], ["a", "b"]]
    model = FastMIPL(start="published", width=4, training=Training(epochs=1))
    with pytest.raises(MiplError, match=r"bags that differ .*\(n_samples=4\)"):
        model.fit(alike, sets)
