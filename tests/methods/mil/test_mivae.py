"""MIVAE: its loss recomputed, deterministic predictions, extremes, images."""

import math

import numpy as np
import pytest
import torch
from tests.methods.mil.recorded import bags_of, visits

from mipl import MIVAE, Bags, MiplError, Training, load_dataset
from mipl.nn.vae import ImageDecoder, ImageEncoder, VectorEncoder
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem(n_bags=10, sizes=(3, 1, 4, 2))
SETS = [{0, 1}, {1}, {0}]


def quick(**settings):
    usual = {"epochs": 2, "optimiser": "adamw", "lr": 0.01, "dtype": "float64"}
    return Training(**({**usual, "clip": None} | settings))


def small(**arguments):
    return MIVAE(**({"latent": 3, "width": 7, "training": quick()} | arguments))


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"latent": 0}, "latent of MIVAE must be an integer >= 1; got 0."),
        (
            {"bag_latent": 0},
            "bag_latent of MIVAE must be None or an integer >= 1; got 0.",
        ),
        (
            {"encoder": "conv"},
            "encoder of MIVAE must be one of 'auto', 'mlp'; got 'conv'.",
        ),
        (
            {"label_weight": 0},
            "label_weight of MIVAE must be a number >= 1e-06; got 0.",
        ),
        (
            {"head": "sigmoid"},
            "head='sigmoid' of MIVAE is for two classes; these are 3: take "
            "head='softmax', or OneVsRest around it.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        MIVAE(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def density(x, mean, logvar):
    return -0.5 * (math.log(2 * math.pi) + logvar + (x - mean) ** 2 / math.exp(logvar))


@pytest.mark.parametrize("bag_latent", [None, 5, 2])
def test_the_loss_recomputed_copy_by_copy(bag_latent):
    """Each copy of a bag has its own label, and the draws of the bag."""
    weights = {"instance_kl": 0.5, "bag_kl": 2.0, "label_weight": 10.0}
    training = quick(epochs=1, batch_size=None)
    model = small(**weights, bag_latent=bag_latent, dropout=0.0, training=training)
    [(out, batch, w)] = visits(model, PROBLEM.bags, PROBLEM.y)
    means, logvars = (v.tolist() for v in out.label_prior.of_each_class())
    n, latent, shared_latent = len(out.h), 3, bag_latent or 3
    assert out.instance_mean.shape == (n, latent)
    assert out.z.shape == out.bag_mean.shape == (len(batch), shared_latent)
    reconstruction = own = shared = wrong = 0.0
    for i, rows in enumerate(bags_of(batch)):
        for c in torch.nonzero(batch.candidates[i])[:, 0].tolist():
            wrong -= math.log(out.p[i, c].item()) / 10
            reconstruction += out.error[rows].sum().item() / n
            for m, v in zip(
                out.instance_mean[rows].flatten().tolist(),
                out.instance_logvar[rows].flatten().tolist(),
                strict=True,
            ):
                own += (m * m + math.exp(v) - v - 1) / 2 / latent / n
            for j, z in enumerate(out.z[i].tolist()):
                q = density(z, out.bag_mean[i, j].item(), out.bag_logvar[i, j].item())
                shared += (
                    (q - density(z, means[c][j], logvars[c][j])) / shared_latent / 10
                )
    # The prior has taken its step since the fit asked.
    told = model._loss(out, batch, w, None)
    expected = {
        "reconstruction": reconstruction / 10,
        "instance_kl": 0.5 * own / 10,
        "bag_kl": 2.0 * shared / 10,
        "classification": wrong,
    }
    assert told.keys() == expected.keys()
    for name, value in expected.items():
        assert math.isclose(told[name].item(), value, rel_tol=1e-9), name
    for name in expected.keys() - {"bag_kl"}:
        assert math.isclose(model.history_[0][name], expected[name], rel_tol=1e-9)


@pytest.mark.parametrize("bag_latent", [3, 5])
def test_a_bag_is_an_average_and_its_best_instance_speaks(bag_latent):
    training = quick(epochs=1, batch_size=None)
    model = small(bag_latent=bag_latent, dropout=0.0, training=training)
    [(out, batch, _)] = visits(model, PROBLEM.bags, PROBLEM.y)
    widths = [3, 3, bag_latent, bag_latent]
    for i, rows in enumerate(bags_of(batch)):
        _, _, mean, logvar = out.h[rows].split(widths, dim=1)
        torch.testing.assert_close(out.bag_mean[i], mean.mean(dim=0))
        torch.testing.assert_close(out.bag_logvar[i], logvar.exp().mean(dim=0).log())
    module = model.module_.eval()
    for bag in PROBLEM.bags:
        h = module.embed(torch.tensor(bag).double())
        own, _, evidence, _ = h.split(widths, dim=1)
        mean = evidence.mean(dim=0)
        both = torch.cat([own, mean.expand(len(own), -1)], dim=1)
        logits = module.head(both).detach()  # (n, k)
        p, each = logits.amax(dim=0).softmax(dim=0), logits.softmax(dim=1)
        np.testing.assert_allclose(model.predict_proba([bag])[0], p, atol=1e-9)
        np.testing.assert_allclose(model.predict_instances([bag]), each, atol=1e-9)
        found = model.transform([bag])[0]
        np.testing.assert_allclose(found, mean.detach(), atol=1e-12)


def test_predictions_draw_nothing():
    """Dropout and draws of latent variables are for training only."""
    model = small(dropout=0.5).fit(PROBLEM.bags, PROBLEM.y)
    first = model.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(model.predict_proba(PROBLEM.bags), first)
    mixed = model.predict_proba(PROBLEM.bags[::-1])[::-1]
    np.testing.assert_allclose(mixed, first, atol=1e-12)


@pytest.mark.parametrize("logvar", [-50.0, 50.0])
def test_the_loss_is_finite_for_any_log_variance(logvar, monkeypatch):
    def extreme(self, x):
        mean = self.mean(self.features(x))
        return mean, torch.full_like(mean, logvar).clamp(-10, 10)

    whole = VectorEncoder(4, 5, 3).double()
    for parameter in whole.parameters():
        parameter.data.zero_()
    whole.logvar.bias.data.fill_(logvar)
    _, clamped = whole(torch.zeros(2, 4).double())
    assert clamped.abs().max() == 10
    monkeypatch.setattr(VectorEncoder, "forward", extreme)
    model = small(training=quick(dtype="float32")).fit(PROBLEM.bags, PROBLEM.y)
    assert all(math.isfinite(entry["loss"]) for entry in model.history_)
    assert np.isfinite(model.predict_proba(PROBLEM.bags)).all()


def test_the_only_instance_of_a_bag_speaks_for_it():
    rows = [bag[:1] for bag in PROBLEM.bags]
    model = small().fit(rows, PROBLEM.y)
    p = model.predict_proba(rows)
    np.testing.assert_allclose(model.predict_instances(rows), p, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(rows[:1]), p[:1], atol=1e-12)


@pytest.mark.parametrize("head", ["softmax", "sigmoid"])
def test_one_and_two_outputs_learn_two_classes(head):
    train, test = load_dataset("synthetic", r=0).split(0)
    labels = [(part.labels == train.classes[0]).astype(int) for part in (train, test)]
    training = quick(epochs=16, lr=0.02, batch_size=16, dtype="float32")
    model = MIVAE(latent=8, width=32, head=head, dropout=0.0, training=training)
    model.fit(train.bags, labels[0])
    p = model.predict_proba(test.bags)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    assert model.score(test.bags, labels[1]) > 0.85


@pytest.mark.parametrize("shape", [(1, 28, 28), (28, 28), (3, 27, 27)])
def test_images_are_convolved_and_reconstructed(shape):
    rows = np.random.default_rng(0).random((6, math.prod(shape)), dtype=np.float32)
    bags = Bags(rows, [0, 2, 3, 6], instance_shape=shape)
    widths = {"latent": 2, "bag_latent": 3, "width": 4, "decoder_width": 3}
    model = MIVAE(**widths, training=quick(dtype="float32"))
    module = model.fit(bags, SETS).module_
    assert isinstance(module.encoder.instance, ImageEncoder)
    assert isinstance(module.decoder, ImageDecoder)
    assert module.decoder(torch.zeros(5, 5)).shape == (5, rows.shape[1])
    assert np.isfinite(model.predict_proba(bags)).all()
    model.set_params(encoder="mlp").fit(bags, SETS)
    assert isinstance(model.module_.encoder.instance, VectorEncoder)
