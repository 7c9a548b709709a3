"""MIPLGP: arguments, readings, an iteration recomputed, inducing points, learning."""

import signal
import sys

import numpy as np
import pytest
import safetensors.numpy
import torch
from sklearn.callback import ProgressBar
from tests.methods.mipl.images import SETS, images

import mipl.nn
from mipl import MIPLGP, MiplError, Training, load_dataset
from mipl.errors import BadFile, Diverged, MissingExtra
from mipl.testing.checks.problem import make_problem
from mipl.training.checkpoint import Checkpoint
from mipl.training.sealed import seal, unseal

# Exact for the smallest problems of the checks, sparse for the others.
SMALL_SETTINGS = {
    "exact_up_to": 30,
    "training__epochs": 5,
    "training__lr": 0.1,
    "training__batch_size": 16,  # As it is: there are no batches.
}

PROBLEM = make_problem(n_bags=8)
ROWS = np.concatenate(PROBLEM.bags).astype(float)
BAG = np.repeat(np.arange(8), [len(bag) for bag in PROBLEM.bags])
EPSILON = 1e-4


def fitted(make=MIPLGP.paper, epochs=1, **arguments):
    training = Training(epochs=epochs, lr=0.1)
    model = make(**{"scaling": "none", "draws": 64} | arguments, training=training)
    return model.fit(PROBLEM.bags, PROBLEM.y)


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ({"draws": 0}, "draws of MIPLGP must be an integer >= 1; got 0."),
        ({"nu": 2}, "nu of MIPLGP must be one of 0.5, 1.5, 2.5; got 2."),
        ({"length": 0}, "length of MIPLGP must be None or a number > 0; got 0."),
        (
            {"length": "long"},
            "length of MIPLGP must be None or a number > 0; got 'long'.",
        ),
        (
            {"epsilon": 0},
            "epsilon of MIPLGP must be a number in [1e-12, 1]; got 0.",
        ),
        (
            {"disambiguation": "none"},
            "disambiguation of MIPLGP must be one of 'prior', 'posterior'; got 'none'.",
        ),
        (
            {"training": 3},
            "training of MIPLGP must be None or a Training; got 3.",
        ),
        (
            {"training": Training(stop_on="covering_rate")},
            "MIPLGP neither stops early nor records bags; leave stop_on and "
            "record_bags of Training as they are.",
        ),
        (
            {"training": Training(batch_size=4)},
            "MIPLGP takes one step of Adam on all instances per epoch and has no use "
            "for batch_size of Training; leave it as it is.",
        ),
        (
            {"training": Training(clip=None, order="same")},
            "MIPLGP takes one step of Adam on all instances per epoch and has no use "
            "for clip, order of Training; leave them as they are.",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_one_sentence(argument, sentence):
    with pytest.raises(MiplError) as refused:
        MIPLGP(**argument).fit(PROBLEM.bags, PROBLEM.y)
    assert str(refused.value) == sentence


def test_the_readings_differ_where_paper_and_program_differ():
    paper, released = (m(draws=9).get_params() for m in (MIPLGP.paper, MIPLGP.released))
    differing = {n: (paper[n], released[n]) for n in paper if paper[n] != released[n]}
    assert differing == {
        "disambiguation": ("posterior", "prior"),
        "normalise": ("all", "real"),
        "mean": ("zero", "constant"),
        "length": (1.0, None),
        "extra_noise": (False, True),
        "regression": ("inducing", "exact"),
    }
    assert MIPLGP(draws=9).get_params() == released
    assert MIPLGP.paper(mean="constant").mean == "constant"


# -- an iteration, recomputed with NumPy -----------------------------------------------


def matern(a, b, length=1.0):
    r = np.sqrt(5) * np.linalg.norm(a[:, None] - b[None], axis=2) / length
    return (1 + r + r**2 / 3) * np.exp(-r)


def sets_of_instances():
    negative = np.ones((len(ROWS), 1), dtype=bool)
    return np.hstack([PROBLEM.candidates[BAG], negative])  # (N, 4)


def first_weights():
    sets = sets_of_instances()
    return sets / sets.sum(axis=1, keepdims=True)


def targets_of(w):
    alpha = w + EPSILON
    variance = np.log(1 / alpha + 1)
    return np.log(alpha) - variance / 2, variance


def softmax(f, inside=True):
    e = np.where(inside, np.exp(f), 0)
    return e / e.sum(axis=-1, keepdims=True)


def posterior(w, x, scale):
    """Mean and variance of each class at x, with length one and zero mean."""
    (y, variance), means, variances = targets_of(w), [], []
    k, cross = scale * matern(ROWS, ROWS), scale * matern(x, ROWS)
    for c in range(4):
        inverse = np.linalg.inv(k + np.diag(variance[:, c]))
        means.append(cross @ inverse @ y[:, c])
        variances.append(scale - np.einsum("ij,jk,ik->i", cross, inverse, cross))
    return np.stack(means, axis=1), np.stack(variances, axis=1)


def moved_weights(model):
    """Return the labels after one iteration: its step has changed the scale before."""
    mean, _ = posterior(first_weights(), ROWS, model.history_[-1]["scale"])
    return softmax(mean, sets_of_instances())


def test_labels_move_to_the_softmax_of_the_posterior_mean_on_the_candidates():
    model = fitted()
    real = moved_weights(model)[:, :3]
    sums = np.stack([real[BAG == i].sum(axis=0) for i in range(8)])
    expected = sums / sums.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.label_weights_, expected, atol=1e-9)


