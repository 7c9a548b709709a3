"""Estimators fitted together end where each would end alone."""

from functools import partial

import numpy as np
import pytest
import torch
from sklearn.base import clone
from tests.training.test_batches import OnDisk
from tests.training.test_callbacks import Watcher

from mipl import (
    ABMIL,
    AGOPMIPL,
    CAVL,
    CDL,
    DEMIPL,
    ELIMIPL,
    HFCMIPL,
    LWS,
    MAAM,
    MIPLMA,
    PLSVM,
    POP,
    PRODEN,
    RC,
    Bags,
    Degraded,
    LossAttention,
    MiplError,
    ProMIPL,
    Training,
    fit_together,
)
from mipl.errors import Diverged
from mipl.methods.mipl.mean_pooling import MeanPooling
from mipl.methods.wrappers import together
from mipl.testing.checks.problem import make_problem
from mipl.training import loop
from mipl.training.stacked_batches import StackedBatch

READINGS = {
    "ours": (MIPLMA, 4),
    "paper": (MIPLMA.paper, None),
    "paper in batches": (MIPLMA.paper, 5),
    "released": (MIPLMA.released, 1),
    "demipl": (DEMIPL.released, 1),
    "demipl, paper": (DEMIPL.paper, 4),
    "elimipl": (ELIMIPL.released, 1),
    "elimipl, paper": (ELIMIPL.paper, 4),
    "cdl": (CDL, 4),
    "cdl, dam-cc": (partial(CDL, "dam", "cc"), 1),
    "promipl": (ProMIPL, 1),
    "promipl, in batches": (partial(ProMIPL, tau=0.5, update_first=True), 4),
    "abmil, several layers": (lambda width, **more: ABMIL(width=(9, width), **more), 4),
    "loss attention": (LossAttention, 1),
    "loss attention, in batches": (LossAttention, 4),
    "loss attention, means": (partial(LossAttention, instance_reduction="mean"), 4),
    "agopmipl": (partial(AGOPMIPL, hidden=9, prototypes=2), 4),
    "agopmipl, mixed": (
        partial(AGOPMIPL, prototypes=3, aggregation="linear", mode="concat"),
        1,
    ),
    "hfcmipl": (partial(HFCMIPL, neighbours=3, mu=0.5), 4),
    "hfcmipl, meant": (
        partial(
            HFCMIPL, instance_loss_on="kept", focus="entropy", nu=2.0, neighbours=2
        ),
        1,
    ),
    "maam": (partial(MAAM, lam=0.5), 4),
}


PURIFYING = partial(POP, theta=0.3, window=2, warm_up=1)


