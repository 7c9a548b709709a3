"""Ensemble: means of members that are what each would be alone.

It keeps the contracts of all methods: see ``test_estimators``.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from tests.methods.saving.test_foreign_files import alter, put
from tests.methods.wrappers.test_one_vs_rest import Impatient, Told
from tests.training.test_callbacks import Watcher

from mipl import (
    MIPLMA,
    PRODEN,
    VGPMIL,
    Bags,
    Degraded,
    Ensemble,
    MiplError,
    OneVsRest,
    Training,
    load_model,
    method,
)
from mipl.errors import BadFile, Diverged
from mipl.methods.bases.base import BagClassifier
from mipl.methods.wrappers import ensemble, learners, together
from mipl.seeds import stream_seed
from mipl.testing import CHECKS
from mipl.testing.checks.problem import make_problem
from mipl.training.sealed import seal, unseal

NETWORK = MIPLMA(width=4, training=Training(epochs=3, batch_size=8), random_state=7)
PROCESS = VGPMIL(inducing=10, iterations=4, random_state=7)
VECTORS = Degraded(PRODEN(training=Training(epochs=3, batch_size=8)))
PROBLEM, OTHER = make_problem(), make_problem(seed=1)


def fitted(n=3, inner=NETWORK, **how):
    return Ensemble(clone(inner), n=n).fit(PROBLEM.bags, PROBLEM.y, **how)


@pytest.mark.parametrize("inner", [VECTORS, OneVsRest(PROCESS)], ids=["vectors", "ovr"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags_around_other_methods(check, inner):
    check(Ensemble(inner, n=2))


# -- members ---------------------------------------------------------------------------


def test_each_member_is_what_its_own_seed_makes_alone():
    model = fitted()
    seeds = [7, stream_seed(7, "member", 1), stream_seed(7, "member", 2)]
    assert [member.random_state for member in model.members_] == seeds
    for member, seed in zip(model.members_, seeds, strict=True):
        alone = clone(NETWORK).set_params(random_state=seed)
        p = alone.fit(PROBLEM.bags, PROBLEM.y).predict_proba(OTHER.bags)
        np.testing.assert_allclose(member.predict_proba(OTHER.bags), p, atol=1e-5)
    first, second, third = (m.predict_proba(OTHER.bags) for m in model.members_)
    assert min(abs(first - second).max(), abs(second - third).max()) > 1e-3


def test_one_alone_is_the_estimator_to_the_bit():
    alone = clone(NETWORK).fit(PROBLEM.bags, PROBLEM.y)
    model = fitted(1)
    p = alone.predict_proba(OTHER.bags)
    np.testing.assert_array_equal(model.predict_proba(OTHER.bags), p)
    assert (model.predict_spread(OTHER.bags) == 0).all()


def test_more_members_keep_those_that_are_there():
    few, many = fitted(2), fitted(4)
    for one, same in zip(few.members_, many.members_, strict=False):
        p = one.predict_proba(OTHER.bags)
        np.testing.assert_allclose(same.predict_proba(OTHER.bags), p, atol=1e-5)


def test_seeds_inside_other_wrappers_are_derived_too():
    model = fitted(2, Degraded(PRODEN(training=Training(epochs=2), random_state=3)))
    seeds = [member.estimator.random_state for member in model.members_]
    assert seeds == [3, stream_seed(3, "member", 1)]


def test_a_generator_of_the_callers_is_drawn_from_once():
    ours, theirs = (np.random.RandomState(0) for _ in range(2))
    inner = clone(NETWORK).set_params(random_state=ours)
    model = Ensemble(inner, n=2).fit(PROBLEM.bags, PROBLEM.y)
    seed = theirs.randint(np.iinfo(np.int32).max)
    assert model.seeds_ == {"random_state": seed}
    assert ours.randint(100) == theirs.randint(100)


def test_networks_are_trained_together_and_others_one_after_another(monkeypatch):
    stacks = []
    fit_stack = together._fit_stack
    monkeypatch.setattr(
        together, "_fit_stack", lambda jobs: stacks.append(len(jobs)) or fit_stack(jobs)
    )
    fitted(5)
    fitted(10)
    assert stacks == [5, 5, 5]
    fitted(2, OneVsRest(PROCESS))
    assert stacks == [5, 5, 5]


# -- what it says ----------------------------------------------------------------------


def test_it_says_the_mean_of_its_members():
    model = fitted()
    for name in ("predict_proba", "attend", "predict_instances"):
        each = [getattr(member, name)(OTHER.bags) for member in model.members_]
        mean = (each[0] + each[1] + each[2]) / 3
        np.testing.assert_allclose(getattr(model, name)(OTHER.bags), mean, atol=1e-12)
    each = [member.label_weights_ for member in model.members_]
    np.testing.assert_allclose(model.label_weights_, sum(each) / 3, atol=1e-12)
    sums = np.add.reduceat(model.attend(OTHER.bags), Bags(OTHER.bags).offsets[:-1])
    np.testing.assert_allclose(sums, 1)


def test_the_spread_is_the_deviation_of_the_members():
    model = fitted()
    each = np.array([member.predict_proba(OTHER.bags) for member in model.members_])
    variance = ((each - each.mean(axis=0)) ** 2).sum(axis=0) / 3
    spread = model.predict_spread(OTHER.bags)
    np.testing.assert_allclose(spread**2, variance, atol=1e-15)
    model.calibrate(OTHER.bags, labels=OTHER.labels)
    np.testing.assert_array_equal(model.predict_spread(OTHER.bags), spread)


def test_ranks_are_those_of_the_mean_attention():
    model = fitted()
    a, ranks = model.attend(OTHER.bags), model.attend(OTHER.bags, scale="rank")
    for first, stop in zip(
        *(Bags(OTHER.bags).offsets[i:] for i in (0, 1)), strict=False
    ):
        order = np.argsort(a[first:stop])
        assert (np.diff(ranks[first:stop][order]) > 0).all()


def test_it_has_what_its_estimator_has():
    assert not hasattr(Ensemble(VECTORS), "attend")
    assert not hasattr(Ensemble(VECTORS), "predict_instances")
    assert hasattr(Ensemble(OneVsRest(PROCESS)), "predict_instances")
    assert not hasattr(fitted(2, OneVsRest(PROCESS)), "label_weights_")


def test_two_classes_stay_two():
    with pytest.raises(MiplError, match="OneVsRest"):
        fitted(2, PROCESS)
    two = make_problem(names=("elm", "oak"))
    assert Ensemble(PROCESS, n=2).fit(two.bags, two.y).predict(two.bags).shape == (15,)


# -- building --------------------------------------------------------------------------


def test_arguments_reach_into_the_method():
    model = Ensemble(clone(NETWORK)).set_params(n=2, estimator__training__lr=0.2)
    assert (model.n, model.estimator.training.lr) == (2, 0.2)
    assert clone(model).get_params()["estimator__training__lr"] == 0.2
    search = GridSearchCV(Ensemble(clone(NETWORK)), {"n": [1, 2]}, cv=2)
    best = search.fit(PROBLEM.bags, PROBLEM.labels).best_estimator_
    assert len(best.members_) == best.n == search.best_params_["n"]


def test_by_its_id():
    model = method("miplma-ensemble", n=2, width=4, training__epochs=2)
    assert repr(model) == repr(
        Ensemble(MIPLMA(width=4, training=model.estimator.training), n=2)
    )
    inside = method("miplma-ensemble", one_vs_rest=True, width=4, n=3, n_jobs=2)
    assert (inside.n, inside.estimator.n_jobs) == (3, 2)
    assert inside.estimator.estimator.width == 4
    with pytest.raises(MiplError, match="unknown argument of miplma-ensemble 'widht'"):
        method("miplma-ensemble", widht=4)


class Stubborn(BagClassifier):
    """Draws nothing."""


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Ensemble(5), "estimator of Ensemble must be a bag method, such as MIPLMA"),
        (Ensemble(NETWORK, n=0), "n of Ensemble must be an integer >= 1; got 0"),
        (Ensemble(Stubborn()), "estimator of Ensemble must draw at random"),
        (Ensemble(MIPLMA(width=0)), "width of MIPLMA must be"),
    ],
)
def test_wrong_arguments_are_told(model, sentence):
    with pytest.raises(MiplError, match=sentence):
        model.fit(PROBLEM.bags, PROBLEM.y)


def test_a_member_that_diverges_is_named_and_leaves_nothing_behind():
    model = Ensemble(clone(NETWORK).set_params(training__lr=1e30), n=3)
    with pytest.raises(Diverged, match=r"^member 1 of 3: .*lower training__lr"):
        model.fit(PROBLEM.bags, PROBLEM.y)
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.bags)


# -- progress and files ----------------------------------------------------------------


def test_callbacks_hear_of_every_member():
    heard = []

    class Hears(Watcher):
        def on_fit_task_end(self, estimator, context, *, metadata, fitted_estimator):
            if context.task_name == "member":
                p = fitted_estimator.predict_proba(PROBLEM.bags)
                heard.append((metadata["figures"], p))
            return True  # A wish to stop, which is not heard.

    model = Ensemble(clone(NETWORK), n=3).set_callbacks(Hears())
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert [figures for figures, _ in heard] == [{"member": i} for i in (1.0, 2.0, 3.0)]
    each = [member.predict_proba(PROBLEM.bags) for member in model.members_]
    for i, (_, p) in enumerate(heard):
        np.testing.assert_allclose(p, np.mean(each[: i + 1], axis=0), atol=1e-12)


def test_epochs_of_the_members_are_passed_on():
    seen = []

    class Epochs(Told):
        def on_fit_task_end(self, estimator, context, *, metadata):
            if context.task_name == "epoch":
                assert context.parent.source_task_name == "member"
                seen.append((context.parent.task_id, metadata["figures"]["epoch"]))

    model = Ensemble(clone(NETWORK), n=2).set_callbacks(Epochs())
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert sorted(seen) == [(i, float(e)) for i in (0, 1) for e in (1, 2, 3)]
    assert not any(hasattr(member, "_skl_callbacks") for member in model.members_)


@pytest.mark.parametrize(
    "inner", [NETWORK, VECTORS, OneVsRest(PROCESS)], ids=["network", "vectors", "ovr"]
)
def test_a_saved_model_says_the_same_bit_for_bit(inner, tmp_path):
    model = fitted(2, inner).calibrate(OTHER.bags, labels=OTHER.labels)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert repr(again) == repr(model) and again.seeds_ == model.seeds_
    for name in ("predict_proba", "predict_spread"):
        here, there = (getattr(m, name)(OTHER.bags) for m in (model, again))
        np.testing.assert_array_equal(here, there)
    again.save(tmp_path / "again")
    told = [
        (tmp_path / n / "model.safetensors").read_bytes() for n in ("model", "again")
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (("learnt",), [0], "members"),
        (("learnt",), [0, 1, 7], "learner of number 7"),
        (("seeds",), {}, "its seeds are not those"),
        (("seeds",), {"width": 3}, "its seeds are not those"),
        (("seeds",), {"random_state": -1}, "its seeds is damaged"),
        (("1", "n_features"), 3, "its array 'module."),
        (("1", "classes", "values"), ["ash", "elm", "oak"], "not fitted on the same"),
    ],
)
def test_forged_members_are_refused(path, value, sentence, tmp_path):
    fitted(2).save(tmp_path / "model")
    alter(tmp_path / "model", facts=put("facts", *path, value))
    with pytest.raises(MiplError, match=sentence):
        load_model(tmp_path / "model")


def interrupted(model, path):
    """Fit, with Ctrl-C after the first members that are ready."""
    model = clone(model).set_callbacks(Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.bags)


def test_only_members_that_were_not_ready_are_learnt_again(tmp_path, monkeypatch):
    monkeypatch.setattr(learners, "_TOGETHER", 2)
    groups = []
    fit_all = ensemble.fit_together
    monkeypatch.setattr(
        ensemble,
        "fit_together",
        lambda models, problems: (
            groups.append(len(models)) or fit_all(models, problems)
        ),
    )
    path = tmp_path / "x.checkpoint"
    interrupted(Ensemble(NETWORK, n=6), path)
    p = fitted(6, checkpoint=path).predict_proba(OTHER.bags)
    assert groups == [2, 2, 2]
    np.testing.assert_array_equal(p, fitted(6).predict_proba(OTHER.bags))


def test_members_of_another_fit_are_refused(tmp_path):
    path = tmp_path / "x.checkpoint"
    interrupted(Ensemble(NETWORK, n=2), path)
    for other, told in (
        (Ensemble(NETWORK, n=3), "its n is 2, here it is 3"),
        (Ensemble(clone(NETWORK).set_params(lam=0.1), n=2), "its estimator.lam is"),
        (Ensemble(clone(NETWORK).set_params(random_state=8), n=2), "estimator.random_"),
    ):
        with pytest.raises(MiplError, match=f"checkpoint of another run: .*{told}"):
            other.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    arrays, facts = unseal(path, path.read_bytes())
    path.write_bytes(seal(arrays, {**facts, "learnt": [7]}))
    with pytest.raises(BadFile, match=r"x.checkpoint is damaged: it has a learner"):
        Ensemble(NETWORK, n=2).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
