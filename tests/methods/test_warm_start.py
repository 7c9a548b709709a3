"""Warm starts, against rounds of one training and against what stays in memory."""

import numpy as np
import pytest
import torch
from tests.methods.settings import PARTIAL, TWO_CLASS, own_ids, small

from mipl import (
    ABMIL,
    MIPLGP,
    MIPLMA,
    PLSVM,
    PRODEN,
    Bags,
    Checkpoint,
    Degraded,
    Ensemble,
    OneVsRest,
    Run,
    Training,
    load_dataset,
    load_model,
    method,
)
from mipl.errors import Diverged, MiplError
from mipl.objectives import copies, weighted_log_loss

WITHOUT = ("miplgp", "pl-aggd", "pl-svm", "mean-pooling", "m3pl", *TWO_CLASS)
SEVERAL = ("miplma-ensemble",)
WARM = [id for id in own_ids() if id not in (*WITHOUT, *SEVERAL)]
TRAIN, TEST = load_dataset("synthetic", r=1).split(0)
OTHER, _ = load_dataset("synthetic", r=1, seed=1).split(1)
# A step of it is less than half of the last digit of any number but zero.
STILL = 1e-37


def made(id):
    return small(id, reduction="mean") if id in PARTIAL else small(id)


def inner(model):
    return getattr(model, "estimator_", model)


def named(model, name):
    return f"estimator__{name}" if hasattr(model, "estimator") else name


def warm(model, **more):
    wanted = {"warm_start": True, **more}
    return model.set_params(**{named(model, n): one for n, one in wanted.items()})


def fitted(model, data=TRAIN, **more):
    return model.fit(data.bags, data.candidates, **more)


def values(model):
    return {n: v.numpy().copy() for n, v in inner(model).module_.state_dict().items()}


def same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize("id", WARM)
def test_steps_of_no_length_leave_the_network_what_it_was(id):
    model = fitted(made(id))
    before, epochs = values(model), inner(model).n_iter_
    warm(model, training__lr=STILL, training__weight_decay=0.0, training__epochs=1)
    fitted(model)
    after = values(model)
    learnt = {n for n, _ in inner(model).module_.named_parameters()}
    same({n: before[n] for n in learnt}, {n: after[n] for n in learnt})
    assert inner(model).n_iter_ == epochs + 1


@pytest.mark.parametrize("id", WARM)
def test_a_model_from_a_file_goes_on_to_the_same_bits(id, tmp_path):
    model = fitted(made(id))
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    fitted(warm(model))
    fitted(warm(again))
    same(values(model), values(again))
    np.testing.assert_array_equal(
        inner(model).label_weights_, inner(again).label_weights_
    )
    assert inner(model).history_ == inner(again).history_
    first = fitted(made(id))
    assert any((values(first)[n] != v).any() for n, v in values(model).items())


# Neither counts epochs by itself: what begins anew is what begins with each round.
NO_CLOCK = {
    "proden": PRODEN(backbone="mlp", width=(8, 6)),
    "abmil": ABMIL(width=8, attention_width=4, dropout=0.3),
}


@pytest.mark.parametrize("id", NO_CLOCK)
@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
@pytest.mark.parametrize("drawn", [None, 2])
def test_twice_as_many_epochs_are_two_rounds_of_one_training(id, optimiser, drawn):
    data = TRAIN
    if id == "proden":
        rows = Bags([bag[:1] for bag in TRAIN.bags])
        bags, drawn = rows, None
    else:
        bags = data.bags
    options = Training(
        epochs=4, optimiser=optimiser, lr=0.02, batch_size=8, instances_per_bag=drawn
    )
    parts = NO_CLOCK[id].set_params(training=options, warm_start=True, random_state=3)
    parts = type(parts)(**parts.get_params(deep=False))
    parts.fit(bags, data.candidates).fit(bags, data.candidates)
    options = Training(**{**options.get_params(), "epochs": 8, "rounds": 2})
    whole = type(parts)(**{**parts.get_params(deep=False), "training": options})
    whole.fit(bags, data.candidates)
    same(values(parts), values(whole))
    np.testing.assert_array_equal(parts.label_weights_, whole.label_weights_)
    assert parts.history_ == whole.history_
    assert parts.n_iter_ == parts.best_epoch_ == 8


def test_the_first_loss_is_that_of_the_learnt_network():
    model = ABMIL(
        width=8, dropout=0.0, training=Training(epochs=5, lr=0.2, batch_size=16)
    )
    log_p = np.log(fitted(model).predict_proba(TRAIN.bags))
    w, sets = TRAIN.candidates.initial_weights(), TRAIN.candidates.matrix
    targets = copies(torch.tensor(w), torch.tensor(sets))
    expected = float(weighted_log_loss(torch.tensor(log_p), targets).mean())
    warm(model, training__batch_size=None)
    fitted(model)
    line = model.history_[5]
    assert line["epoch"] == 6
    assert line["classification"] == pytest.approx(expected, rel=1e-5)
    assert expected < 0.9 * model.history_[0]["classification"]


def test_label_weights_go_on_with_the_same_bags_and_begin_anew_with_others():
    options = Training(epochs=3, batch_size=8)
    still = {"training__lr": STILL, "training__weight_decay": 0.0}
    model = fitted(MIPLMA(width=8, training=options))
    learnt = model.label_weights_.copy()
    even = TRAIN.candidates.initial_weights()
    assert np.abs(learnt - even).max() > 0.05
    # In the first epoch MIPLMA keeps all of what was believed.
    one_epoch = {"training__epochs": 1, **still}
    fitted(warm(model, **one_epoch))
    np.testing.assert_array_equal(model.label_weights_, learnt)
    fitted(warm(model, **one_epoch), OTHER)
    anew = OTHER.candidates.initial_weights()
    np.testing.assert_array_equal(model.label_weights_, anew)