def expected_theta(w, scale, draws):
    mean, variance = posterior(w, ROWS, scale)
    f = mean[:, None] + np.sqrt(variance)[:, None] * draws
    return softmax(f).mean(axis=1)[:, :3]


def test_predictions_regress_on_the_moved_labels_and_take_the_surest_instance():
    model = fitted()
    scale = model.history_[-1]["scale"]
    assert not np.isclose(scale, np.log(2))
    theta = expected_theta(moved_weights(model), scale, model.draws_)
    instances = model.predict_instances(PROBLEM.bags)
    np.testing.assert_allclose(instances, theta, atol=1e-9)
    top = np.stack([theta[BAG == i].max(axis=0) for i in range(8)])
    expected = top / top.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(PROBLEM.bags), expected, atol=1e-9)
    assert (instances.sum(axis=1) < 1).all()


def test_in_the_program_labels_of_one_set_move_alike_and_predictions_ignore_it():
    shared = {"mean": "zero", "length": 1.0, "extra_noise": False}
    model = fitted(MIPLGP.released, epochs=3, **shared, normalise="all")
    np.testing.assert_allclose(model.label_weights_, PROBLEM.candidates / 2)
    scale = model.history_[-1]["scale"]
    theta = expected_theta(first_weights(), scale, model.draws_)
    found = model.predict_instances(PROBLEM.bags)
    np.testing.assert_allclose(found, theta, atol=1e-9)
    model = fitted(MIPLGP.released, epochs=3)
    for i, j in np.ndindex(8, 8):
        if (PROBLEM.candidates[i] == PROBLEM.candidates[j]).all():
            one, other = model.label_weights_[[i, j]]
            np.testing.assert_allclose(one, other, atol=1e-12)
    assert np.abs(model.label_weights_[PROBLEM.candidates] - 0.5).max() > 1e-6


def test_probabilities_of_the_real_classes_alone_sum_to_one():
    instances = fitted(MIPLGP.released).predict_instances(PROBLEM.bags)
    np.testing.assert_allclose(instances.sum(axis=1), 1)


# -- many instances --------------------------------------------------------------------


def test_inducing_points_at_all_instances_change_next_to_nothing():
    exact, sparse = fitted(epochs=3), fitted(epochs=3, exact_up_to=0, inducing=100)
    assert sparse.summary_.centres is None
    p, q = (model.predict_proba(PROBLEM.bags) for model in (exact, sparse))
    np.testing.assert_allclose(p, q, atol=1e-4)


def test_a_few_points_stand_for_many_instances():
    model = fitted(exact_up_to=len(ROWS) - 1, inducing=6)
    assert model.summary_.points.shape == (6, 4)
    assert fitted(exact_up_to=len(ROWS)).summary_.points.shape == ROWS.shape


MANY = {"exact_up_to": 12, "inducing": 6}


@pytest.mark.parametrize("memory", [6.0, 0.0])
def test_many_instances_are_regressed_on_exactly_with_a_prior_learnt_on_few(memory):
    """The means are those of all instances' covariance, decomposed with NumPy."""
    model = fitted(MIPLGP.released, **MANY, memory=memory, predict_by="means")
    few = model.history_[-1]
    x, y = ROWS, targets_of(first_weights())
    k = few["scale"] * matern(x, x, few["length"])
    constants, noise = (
        v.detach().numpy() for v in (model.gp_.constants, model.gp_.noise)
    )
    mean = np.stack(
        [
            constants[c]
            + k
            @ np.linalg.solve(
                k + np.diag(y[1][:, c] + noise[c]), y[0][:, c] - constants[c]
            )
            for c in range(4)
        ],
        axis=1,
    )
    found = model.predict_instances(PROBLEM.bags)
    np.testing.assert_allclose(found, softmax(mean[:, :3]), atol=0.01)
    assert model.summary_.points.shape == ROWS.shape
    on_all = fitted(MIPLGP.released, predict_by="means").history_[-1]
    assert on_all["length"] != few["length"]


