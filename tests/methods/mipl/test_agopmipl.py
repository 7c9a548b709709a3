"""AGOPMIPL: arguments, its loss, attention and metric recomputed, what it learns."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mipl.images import learns_images
from tests.methods.mipl.watched import fit_watched

from mipl import AGOPMIPL, MiplError, Training, load_dataset
from mipl.testing.checks.problem import make_problem

SMALL_SETTINGS = {
    "prototypes": 2,
    "hidden": 16,
    "training__epochs": 8,
    "training__rounds": 2,
    "training__warm_up": 1,
}
PROBLEM = make_problem(n_bags=12)


def fitted(epochs=4, **arguments):
    """Fit all bags in one step, without dropout, in float64."""
    settings = {"batch_size": None, "dtype": "float64", "lr": 0.5, "warm_up": 0}
    training = Training(epochs=epochs, rounds=2, **settings)
    given = {"width": 6, "hidden": 8, "prototypes": 2, "dropout": 0.0} | arguments
    return fit_watched(AGOPMIPL(training=training, **given), PROBLEM)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"mu": -1}, "mu of AGOPMIPL must be a number >= 0; got -1."),
        ({"hold": 1.0}, "hold of AGOPMIPL must be a number in [0, 1); got 1.0."),
        (
            {"metric": "agop"},
            "metric of AGOPMIPL must be one of 'published', 'softmax_jacobian', "
            "'none'; got 'agop'.",
        ),
        (
            {"prototypes": 0},
            "prototypes of AGOPMIPL must be None or an integer >= 1; got 0.",
        ),
        (
            {"prototype_pools": "all"},
            "prototype_pools of AGOPMIPL must be one of 'intended', 'published'; "
            "got 'all'.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        AGOPMIPL(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_loss_of_an_epoch_recomputed():
    model, seen = fitted(mu=0.7, gamma=1.3, eta=0.4)
    for entry, (out, (batch, w, _)) in zip(model.history_, seen, strict=True):
        sums = dict.fromkeys(("mapping", "sparsity", "inhibition", "instances"), 0.0)
        judged, bag = out.instance_log_p.tolist(), batch.segments.bag.tolist()
        for i, (p, inside, weights) in enumerate(
            zip(out.p.tolist(), batch.candidates.tolist(), w.tolist(), strict=True)
        ):
            mass = sum(value for value, held in zip(p, inside, strict=True) if held)
            own = [row for row, number in zip(judged, bag, strict=True) if number == i]
            for c, held in enumerate(inside):
                if held:
                    r = p[c] / mass
                    sums["mapping"] -= weights[c] * math.log(p[c] + 1e-10)
                    sums["sparsity"] -= 0.7 * r * math.log(r + 1e-10)
                else:
                    sums["inhibition"] -= 1.3 * math.log(1 - p[c])
                for row in own:
                    sums["instances"] -= 0.4 * weights[c] * row[c] / len(own)
        for name, total in sums.items():
            assert math.isclose(entry[name], total / 12, abs_tol=1e-12), name


@pytest.mark.parametrize("aggregation", ["mean", "linear"])
@pytest.mark.parametrize("mode", ["raw", "rfm", "concat"])
def test_attention_and_prediction_recomputed(mode, aggregation):
    """Instance by instance and class by class, from the values of the network."""
    model, _ = fitted(lam=0.3, mode=mode, aggregation=aggregation)
    values = {n: v.numpy() for n, v in model.module_.double().state_dict().items()}

    def affine(name, x):
        return values[f"{name}.weight"] @ x + values[f"{name}.bias"]

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def embed(x):
        hidden = np.maximum(affine("encoder.feature1", x), 0)
        return np.maximum(affine("encoder.feature2", hidden), 0)

    root = values["attention.score.metric.root"]

    def class_vector(places, through):
        embedded = [through @ embed(place) for place in places]
        if aggregation == "mean":
            return np.mean(embedded, axis=0)
        mix = "attention.score.classes.prototype_mix"
        weights = values[f"{mix}.weight"][0]
        each = zip(weights, embedded, strict=True)
        return sum(u * q for u, q in each) + values[f"{mix}.bias"]

    def score(h, through):
        name = "attention.score.score"
        own = sigmoid(affine(f"{name}.gate_instance", through @ h))
        gates = [
            own[c]
            * sigmoid(
                affine(f"{name}.gate_prototype", class_vector(places, through))[0]
            )
            for c, places in enumerate(values["prototypes.places"])
        ]
        hidden = np.maximum(affine(f"{name}.score_hidden", np.array(gates)), 0)
        return affine(f"{name}.score_out", hidden)[0]

    for bag in list(PROBLEM.bags)[:3]:
        x = (np.asarray(bag, float) - values["scaling.mean"]) / values["scaling.scale"]
        h = [embed(row) for row in x]
        scores = [score(row, root) + 0.3 * score(row, np.eye(6)) for row in h]
        a = np.exp(np.array(scores) / math.sqrt(6))
        a /= a.sum()
        np.testing.assert_allclose(model.attend([bag]), a, atol=1e-9)
        raw = sum(weight * row for weight, row in zip(a, h, strict=True))
        z = {"raw": raw, "rfm": root @ raw, "concat": np.r_[raw, root @ raw]}[mode]
        np.testing.assert_allclose(model.transform([bag])[0], z, atol=1e-9)
        logits = np.exp(affine("head.classifier", z))
        p = logits / logits.sum()
        np.testing.assert_allclose(model.predict_proba([bag])[0], p, atol=1e-9)


def roots_of_each_epoch(**arguments):
    """Return the metric root, the classifier and the probabilities after each epoch."""
    training = Training(epochs=4, rounds=2, batch_size=None, dtype="float64")
    given = {"width": 5, "hidden": 8, "prototypes": 2, "dropout": 0.0}
    model = AGOPMIPL(training=training, **given, **arguments)
    seen = []
    end = model._end_epoch

    def note(state, clock):
        weight = state.module.head.classifier.weight.detach().numpy().copy()
        end(state, clock)
        root = state.module.metric.root.numpy().copy()
        seen.append((root, weight, state.p.numpy().copy()))

    model._end_epoch = note
    model.fit(PROBLEM.bags, PROBLEM.y)
    return seen


def root_of(metric):
    values, vectors = np.linalg.eigh(metric)
    return vectors @ np.diag(np.sqrt(np.maximum(values, 1e-6))) @ vectors.T


def test_the_metric_is_taken_anew_after_each_round_but_the_last():
    first, second, third, fourth = roots_of_each_epoch()
    np.testing.assert_array_equal(first[0], np.eye(5))
    np.testing.assert_allclose(second[0], root_of(second[1].T @ second[1]), atol=1e-12)
    np.testing.assert_array_equal(third[0], second[0])
    np.testing.assert_array_equal(fourth[0], second[0])


def test_the_announced_metric_averages_gradients_of_probabilities():
    _, (root, weight, p), *_ = roots_of_each_epoch(metric="softmax_jacobian")
    jacobians = [(np.diag(row) - np.outer(row, row)) @ weight for row in p]
    expected = np.mean([jacobian.T @ jacobian for jacobian in jacobians], axis=0)
    np.testing.assert_allclose(root, root_of(expected), atol=1e-12)


def test_without_a_metric_rounds_only_begin_anew():
    for root, *_ in roots_of_each_epoch(metric="none"):
        np.testing.assert_array_equal(root, np.eye(5))


def test_of_the_metric_before_a_share_is_kept():
    _, (root, weight, _), *_ = roots_of_each_epoch(metric_momentum=0.3)
    expected = root_of(0.3 * np.eye(5) + 0.7 * weight.T @ weight)
    np.testing.assert_allclose(root, expected, atol=1e-12)


def test_alpha_restarts_with_each_round_and_label_weights_are_carried_over():
    training = Training(epochs=10, rounds=2, record_bags=(0, 1, 2))
    model = AGOPMIPL(width=4, hidden=8, training=training)
    model.fit(PROBLEM.bags, PROBLEM.y)
    alphas = [entry["alpha"] for entry in model.history_]
    np.testing.assert_allclose(alphas, [1, 1, 0.75, 0.5, 0.25] * 2)
    recorded = [one["label_weights"] for one in model.record_]
    start = PROBLEM.y.initial_weights()[:3]
    np.testing.assert_allclose(recorded[0], start, atol=1e-6)
    # What the first round ended with stays for two epochs.
    assert np.abs(recorded[4] - start).max() > 1e-4
    np.testing.assert_allclose(recorded[6], recorded[4], atol=1e-6)
    assert np.abs(recorded[7] - recorded[4]).max() > 1e-5


def test_prototypes_are_centres_of_the_pools_in_scaled_features():
    """Two places of one class, far apart, and a class that nobody may be of."""
    bags = [[[0.0], [0.2]], [[10.0], [10.2]], [[4.0]]]
    sets = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    training = Training(epochs=1, dtype="float64")
    given = {"prototypes": 2, "width": 3, "hidden": 4, "training": training}
    module = AGOPMIPL(**given).fit(bags, sets).module_
    mean, scale = module.scaling.mean, module.scaling.scale
    places = module.prototypes.places[..., 0] * scale + mean
    np.testing.assert_allclose(places[:2], [[0.1, 10.1], [4.0, 4.0]], atol=1e-5)
    np.testing.assert_array_equal(module.prototypes.places[2], 0.0)


def test_prototypes_by_the_published_slip_come_of_other_bags():
    meant, slipped = (
        fitted(epochs=2, prototype_pools=reading)[0].module_.prototypes.places
        for reading in ("intended", "published")
    )
    assert bool(torch.isfinite(slipped).all())
    assert not torch.equal(meant, slipped)


def test_without_weight_the_instances_have_no_classifier():
    model, _ = fitted(eta=0.0)
    assert model.module_.instance_classifier is None
    assert "instances" not in model.history_[0]


def test_images():
    learns_images(AGOPMIPL(width=4, prototypes=2))


def test_it_learns_from_candidates():
    train, test = load_dataset("synthetic", r=1).split(0)
    training = Training(epochs=10, rounds=2, lr=0.05, batch_size=4)
    model = AGOPMIPL(training=training).fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)