def test_bags_of_no_weight_keep_what_was_believed_of_them():
    model = fitted(MIPLMA(width=8, training=Training(epochs=3, batch_size=8)))
    learnt = model.label_weights_.copy()
    weighed = np.ones(len(TRAIN))
    weighed[[0, 7]] = 0.0
    fitted(warm(model), sample_weight=weighed)
    moved = (model.label_weights_ != learnt).any(axis=1)
    np.testing.assert_array_equal(moved, weighed > 0)


def test_scaling_stays_that_of_the_first_bags():
    model = fitted(MIPLMA(width=4, training=Training(epochs=1)))
    before = values(model)
    larger = Bags([5 * bag + 1 for bag in OTHER.bags])
    warm(model).fit(larger, OTHER.candidates)
    for name in ("scaling.mean", "scaling.scale"):
        np.testing.assert_array_equal(values(model)[name], before[name])


class StopAfter:
    """Ctrl-C once so many epochs are done."""

    def __init__(self, epochs):
        self.epochs = epochs

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata):
        if (metadata or {}).get("figures", {}).get("epoch") == self.epochs:
            raise KeyboardInterrupt


def test_an_interrupted_warm_start_resumes_to_the_same_bits(tmp_path):
    options = Training(epochs=4, batch_size=8)
    start = fitted(MIPLMA(width=8, training=options, random_state=0))
    start.save(tmp_path / "start")
    kept = Checkpoint(tmp_path / "kept", every=1)
    whole = fitted(warm(load_model(tmp_path / "start")))
    broken = warm(load_model(tmp_path / "start"))
    broken.set_callbacks(StopAfter(6))
    with pytest.raises(KeyboardInterrupt):
        fitted(broken, checkpoint=kept)
    assert kept.path.exists()
    assert broken.n_iter_ == 6
    again = fitted(warm(load_model(tmp_path / "start")), checkpoint=kept)
    same(values(again), values(whole))
    assert again.history_ == whole.history_
    # A checkpoint of it is that of no other start.
    with pytest.raises(MiplError, match="its epochs before is 4, here it is absent"):
        fitted(MIPLMA(width=8, training=options, random_state=0), checkpoint=kept)
    other = fitted(MIPLMA(width=8, training=options, random_state=1))
    with pytest.raises(MiplError, match="its learnt before is"):
        fitted(warm(other, random_state=0), checkpoint=kept)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": 9}, "with the network that was learnt"),
        ({"dropout": 2.0}, "dropout"),
    ],
)
def test_a_refused_warm_start_leaves_the_model_as_it_was(change, words):
    model = fitted(MIPLMA(width=8, training=Training(epochs=2)))
    before = model.predict_proba(TEST.bags)
    warm(model).set_params(**change)
    with pytest.raises(MiplError, match=words):
        fitted(model)
    np.testing.assert_array_equal(model.predict_proba(TEST.bags), before)


def test_other_features_and_other_classes_are_refused():
    model = warm(fitted(MIPLMA(width=8, training=Training(epochs=2))))
    with pytest.raises(MiplError, match="features"):
        model.fit([bag[:, 1:] for bag in TRAIN.bags], TRAIN.candidates)
    with pytest.raises(MiplError, match="class"):
        model.fit(TRAIN.bags, [["foreign"]] * len(TRAIN))
    some = TRAIN.classes[:2].tolist()
    few = [some] * len(TRAIN)
    assert model.fit(TRAIN.bags, few).classes_.tolist() == TRAIN.classes.tolist()


def test_what_diverges_at_once_stays_what_was_learnt():
    model = fitted(MIPLMA(width=8, training=Training(epochs=2)))
    before = values(model)
    p = model.predict_proba(TEST.bags)
    warm(model, training__lr=1e30, training__clip=None)
    with pytest.raises(Diverged):
        fitted(model)
    same(values(model), before)
    np.testing.assert_array_equal(model.predict_proba(TEST.bags), p)
    assert model.n_iter_ == 2


@pytest.mark.parametrize("id", [id for id in WITHOUT if id not in TWO_CLASS])
def test_methods_without_a_network_say_that_they_begin_anew(id):
    more = {"reduction": "mean"} if id in PARTIAL else {}
    with pytest.raises(MiplError, match="has no warm_start: it begins every fit anew"):
        method(id, warm_start=True, **more)


def test_constructors_and_settings_say_so_too():
    for kind in (MIPLGP, PLSVM):
        with pytest.raises(TypeError, match=f"{kind.__name__} has no warm_start: it"):
            kind(warm_start=True)
    with pytest.raises(MiplError, match="MIPLGP has no warm_start"):
        MIPLGP().set_params(warm_start=True)
    with pytest.raises(TypeError, match="estimator__warm_start"):
        Degraded(PRODEN(), warm_start=True)


@pytest.mark.parametrize("around", [Ensemble, OneVsRest])
def test_what_is_cloned_begins_anew_and_says_so(around):
    model = around(MIPLMA(width=4, training=Training(epochs=1), warm_start=True))
    for weight in (None, np.arange(len(TRAIN))):
        if around is OneVsRest and weight is not None:
            continue
        given = {} if weight is None else {"sample_weight": weight}
        with pytest.raises(MiplError, match="begin anew each; leave warm_start out"):
            fitted(model, **given)


def test_a_run_has_nothing_to_go_on_from():
    run = Run("miplma", "synthetic", {"warm_start": True})
    with pytest.raises(MiplError, match="begin anew each; leave warm_start out"):
        run.build()