def test_draws_of_many_instances_have_the_variances_of_inducing_points(tmp_path):
    model = fitted(MIPLGP.released, **MANY)
    assert model.summary_.precision.shape == (4, 6, 6)
    p = model.predict_proba(PROBLEM.bags)
    means = fitted(MIPLGP.released, **MANY, predict_by="means")
    assert np.abs(p - means.predict_proba(PROBLEM.bags)).max() > 1e-3
    for one in (model, means):
        one.save(tmp_path / one.predict_by)
        again = mipl.load_model(tmp_path / one.predict_by)
        same = again.predict_proba(PROBLEM.bags) == one.predict_proba(PROBLEM.bags)
        assert same.all()
    kept = (tmp_path / "means" / "model.safetensors").stat().st_size
    assert kept < (tmp_path / "draws" / "model.safetensors").stat().st_size


def test_labels_that_follow_the_posterior_need_inducing_points_with_many_instances():
    with pytest.raises(MiplError, match="give regression='inducing'"):
        fitted(MIPLGP.released, **MANY, disambiguation="posterior")


def test_what_is_saved_is_what_predictions_need(tmp_path):
    """Different instances once, in float32, one weight per class; draws if drawn."""
    twice = [np.concatenate([bag, bag[:1]]) for bag in PROBLEM.bags]
    for predict_by in ("means", "draws"):
        model = fitted(MIPLGP.released, **MANY, predict_by=predict_by)
        model.fit(twice, PROBLEM.y).save(tmp_path / predict_by)
    content = (tmp_path / "means" / "model.safetensors").read_bytes()
    kept = safetensors.numpy.load(content)
    n = len(ROWS)
    assert kept["points"].shape == (n, 4) and kept["weights"].shape == (4, n)
    assert kept["points"].dtype == kept["weights"].dtype == np.float32
    more = safetensors.numpy.load_file(tmp_path / "draws" / "model.safetensors")
    assert sorted(more.keys() - kept.keys()) == ["centres", "draws", "precision"]


# -- neighbours ------------------------------------------------------------------------


def kriged(model, x, n):
    """Posterior of a row given the instances nearest to it, by loops."""
    scale, length = (model.history_[-1][name] for name in ("scale", "length"))
    noise, constants = (
        v.detach().numpy() for v in (model.gp_.noise, model.gp_.constants)
    )
    y, variance = targets_of(first_weights())
    near = np.argsort(np.linalg.norm(ROWS - x, axis=1))[:n]
    inner = scale * matern(ROWS[near], ROWS[near], length)
    k = scale * matern(x[None], ROWS[near], length)
    means, variances = [], []
    for c in range(4):
        inverse = np.linalg.inv(inner + np.diag(variance[near, c] + noise[c]))
        means.append(constants[c] + k @ inverse @ (y[near, c] - constants[c]))
        variances.append(scale - k @ inverse @ k.T)
    return np.ravel(means), np.ravel(variances)


@pytest.mark.parametrize("predict_by", ["means", "draws"])
def test_neighbours_regress_on_the_nearest_instances_with_the_learnt_prior(
    predict_by, tmp_path
):
    local = {"regression": "neighbours", "exact_up_to": 12, "neighbours": 5}
    model = fitted(MIPLGP.released, **local, predict_by=predict_by)
    few = fitted(MIPLGP.released, **MANY, predict_by="means")
    assert model.history_ == few.history_  # The prior is that of the exact regression.
    found, x = model.predict_instances(PROBLEM.bags), ROWS.astype(float)
    for i in range(len(x)):
        mean, variance = kriged(model, x[i], 5)
        f = mean[None]
        if predict_by == "draws":
            f = mean + np.sqrt(variance) * model.draws_
        np.testing.assert_allclose(found[i], softmax(f[:, :3]).mean(axis=0), atol=1e-8)
    model.save(tmp_path / "model")
    again = mipl.load_model(tmp_path / "model")
    assert (again.predict_instances(PROBLEM.bags) == found).all()


def test_all_instances_as_neighbours_are_the_exact_regression():
    every = {"regression": "neighbours", "exact_up_to": 12, "neighbours": 99}
    local = fitted(MIPLGP.released, **every, predict_by="means")
    exact = fitted(MIPLGP.released, **MANY, predict_by="means")
    one, other = (m.predict_instances(PROBLEM.bags) for m in (local, exact))
    np.testing.assert_allclose(one, other, atol=0.01)