def ragged(seed, n_bags=13):
    """Return a problem with bags of 1 to 9 instances."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 10, size=n_bags)
    rows = rng.normal(size=(sizes.sum(), 6))
    sets = rng.random((n_bags, 4)) < 0.4
    sets[np.arange(n_bags), rng.integers(4, size=n_bags)] = True
    return Bags(rows, np.cumsum([0, *sizes])), sets


PROBLEMS = [ragged(seed) for seed in range(3)]


def build(make=MIPLMA, **arguments):
    settings = {"epochs": 4, "batch_size": 4, "dtype": "float64"}
    for name in list(arguments):
        if name.startswith("training__"):
            settings[name.removeprefix("training__")] = arguments.pop(name)
    return make(width=8, **arguments, training=Training(**settings))


def assert_as_alone(models, problems):
    """Compare all that a fit leaves behind with that of the fit alone."""
    for model, (bags, sets) in zip(models, problems, strict=True):
        alone = clone(model).fit(bags, sets)
        left = {name for name in vars(alone) if name.endswith("_")}
        assert {name for name in vars(model) if name.endswith("_")} == left
        ours, theirs = model.module_.state_dict(), alone.module_.state_dict()
        assert list(ours) == list(theirs)
        for name, value in theirs.items():
            torch.testing.assert_close(ours[name], value, rtol=1e-9, atol=1e-9)
        assert not model.module_.training
        np.testing.assert_allclose(
            model.label_weights_, alone.label_weights_, rtol=0, atol=1e-9
        )
        assert len(model.history_) == len(alone.history_)
        for here, there in zip(model.history_, alone.history_, strict=True):
            assert here == pytest.approx(there, rel=1e-8, abs=1e-9)
        np.testing.assert_allclose(
            model.predict_proba(bags), alone.predict_proba(bags), rtol=0, atol=1e-9
        )
        np.testing.assert_allclose(
            model.attend(bags), alone.attend(bags), rtol=0, atol=1e-8
        )
        assert (model.tau_, model.n_iter_) == (alone.tau_, alone.n_iter_)


@pytest.fixture
def stacks(monkeypatch):
    """Note the numbers of the estimators in each stack."""
    seen = []
    fit_stack = together._fit_stack
    monkeypatch.setattr(
        together, "_fit_stack", lambda jobs: seen.append(list(jobs)) or fit_stack(jobs)
    )
    return seen


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_as_alone(reading, dropout, stacks):
    make, batch_size = READINGS[reading]
    models = [
        build(make, dropout=dropout, random_state=seed, training__batch_size=batch_size)
        for seed in range(3)
    ]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, PROBLEMS)


def test_own_scaling(stacks):
    problems = [(bags.with_instances(3 + bags.instances), y) for bags, y in PROBLEMS]
    models = [build(scaling=one) for one in ("none", "standard", "auto")]
    fit_together(models, problems)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, problems)


def test_own_weights_of_hfcmipls_terms(stacks):
    weights = [(0.0, 0.5, 1.0, 0.2), (0.3, 0.0, 0.2, 1.0), (0.1, 2.0, 0.0, 0.0)]
    models = [
        build(HFCMIPL, lam=lam, nu=nu, kappa=kappa, mu=mu, neighbours=3)
        for lam, nu, kappa, mu in weights
    ]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, PROBLEMS)


def test_own_settings_of_a_round(stacks):
    rounds = {"training__rounds": 2, "training__order": "same"}
    models = [
        build(AGOPMIPL, mu=mu, gamma=gamma, training__warm_up=warm_up, **rounds)
        for mu, gamma, warm_up in [(0.0, 0.5, 0), (0.3, 0.0, 1), (1.0, 2.0, 2)]
    ]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, PROBLEMS)
    for model in models:
        assert not torch.equal(model.module_.metric.root, torch.eye(8))


@pytest.mark.parametrize("margin", ["batch", "epoch", "bag", "mean", "none"])
def test_own_settings(margin, stacks):
    models = [
        build(margin=margin, lam=lam, training__lr=lr, training__clip=clip, **more)
        for lam, lr, clip, more in [
            (0.1, 0.1, None, {"training__weight_decay": 0.1}),
            (3.0, 0.02, 0.5, {"training__nesterov": False}),
            (0.0, 0.3, 0.01, {"training__schedule": "constant"}),
        ]
    ]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, PROBLEMS)


def test_weights_of_the_instances_loss_may_differ(stacks):
    models = [build(LossAttention, lam=lam) for lam in (0.0, 0.3, 2.0)]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, PROBLEMS)


def test_one_logit_for_two_classes(stacks):
    problems = [(bags, sets[:, 0].astype(int)) for bags, sets in PROBLEMS]
    models = [build(ABMIL, head="sigmoid", random_state=i) for i in range(3)]
    fit_together(models, problems)
    assert stacks == [[0, 1, 2]]
    assert_as_alone(models, problems)


def test_bags_of_equal_size_need_no_padding():
    rng = np.random.default_rng(0)
    problems = [(rng.normal(size=(8, 5, 3)), rng.integers(2, size=8)) for _ in range(2)]
    models = [build(), build(random_state=1)]
    fit_together(models, problems)
    assert_as_alone(models, problems)


def test_recorded_bags():
    models = [build(training__record_bags=[i, 7]) for i in range(3)]
    fit_together(models, PROBLEMS)
    for model, (bags, sets) in zip(models, PROBLEMS, strict=True):
        for here, there in zip(
            model.record_, clone(model).fit(bags, sets).record_, strict=True
        ):
            for name, value in there.items():
                np.testing.assert_allclose(here[name], value, rtol=0, atol=1e-9)


def test_only_what_fits_is_stacked(stacks):
    images = Bags(np.random.default_rng(0).random((6, 1, 28, 28)), [0, 2, 4, 6])
    own = build(encoder=torch.nn.Linear(6, 8).double())
    cases = [
        (build(), PROBLEMS[0]),
        (build(dropout=0.1), PROBLEMS[0]),
        (build(), ragged(4, n_bags=9)),
        (build(training__stop_on="covering_rate"), PROBLEMS[0]),
        (build(training__batch_instances=9), PROBLEMS[0]),
        (own, PROBLEMS[0]),
        (clone(own), PROBLEMS[0]),
        (build(training__epochs=2), (images, [0, 1, 0])),
        (build(training__epochs=2), (images, [0, 1, 0])),
        (MeanPooling(), PROBLEMS[0]),
        (build(lam=2.0), PROBLEMS[1]),
    ]
    models, problems = zip(*cases, strict=True)
    fit_together(models, problems)
    assert stacks == [[0, 3, 10]]
    for model, (bags, sets) in cases:
        np.testing.assert_allclose(
            model.predict_proba(bags),
            clone(model).fit(bags, sets).predict_proba(bags),
            rtol=0,
            atol=1e-9,
        )


@pytest.mark.parametrize("reading", ["ours", "released", "loss attention"])
@pytest.mark.parametrize(("dtype", "gap"), [("float64", 1e-12), ("float32", 1e-6)])
@pytest.mark.parametrize("per_bag", [3, 0.4])
def test_each_run_draws_the_instances_that_it_would_draw_alone(
    reading, dtype, gap, per_bag, stacks
):
    make, batch_size = READINGS[reading]
    own = {"training__instances_per_bag": per_bag, "training__dtype": dtype}
    own |= {"training__batch_size": batch_size, "training__lr": 0.01}
    models = [build(make, random_state=seed, **own) for seed in range(3)]
    whole = build(make, random_state=0, **own | {"training__instances_per_bag": None})
    fit_together([*models, whole], [*PROBLEMS, PROBLEMS[0]])
    assert stacks == [[0, 1, 2]]
    for model, (bags, sets) in zip(models, PROBLEMS, strict=True):
        alone = clone(model).fit(bags, sets)
        for name, value in alone.module_.state_dict().items():
            here = model.module_.state_dict()[name]
            torch.testing.assert_close(here, value, rtol=gap, atol=gap)
        np.testing.assert_allclose(
            model.label_weights_, alone.label_weights_, rtol=0, atol=gap
        )
    first, all_of_them = (
        one.predict_proba(PROBLEMS[0][0]) for one in (models[0], whole)
    )
    assert np.abs(first - all_of_them).max() > 10 * gap


STOPPING = [
    {"stop_on": "covering_rate", "patience": 1},
    {"stop_on": "margin_violation_rate", "patience": 2},
    {"stop_on": "approximated_accuracy", "patience": 3},
    {"stop_on": "margin_violation_rate", "patience": 20, "lr": 0.01},
]


@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_each_run_stops_when_it_would_stop_alone(optimiser, stacks, monkeypatch):
    sizes = []
    take_step = loop.take_step

    def watched(fit, batch, clock):
        sizes.append(len(batch.candidates) if isinstance(batch, StackedBatch) else 0)
        take_step(fit, batch, clock)

    monkeypatch.setattr(loop, "take_step", watched)
    models = []
    for seed, own in enumerate(STOPPING):
        settings = {"epochs": 20, "holdout": 0.3, "optimiser": optimiser, **own}
        given = {f"training__{name}": value for name, value in settings.items()}
        models.append(build(lam=0.1 * seed, random_state=seed, **given))
    problems = [PROBLEMS[0], *PROBLEMS]
    fit_together(models, problems)
    assert stacks == [[0, 1, 2, 3]]
    lengths = {model.n_iter_ for model in models}
    assert len(lengths) > 2 and max(lengths) > min(lengths) + 2
    # What has stopped no longer costs anything, once half of a stack has.
    assert sizes[0] == 4 and sizes[-1] < 3 and sizes == sorted(sizes, reverse=True)
    assert_as_alone(models, problems)
    for model, (bags, sets) in zip(models, problems, strict=True):
        assert model.best_epoch_ == clone(model).fit(bags, sets).best_epoch_


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize(("dtype", "gap"), [("float64", 1e-12), ("float32", 1e-4)])
@pytest.mark.parametrize("most", [None, 3])
def test_a_stack_of_one_is_a_fit_alone(reading, dtype, gap, most, monkeypatch):
    """What it sees is the same to the bit; a product of stacks is rounded otherwise.

    Where a number falls on the other side of a kink, float32 ends a bit farther off.
    """
    visits = []
    take_step = loop.take_step

    def watched(fit, batch, clock):
        n = batch.segments.sizes[: len(batch)].sum()  # Without the padding.
        seen = batch.x[:n], batch.bags, batch.candidates.view(len(batch), -1)
        w = fit.weights(batch).view(len(batch), -1)
        first = [w] if clock.epoch == 1 else []
        visits.append([value.clone() for value in (*seen, *first)])
        take_step(fit, batch, clock)

    monkeypatch.setattr(loop, "take_step", watched)
    make, batch_size = READINGS[reading]
    own = {"training__dtype": dtype, "training__instances_per_bag": most}
    own |= {"training__batch_size": batch_size, "training__lr": 0.01}
    model = build(make, random_state=1, scaling="none", **own)
    alone = clone(model).fit(*PROBLEMS[1])
    of_one, visits[:] = list(visits), []
    together._fit_stack({0: together._Job(model, *PROBLEMS[1])})
    for here, there in zip(visits, of_one, strict=True):
        assert all(map(torch.equal, here, there))
    for name, value in alone.module_.state_dict().items():
        here = model.module_.state_dict()[name]
        torch.testing.assert_close(here, value, rtol=gap, atol=gap)
    np.testing.assert_allclose(
        model.label_weights_, alone.label_weights_, rtol=0, atol=gap
    )


def test_large_groups_are_cut(stacks, monkeypatch):
    models = [build(random_state=i) for i in range(5)]
    monkeypatch.setattr(together, "_BAGS", 2 * models[0].training.batch_size)
    problems = [PROBLEMS[0]] * 5
    fit_together(models, problems)
    assert stacks == [[0, 1], [2, 3]]
    assert_as_alone(models, problems)


@pytest.mark.parametrize("reduction", ["mean", "maxmin"])
@pytest.mark.parametrize("network", [PRODEN, RC, LWS, CAVL, PURIFYING])
def test_degraded_as_alone(network, reduction, stacks):
    models = [
        Degraded(build(network, random_state=seed), reduction) for seed in range(3)
    ]
    fit_together(models, PROBLEMS)
    assert stacks == [[0, 1, 2]]
    for model, (bags, sets) in zip(models, PROBLEMS, strict=True):
        alone = clone(model).fit(bags, sets)
        left = {name for name in vars(alone) if name.endswith("_")}
        assert {name for name in vars(model) if name.endswith("_")} == left
        np.testing.assert_allclose(
            model.predict_proba(bags), alone.predict_proba(bags), rtol=0, atol=1e-9
        )
        np.testing.assert_allclose(
            model.label_weights_, alone.label_weights_, rtol=0, atol=1e-9
        )


def test_means_and_maxima_are_not_stacked(stacks):
    models = [Degraded(build(PRODEN), one) for one in ("mean", "maxmin")]
    fit_together([*models, Degraded(PLSVM(), "mean")], PROBLEMS)
    assert stacks == []
    assert all(hasattr(model.estimator_, "module_") for model in models)


def test_a_degraded_method_that_diverges_names_its_run():
    models = [Degraded(build(PRODEN, training__lr=lr)) for lr in (0.1, 1e200)]
    with pytest.raises(Diverged, match=r"^run 1: "):
        fit_together(models, PROBLEMS[:2])
    assert models[0].predict_proba(PROBLEMS[0][0]).shape == (13, 4)


def test_large_groups_of_vectors_are_cut(stacks, monkeypatch):
    models = [Degraded(build(PRODEN, random_state=i)) for i in range(5)]
    monkeypatch.setattr(together, "_NUMBERS", 2 * 4 * 6)  # Two runs, 4 rows, 6 columns.
    fit_together(models, [PROBLEMS[0]] * 5)
    assert stacks == [[0, 1], [2, 3]]


def test_bags_on_disk_are_read_as_they_are_alone(stacks):
    problems = [(Bags(OnDisk(b.instances), b.offsets), s) for b, s in PROBLEMS[:2]]
    models = [build(), build()]
    fit_together(models, problems)
    assert stacks == []
    assert_as_alone(models, problems)


def test_callbacks_hear_of_each_run_and_stop_their_own():
    models = [build(random_state=i) for i in range(3)]
    watchers = [Watcher(), Watcher(stop_after=2), Watcher()]
    problem = make_problem()
    problems = [(problem.bags, problem.y)] * 3
    for model, watcher in zip(models, watchers, strict=True):
        model.set_callbacks(watcher)
    fit_together(models, problems)
    epoch = ["begin epoch", "end epoch"]
    for model, watcher, epochs in zip(models, watchers, (4, 2, 4), strict=True):
        expected = ["setup", "begin fit", *epoch * epochs, "end fit", "teardown"]
        assert watcher.calls == expected
        assert watcher.figures == model.history_
        np.testing.assert_array_equal(
            watcher.predicted[-1], model.predict_proba(problem.bags)
        )
    for model, watcher in zip(models, (Watcher(), Watcher(2), Watcher()), strict=True):
        model.set_callbacks(watcher)
    assert_as_alone([models[0], models[2]], problems[:2])


def test_models_do_not_share_memory(tmp_path):
    models = [build(random_state=i) for i in range(3)]
    fit_together(models, PROBLEMS)
    held = [
        {v.untyped_storage().data_ptr() for v in model.module_.state_dict().values()}
        for model in models
    ]
    assert not held[0] & held[1]
    assert len(held[0]) == len(models[0].module_.state_dict())
    models[0].save(tmp_path / "model")


def test_a_loss_that_is_not_finite_names_its_run():
    models = [build(training__lr=lr) for lr in (0.1, 0.1, 1e200)]
    with pytest.raises(Diverged, match=r"^run 2: .*epoch 1.*lower training__lr"):
        fit_together(models, PROBLEMS)
    assert_as_alone(models[:2], PROBLEMS[:2])
    assert not [name for name in vars(models[2]) if name.endswith("_")]


def test_a_run_that_diverges_later_keeps_its_last_good_epoch():
    models = [build(MIPLMA.released, training__lr=lr) for lr in (0.1, 1e20)]
    with pytest.raises(Diverged) as together:
        fit_together(models, PROBLEMS[:2])
    alone = clone(models[1])
    with pytest.raises(Diverged) as caught:
        alone.fit(*PROBLEMS[1])
    assert str(together.value) == f"run 1: {caught.value}"
    assert 0 < models[1].n_iter_ == alone.n_iter_
    assert_as_alone(models[:1], PROBLEMS[:1])


def test_what_is_given_is_checked():
    with pytest.raises(MiplError, match="2 estimators and 3 problems"):
        fit_together([build(), build()], PROBLEMS)
    model = build()
    with pytest.raises(MiplError, match="different objects"):
        fit_together([model, model], PROBLEMS[:2])
    with pytest.raises(MiplError, match="lam of MIPLMA must be a number"):
        fit_together([build(lam=-1.0), build()], PROBLEMS[:2])
    fit_together([], [])


def test_every_run_that_diverged_is_told():
    X, y = ragged(0)
    models = [
        MIPLMA(width=8, training=Training(epochs=2, lr=lr)) for lr in (1e30, 0.1, 1e35)
    ]
    with pytest.raises(Diverged, match="run 0: ") as told:
        fit_together(models, [(X, y)] * 3)
    assert set(told.value.runs) == {0, 2}
    assert all("became" in sentence for sentence in told.value.runs.values())
