"""MIPLMA: arguments, presets, steps, ablations, and what it learns."""

import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone

from mipl import MIPLMA, MiplError, Training, load_dataset, method
from mipl.testing.checks.problem import make_problem
from mipl.training import loop

PROBLEM = make_problem(n_bags=12)


def fitted(model, **training):
    """Fit with small settings, keeping those of the preset otherwise."""
    model.set_params(width=6, training__epochs=3)
    model.set_params(**{f"training__{name}": value for name, value in training.items()})
    return model.fit(PROBLEM.bags, PROBLEM.y)


def values(model):
    return [v.tolist() for v in model.module_.state_dict().values()]


# -- arguments -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"lam": -0.1}, "lam of MIPLMA must be a number >= 0; got -0.1."),
        ({"lam": "big"}, "lam of MIPLMA must be a number >= 0; got 'big'."),
        ({"tau": 0}, "tau of MIPLMA must be a number >= 1e-06; got 0."),
        (
            {"tau_decay": 1.1},
            "tau_decay of MIPLMA must be a number in [1e-06, 1]; got 1.1.",
        ),
        ({"tau": 0.01}, "tau 0.01 must not lie below tau_min 0.1."),
        ({"width": 7.5}, "width of MIPLMA must be an integer >= 1; got 7.5."),
        (
            {"dropout": 0.99},
            "dropout of MIPLMA must be a number in [0, 0.95]; got 0.99.",
        ),
        (
            {"margin_scale": 0},
            "margin_scale of MIPLMA must be a number >= 1e-06; got 0.",
        ),
        (
            {"standardise": "both"},
            "standardise of MIPLMA must be one of 'scores', 'attention', 'none'; "
            "got 'both'.",
        ),
        (
            {"margin": ["batch"]},
            "margin of MIPLMA must be one of 'batch', 'epoch', 'bag', 'mean', 'none'; "
            "got ['batch'].",
        ),
        ({"margin_ddof": 2}, "margin_ddof of MIPLMA must be one of 0, 1; got 2."),
        (
            {"shared_gate": "yes"},
            "shared_gate of MIPLMA must be True or False; got 'yes'.",
        ),
        (
            {"training": {"lr": 1}},
            "training of MIPLMA must be None or a Training; got {'lr': 1}.",
        ),
        (
            {"random_state": -1},
            "random_state of MIPLMA must be None or an integer >= 0 or a RandomState; "
            "got -1.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_by_fit_with_one_sentence(argument, sentence):
    model = MIPLMA(**argument)
    with pytest.raises(MiplError) as refused:
        model.fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_training_settings_are_reached_from_the_default_of_none():
    model = MIPLMA().set_params(training__lr=0.2, lam=3.0)
    assert (model.lam, model.training.lr) == (3.0, 0.2)
    own = MIPLMA()._default_training()
    assert model.training.get_params() == own.get_params() | {"lr": 0.2}
    assert clone(model).training.lr == 0.2
    released = MIPLMA.released().set_params(training__epochs=7)
    assert (released.training.epochs, released.training.batch_size) == (7, 1)


# -- presets -------------------------------------------------------------------------


def test_the_presets_differ_where_paper_and_program_differ():
    """Each pair is a row of the specification: paper, program."""
    paper, released = MIPLMA.paper().get_params(), MIPLMA.released().get_params()
    expected = {
        "standardise": ("attention", "scores"),
        "scale_scores": (False, True),
        "shared_gate": (False, True),
        "score_head": ("linear", "mlp"),
        "attention_bias": (False, True),
        "classifier": ("softmax", "sigmoid-softmax"),
        "margin": ("batch", "bag"),
        "margin_scale": (1.0, 0.5),
        "margin_ddof": (0, 1),
        "detach_spread": (False, True),
        "update_first": (True, False),
        "alpha_lag": (0, 1),
        "tau_lag": (0, 1),
        "dropout": (0.0, 0.5),
        "training__nesterov": (False, True),
        "training__batch_size": (None, 1),
    }
    for name, pair in expected.items():
        assert (paper[name], released[name]) == pair, name
    for preset in (paper, released):
        given = {name: preset[name] for name in ("tau", "tau_min", "tau_decay")}
        assert given == {"tau": 5.0, "tau_min": 0.1, "tau_decay": 0.95}
        assert (preset["width"], preset["training__epochs"]) == (128, 100)
        assert preset["training__momentum"] == 0.9
        assert preset["training__weight_decay"] == 1e-4
        assert preset["training__schedule"] == "cosine"


def test_the_thorough_form_is_the_same_method_trained_otherwise():
    usual, more = MIPLMA(), MIPLMA.thorough()
    own = usual.get_params(deep=False)
    assert more.get_params(deep=False) | {"training": None} == own
    before = usual._default_training().get_params()
    changed = {"epochs": 400, "instances_per_bag": 0.65}
    assert more.training.get_params() == before | changed
    assert MIPLMA.thorough(lam=1.0).lam == 1.0


def test_arguments_win_over_a_preset():
    model = MIPLMA.released(lam=2.0, dropout=0.0, width=64)
    assert (model.lam, model.dropout, model.width) == (2.0, 0.0, 64)
    assert model.classifier == "sigmoid-softmax"


@pytest.mark.parametrize(
    ("model", "steps"),
    [
        (MIPLMA.paper(), 1),
        (MIPLMA.paper(training=Training(batch_size=8)), 2),
        (MIPLMA.released(), 12),
        (MIPLMA(training=Training(batch_size=5)), 3),
    ],
)
def test_the_number_of_steps_of_an_epoch(model, steps, monkeypatch):
    seen = []
    take_step = loop.take_step

    def counted(fit, batch, clock):
        seen.append(clock.epoch)
        take_step(fit, batch, clock)

    monkeypatch.setattr(loop, "take_step", counted)
    fitted(model)
    assert seen == sorted([1, 2, 3] * steps)


def test_predictions_use_the_temperature_left_after_the_last_decay():
    for lag in (0, 1):
        model = fitted(MIPLMA(tau_lag=lag))
        assert np.isclose(model.tau_, model.tau * 0.95**3)


# -- ablations -----------------------------------------------------------------------


def test_mains_has_no_margin_loss():
    without = fitted(MIPLMA.released(margin="none", random_state=0))
    mains = fitted(method("miplma-mains", random_state=0))
    assert values(mains) == values(without)
    assert all(entry["margin"] == 0 for entry in mains.history_)
    assert [entry["tau"] for entry in mains.history_] == [5.0, 4.75, 4.5125]


def test_malab_has_a_temperature_of_one():
    malab = fitted(method("miplma-malab"))
    assert [entry["tau"] for entry in malab.history_] == [1.0, 1.0, 1.0]
    assert malab.tau_ == 1.0
    assert all(entry["margin"] > 0 for entry in malab.history_)


def test_woma_has_neither():
    woma = fitted(method("miplma-woma"))
    assert all(entry["margin"] == 0 and entry["tau"] == 1 for entry in woma.history_)


def test_mamm_has_the_mean_of_the_margins_alone():
    everything = tuple(range(12))
    mamm = fitted(method("miplma-mamm"), record_bags=everything)
    for entry, record in zip(mamm.history_, mamm.record_, strict=True):
        phi = 0.5 * (1 - record["best_candidate"] + record["best_other"])
        assert np.isclose(entry["margin"], mamm.lam * phi.mean(), rtol=1e-5)


def test_what_the_margin_is_taken_over():
    """All bags in one step: one number per epoch, recomputed from the records."""
    formulas = {
        "batch": lambda phi: phi.mean() / (1 - phi.std()),
        "epoch": lambda phi: phi.mean() / (1 - phi.std()),
        "mean": lambda phi: phi.mean(),
        "bag": lambda phi: (phi / 2 / (1 - phi / 2)).mean(),
    }
    everything = tuple(range(12))
    for kind, formula in formulas.items():
        model = MIPLMA(margin=kind, lam=0.7, margin_scale=0.5)
        fitted(model, record_bags=everything, batch_size=None, dtype="float64")
        for entry, record in zip(model.history_, model.record_, strict=True):
            phi = 0.5 * (1 - record["best_candidate"] + record["best_other"])
            assert np.isclose(entry["margin"], 0.7 * formula(phi)), kind


def test_statistics_over_the_epoch_remember_its_earlier_batches():
    model, other = MIPLMA(margin="epoch"), MIPLMA(margin="batch")
    assert values(fitted(model, batch_size=4)) != values(fitted(other, batch_size=4))
    whole = (fitted(clone(m), batch_size=None) for m in (model, other))
    assert values(next(whole)) == values(next(whole))


# -- what it learns ------------------------------------------------------------------


@pytest.mark.parametrize("reading", ["ours", "released", "paper"])
def test_it_learns_from_candidates(reading):
    train, test = load_dataset("synthetic", r=1).split(0)
    model = {
        "ours": MIPLMA(training=Training(epochs=30)),
        "released": MIPLMA.released(lam=0.5, training=Training(epochs=8, batch_size=1)),
        "paper": MIPLMA.paper().set_params(
            training__epochs=30, training__batch_size=16, training__lr=0.01
        ),
    }[reading]
    model.fit(train.bags, train.candidates)
    chance = 1 / len(train.classes)
    assert model.score(test.bags, test.labels) > 3 * chance


def test_features_are_scaled_by_the_training_instances():
    rows = np.concatenate(PROBLEM.bags).astype(float)
    model = fitted(MIPLMA())
    np.testing.assert_allclose(model.module_.scaling.mean, rows.mean(0), rtol=1e-5)
    np.testing.assert_allclose(model.module_.scaling.scale, rows.std(0), rtol=1e-5)
    plain = fitted(MIPLMA(scaling="none"))
    assert plain.module_.scaling.scale.tolist() == [1.0] * 4


def test_scaled_features_make_units_irrelevant():
    moved = [bag * np.float32(8.0) + np.float32(32.0) for bag in PROBLEM.bags]
    settings = Training(epochs=3, dtype="float64")
    one, other = (
        MIPLMA(width=6, training=settings).fit(bags, PROBLEM.y)
        for bags in (PROBLEM.bags, moved)
    )
    p, q = one.predict_proba(PROBLEM.bags), other.predict_proba(moved)
    np.testing.assert_allclose(p, q, atol=1e-4)


def test_bag_vectors_are_the_attention_times_the_embedding():
    model = fitted(MIPLMA())
    a, z = model.attend(PROBLEM.bags), model.transform(PROBLEM.bags)
    with torch.no_grad():
        x = torch.tensor(np.concatenate(PROBLEM.bags))
        h = model.module_.encoder(model.module_.scaling(x)).double().numpy()
    starts = np.cumsum([len(bag) for bag in PROBLEM.bags])[:-1]
    parts = zip(np.split(a, starts), np.split(h, starts), strict=True)
    naive = [weights @ rows for weights, rows in parts]
    np.testing.assert_allclose(z, naive, atol=1e-5)


def test_ours_starts_at_unit_spread_and_an_encoder_of_the_users_does_not():
    still = {"training__epochs": 1, "training__lr": 1e-12}
    module = fitted(MIPLMA(width=6, random_state=0).set_params(**still)).module_
    rows = torch.tensor(np.concatenate(PROBLEM.bags), dtype=torch.float32)
    h = module.encoder.feature(module.scaling(rows)).detach().numpy()
    np.testing.assert_allclose(h.mean(0), 0, atol=1e-4)
    np.testing.assert_allclose(h.std(0), 1, atol=1e-4)
    own = torch.nn.Linear(4, 3)
    kept = fitted(MIPLMA(encoder=own).set_params(**still)).module_.encoder.module
    np.testing.assert_allclose(kept.weight.detach(), own.weight.detach(), atol=1e-9)


def test_a_pickled_model_is_hardly_larger_than_its_numbers():
    model = MIPLMA(width=256, training=Training(epochs=1)).fit(PROBLEM.bags, PROBLEM.y)
    numbers = sum(p.numel() for p in model.module_.parameters())
    assert len(pickle.dumps(model)) < 4 * numbers + 20_000