# -- draws -----------------------------------------------------------------------------


@pytest.mark.parametrize("many", [{}, MANY], ids=["exact", "few points"])
def test_joint_draws_of_a_bag_have_the_expectation_that_is_predicted(many):
    """As the program draws: all instances at once, from their joint posterior."""
    model = fitted(MIPLGP.released, **many, draws=20_000)
    x = torch.tensor(PROBLEM.bags[4].astype(float))
    mean = model.summary_.means(model.gp_, x).detach().numpy()  # (n, 4)
    joint = model.summary_.covariance(model.gp_, x).detach().numpy()  # (4, n, n)
    rng = np.random.default_rng(0)
    f = np.stack(
        [rng.multivariate_normal(mean[:, c], joint[c], 20_000) for c in range(3)],
        axis=2,
    )
    theta = softmax(f)  # (draws, n, 3)
    error = theta.std(axis=0) / np.sqrt(20_000)
    found = model.predict_instances([PROBLEM.bags[4]])
    # Both are means of so many draws, those of instances with each other's.
    assert (np.abs(found - theta.mean(axis=0)) < 6 * error).all()


# -- the regression on all instances, watched and interrupted --------------------------


class Watcher:
    """Keeps the tasks that end, and interrupts when one has ended so many times."""

    def __init__(self, after=None):
        self.after, self.ended, self.figures = after, [], []

    def setup(self, estimator, context):
        self.parts = context.max_subtasks

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.ended.append(context.task_name)
        if context.task_name == "iteration":
            self.figures.append(metadata["figures"])
        if self.after == self.ended.count("iteration"):
            signal.raise_signal(signal.SIGINT)


def watched(watcher, checkpoint=None, **arguments):
    training = Training(epochs=3, lr=0.1)
    model = MIPLGP.released(
        **{"scaling": "none", "predict_by": "means"} | MANY | arguments,
        training=training,
    )
    model.set_callbacks(watcher)
    return model, lambda: model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=checkpoint)


@pytest.fixture
def precise(monkeypatch):
    """So that the regression takes some iterations."""
    monkeypatch.setattr("mipl.nn.gp.conjugate._PRECISION", 1e-5)


def test_callbacks_hear_of_the_iterations_of_the_regression(precise):
    watcher = Watcher()
    model, fit = watched(watcher)
    fit()
    n = len(watcher.figures)
    assert n > 3 and watcher.parts == 4
    assert watcher.ended == [*["epoch"] * 3, *["iteration"] * n, "regression", "fit"]
    assert [one["iteration"] for one in watcher.figures] == list(range(1, n + 1))
    errors = [one["residual"] for one in watcher.figures]
    assert errors[-1] <= 1e-5 < min(errors[:-1])
    assert len(model.history_) == 3
    bars = MIPLGP.released(**MANY, training=Training(epochs=2))
    bars.set_callbacks(ProgressBar()).fit(PROBLEM.bags, PROBLEM.y)


@pytest.mark.parametrize("every", [None, 2])
def test_an_interrupted_regression_goes_on_to_the_same_bits(tmp_path, precise, every):
    _, fit = watched(Watcher())
    expected = fit().predict_proba(PROBLEM.bags)
    kept = Checkpoint(tmp_path / "kept", every=every)
    stopped, fit = watched(Watcher(after=2), kept)
    with pytest.raises(KeyboardInterrupt):
        fit()
    on_few = stopped.predict_proba(PROBLEM.bags)
    assert stopped.summary_.points.shape == (12, 4)  # Of the last epoch.
    watcher = Watcher()
    resumed, fit = watched(watcher, kept)
    fit()
    # The third iteration was done when the signal was obeyed.
    assert watcher.figures[0]["iteration"] == 4 and "epoch" not in watcher.ended
    assert (resumed.predict_proba(PROBLEM.bags) == expected).all()
    assert not np.array_equal(on_few, expected)
    again = Watcher()
    watched(again, kept)[1]()
    assert ("iteration" in again.ended) == (every is None)  # Else the end was saved.


def test_without_a_checkpoint_an_interrupted_regression_leaves_the_last_epoch(precise):
    watcher = Watcher(after=1)
    model, fit = watched(watcher)
    with pytest.raises(KeyboardInterrupt):
        fit()
    assert watcher.ended.count("iteration") == 1
    assert model.summary_.points.shape == (12, 4) and model.n_iter_ == 3
    assert np.isfinite(model.predict_proba(PROBLEM.bags)).all()


# -- scaling, images -------------------------------------------------------------------


def test_by_default_two_instances_are_one_length_apart():
    stretched = [bag * [1, 10, 100, 1000] + 7 for bag in PROBLEM.bags]
    model = fitted(scaling="auto").fit(stretched, PROBLEM.y)
    x = model.summary_.points.numpy()
    squares = np.square(x[:, None] - x[None]).sum(axis=2)
    assert np.isclose(squares.mean(), 1)
    np.testing.assert_allclose(x.std(axis=0), x.std(axis=0)[0])


def test_images_keep_their_proportions(tmp_path):
    model = MIPLGP(draws=8).set_params(training__epochs=2).fit(images(), SETS)
    assert len(np.unique(model.scale_)) == 1 and (model.shift_ == 0).all()
    p = model.predict_proba(images())
    assert np.isfinite(p).all()
    model.save(tmp_path / "model")
    again = mipl.load_model(tmp_path / "model")
    assert (again.predict_proba(images()) == p).all()
    assert again.history_ == model.history_


# -- learning --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "epochs"), [(MIPLGP, 10), (MIPLGP.released, 10), (MIPLGP.paper, 1)]
)
def test_it_learns_from_candidates(make, epochs):
    train, test = load_dataset("synthetic", r=1).split(0)
    model = make(inducing=50).set_params(training__epochs=epochs)
    model.fit(train.bags, train.candidates)
    assert model.score(test.bags, test.labels) > 3 / len(train.classes)


def test_to_the_letter_all_instances_become_negative():
    """What the paper's updates lead to: the docstring says so."""
    train, _ = load_dataset("synthetic", r=1).split(0)
    sure = []
    for epochs in (1, 10):
        model = MIPLGP.paper(inducing=50).set_params(training__epochs=epochs)
        model.fit(train.bags, train.candidates)
        sure.append(model.predict_instances(train.bags).sum(axis=1).mean())
    assert sure[1] < sure[0] / 100


class Stop:
    """A callback that raises an error of its own after some epochs."""

    def __init__(self, after, error):
        self.left, self.error = after, error

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.left -= metadata is not None
        if self.left == 0:
            raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt, Diverged])
def test_after_an_interruption_the_model_is_that_of_the_last_finished_epoch(error):
    constant = {"schedule": "constant", "lr": 0.1}
    two = MIPLGP(training=Training(epochs=2, **constant), random_state=0)
    expected = two.fit(PROBLEM.bags, PROBLEM.y).predict_proba(PROBLEM.bags)
    model = MIPLGP(training=Training(epochs=5, **constant), random_state=0)
    model.set_callbacks(Stop(2, error("enough")))
    with pytest.raises(error):
        model.fit(PROBLEM.bags, PROBLEM.y)
    assert (model.predict_proba(PROBLEM.bags) == expected).all()
    assert model.n_iter_ == 2


def test_a_parameter_that_is_not_finite_is_told():
    model = MIPLGP(training=Training(epochs=4, lr=1e300))
    with pytest.raises(Diverged, match="lower training__lr"):
        model.fit(PROBLEM.bags, PROBLEM.y)


def test_without_gpytorch_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gpytorch", None)
    monkeypatch.delitem(sys.modules, "mipl.nn.gp", raising=False)
    monkeypatch.delattr(mipl.nn, "gp", raising=False)
    with pytest.raises(MissingExtra, match=r"needs gpytorch.*mipl\[gp\]"):
        MIPLGP().fit(PROBLEM.bags, PROBLEM.y)


def dropped(arrays, start):
    return {n: a for n, a in arrays.items() if not n.startswith(start)}


@pytest.mark.parametrize(
    "damage",
    [
        lambda a: dropped(a, "optimiser.0.exp_avg_sq"),
        lambda a: dropped(a, "optimiser"),
        lambda a: a | {"optimiser.0.exp_avg": np.zeros(7)},
        lambda a: a | {"optimiser.0.exp_avg": a["optimiser.0.exp_avg"].astype(int)},
        lambda a: a | {"optimiser.0.step": np.zeros(3, np.float32)},
        lambda a: a | {"optimiser.99.step": a["optimiser.0.step"]},
    ],
)
def test_other_averages_in_a_checkpoint_are_refused(tmp_path, damage):
    path = tmp_path / "run.checkpoint"
    model = MIPLGP(training=Training(epochs=2)).fit(
        PROBLEM.bags, PROBLEM.y, checkpoint=path
    )
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)  # As it is, it is taken.
    arrays, facts = unseal(path, path.read_bytes())
    path.write_bytes(seal(damage(arrays), facts))
    with pytest.raises(BadFile, match="does not hold the state of this training"):
        model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
