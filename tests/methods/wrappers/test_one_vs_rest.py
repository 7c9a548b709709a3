"""OneVsRest: the paper's decomposition, rule by rule.

The methods of two classes keep the contracts inside it: see ``test_estimators``.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.exceptions import NotFittedError
from tests.methods.saving.test_foreign_files import alter, put
from tests.training.test_callbacks import Watcher

from mipl import (
    MIPLMA,
    PRODEN,
    VGPMIL,
    VWSGP,
    Bags,
    Candidates,
    Degraded,
    MiplError,
    OneVsRest,
    Training,
    load_model,
)
from mipl.errors import BadFile, Diverged
from mipl.methods.bases.base import BagClassifier
from mipl.methods.wrappers import learners, one_vs_rest
from mipl.testing import CHECKS
from mipl.testing.checks.problem import make_problem
from mipl.training.sealed import seal, unseal

SMALL = VGPMIL(inducing=10, iterations=4)
NETWORK = MIPLMA(width=4, training=Training(epochs=2, batch_size=8))
PROBLEM = make_problem()
READINGS = ("least_confident_negative", "lowest_score")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags_in_the_other_readings(check):
    check(OneVsRest(SMALL, all_negative="lowest_score", duplication="membership"))


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_of_bags_around_a_network(check):
    check(OneVsRest(NETWORK))


# -- training --------------------------------------------------------------------------


class Copybook(BagClassifier):
    """Keeps what it is given."""

    def _fit(self, bags, candidates):
        self.seen_ = [
            (float(bag[0, 0]), int(row.argmax()))
            for bag, row in zip(bags, candidates.matrix, strict=True)
        ]
        assert (candidates.sizes == 1).all()

    def _proba(self, bags):
        return np.full((len(bags), 2), 0.5)


SETS = [{"a", "b"}, {"a"}, {"b", "c", "d"}, {"d"}]
NUMBERED = [[[float(i)]] for i in range(4)]


def test_each_bag_is_repeated_with_each_candidate_and_one_copy_is_positive():
    model = OneVsRest(Copybook()).fit(NUMBERED, SETS)
    for name, learner in zip("abcd", model.estimators_, strict=True):
        expected = [(i, int(c == name)) for i, s in enumerate(SETS) for c in s]
        assert sorted(learner.seen_) == sorted(expected)
        assert len(learner.seen_) == sum(map(len, SETS))


def test_by_membership_each_bag_counts_once():
    model = OneVsRest(Copybook(), duplication="membership").fit(NUMBERED, SETS)
    for name, learner in zip("abcd", model.estimators_, strict=True):
        assert learner.seen_ == [(i, int(name in s)) for i, s in enumerate(SETS)]


def test_learners_with_copies_learn_what_repeated_bags_teach():
    """The sparse process takes counts; told to, it takes repeated bags as others do."""
    bags, sets = PROBLEM.bags, PROBLEM.candidates
    same = {"inducing": 200, "scaling": "none", "length": 2.0, "tol": 0.0}
    model = OneVsRest(VWSGP(**same)).fit(bags, sets)
    for c, learner in enumerate(model.estimators_):
        repeated, labels = [], []
        for bag, row in zip(bags, sets, strict=True):
            for candidate in np.flatnonzero(row):
                repeated.append(bag)
                labels.append(int(candidate == c))
        plain = VWSGP(**same).fit(repeated, labels)
        p = plain.predict_proba(bags)
        np.testing.assert_allclose(learner.predict_proba(bags), p, atol=1e-8)


def test_without_anything_to_learn_there_is_no_learner():
    y = Candidates(np.array([[0, 1, 1], [0, 1, 0]] * 3))
    bags = [[[float(i), 1.0]] for i in range(6)]
    model = OneVsRest(clone(SMALL), duplication="membership").fit(bags, y)
    never, always, learnt = model.estimators_
    assert never is None and always is None and learnt is not None
    p = model.predict_proba(bags)
    assert (p[:, 0] < 1e-300).all() and (p.argmax(axis=1) == 1).all()
    alone = OneVsRest(clone(SMALL)).fit(bags, ["oak"] * 6)
    assert alone.predict(bags).tolist() == ["oak"] * 6
    assert alone.estimators_ == [None]


# -- the three rules -------------------------------------------------------------------


class Answer:
    """A learner that gives known probabilities."""

    def __init__(self, p):
        self.p = p

    def predict_proba(self, bags):
        return np.stack([1 - self.p, self.p], axis=1)


def told(table, reading):
    """Return a model of learners with these answers, and as many bags."""
    names = np.array([f"class {c}" for c in range(table.shape[1])])
    model = OneVsRest(clone(SMALL), reading)
    bags = [[[0.0]]] * len(table)
    model.fit([[[float(i)]] for i in range(len(names))], names)
    model.estimators_ = [Answer(column) for column in table.T]
    return model, bags


def by_rules(p, reading):
    """Return the class by the paper's three rules."""
    positive = np.flatnonzero(p > 0.5)
    if len(positive) == 1:
        return positive[0]
    if len(positive) > 1:
        return positive[p[positive].argmax()]
    confidence = 1 - p if reading == "least_confident_negative" else p
    return confidence.argmin()


@pytest.mark.parametrize("reading", READINGS)
def test_predictions_follow_the_three_rules(reading):
    table = np.random.default_rng(0).beta(1, 2, (300, 4))
    table[:4] = [[0.9, 0, 0, 0], [0.6, 0.9, 0.7, 0], [0.1, 0.3, 0.2, 0.05], [0.5] * 4]
    model, bags = told(table, reading)
    expected = [by_rules(row, reading) for row in table]
    counts = (table > 0.5).sum(axis=1)
    assert {0, 1, 2} <= set(counts.tolist())
    assert model.predict(bags).tolist() == model.classes_[expected].tolist()
    assert model.all_negative_rate(bags) == (counts == 0).mean()
    if reading == "least_confident_negative":
        assert expected == table.argmax(axis=1).tolist()


def test_the_readings_differ_only_where_every_learner_says_no():
    table = np.random.default_rng(1).uniform(0, 0.8, (100, 3))
    (one, bags), (other, _) = (told(table, reading) for reading in READINGS)
    none = (table <= 0.5).all(axis=1)
    differ = one.predict(bags) != other.predict(bags)
    assert differ[none].all() and not differ[~none].any()


def test_a_class_without_a_learner_is_no_lowest_score():
    table = np.array([[0.3, 0.2, 0.4]])
    model, bags = told(table, "lowest_score")
    model.estimators_[0], model.constant_[0] = None, 0.0
    assert model.predict(bags).tolist() == ["class 1"]


def test_answers_that_are_no_numbers_count_as_no():
    model, bags = told(np.array([[np.nan, 0.2], [0.0, 0.0]]), READINGS[0])
    p = model.predict_proba(bags)
    np.testing.assert_allclose(p, [[0, 1], [0.5, 0.5]], atol=1e-12)


def test_instances_are_judged_by_each_learner():
    model = OneVsRest(clone(SMALL)).fit(PROBLEM.bags, PROBLEM.y)
    found = model.predict_instances(PROBLEM.bags)
    for c, learner in enumerate(model.estimators_):
        own = learner.predict_instances(PROBLEM.bags)[:, 1]
        np.testing.assert_array_equal(found[:, c], own)
    assert not hasattr(OneVsRest(Copybook()), "predict_instances")


# -- processes, progress, interruption -------------------------------------------------


def test_processes_change_nothing():
    one = OneVsRest(clone(SMALL)).fit(PROBLEM.bags, PROBLEM.y)
    many = OneVsRest(clone(SMALL), n_jobs=2).fit(PROBLEM.bags, PROBLEM.y)
    p = one.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(many.predict_proba(PROBLEM.bags), p)


def test_networks_fitted_together_end_as_each_would_alone():
    network = clone(NETWORK).set_params(random_state=0)
    model = OneVsRest(network)
    bags, candidates = model._accept(PROBLEM.bags, PROBLEM.y)
    for c, learner in enumerate(model.fit(bags, candidates).estimators_):
        copies = model.copies(candidates.matrix, c)
        which = np.repeat(np.arange(len(bags)), copies.sum(axis=1))
        labels = np.concatenate([[0] * no + [1] * yes for no, yes in copies])
        alone = clone(network).fit(bags[which], labels)
        np.testing.assert_allclose(
            learner.predict_proba(PROBLEM.bags),
            alone.predict_proba(PROBLEM.bags),
            atol=1e-5,
        )


def test_a_partial_label_method_on_reduced_bags_is_a_learner_too():
    steps = Training(epochs=3, batch_size=8)
    inner = Degraded(PRODEN(training=steps, random_state=0), "maxmin")
    model = OneVsRest(inner, duplication="membership").fit(PROBLEM.bags, PROBLEM.y)
    sets = Candidates(PROBLEM.y).matrix
    for c, learner in enumerate(model.estimators_):
        alone = clone(inner).fit(PROBLEM.bags, sets[:, c].astype(int))
        np.testing.assert_allclose(
            learner.predict_proba(PROBLEM.bags),
            alone.predict_proba(PROBLEM.bags),
            atol=1e-5,
        )


@pytest.fixture
def groups(monkeypatch):
    """Note how many learners are fitted at once."""
    seen = []
    fitted = one_vs_rest.fit_learners

    def noted(estimator, bags, copies, tasks):
        seen.append(list(copies))
        return fitted(estimator, bags, copies, tasks)

    monkeypatch.setattr(one_vs_rest, "fit_learners", noted)
    return seen


def many_classes(instances):
    """Return ten bags, each of a class of its own."""
    return Bags(instances, np.arange(11)), list("abcdefghij")


def test_networks_are_fitted_in_even_groups(groups):
    network = clone(NETWORK).set_params(training__epochs=1)
    OneVsRest(network).fit(*many_classes(np.eye(10)))
    assert groups == [list("abcde"), list("fghij")]


def test_copies_of_large_bags_are_not_all_in_memory_at_once(groups, monkeypatch):
    network = clone(NETWORK).set_params(training__epochs=1)
    monkeypatch.setattr(learners, "_NUMBERS", 399)  # Of 10 x 10 x 1 for each.
    OneVsRest(network).fit(*many_classes(np.eye(10)))
    assert list(map(len, groups)) == [3, 3, 2, 2]
    groups.clear()
    y = np.eye(10, dtype=bool) | np.eye(10, k=1, dtype=bool)  # Two copies of nine bags.
    OneVsRest(network).fit(many_classes(np.eye(10))[0], y)
    assert list(map(len, groups)) == [2] * 5


@pytest.mark.parametrize("kind", ["images", "processes"])
def test_what_is_not_stacked_is_a_job_of_its_own(kind, groups):
    rng = np.random.default_rng(0)
    bags, labels = many_classes(rng.random((10, 1, 28, 28)))
    learner = clone(NETWORK).set_params(training__epochs=1, encoder="auto")
    if kind == "processes":
        bags, learner = many_classes(np.eye(10))[0], clone(SMALL)
    OneVsRest(learner).fit(bags, labels)
    assert groups == [[name] for name in labels]


def test_a_learner_that_diverges_is_named_and_leaves_nothing_behind():
    wild = clone(NETWORK).set_params(training__lr=1e30)
    model = OneVsRest(wild)
    with pytest.raises(
        Diverged, match=r"^learner of class 'ash': .*lower training__lr"
    ):
        model.fit(
            PROBLEM.bags, np.array(["ash", "oak"])[np.arange(len(PROBLEM.bags)) % 2]
        )
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.bags)


class Counter(Watcher):
    """Keeps what it hears of learners."""

    def on_fit_task_end(self, estimator, context, *, X, metadata, fitted_estimator):
        if context.task_name == "learner":
            self.figures.append(metadata["figures"])
            self.predicted.append(fitted_estimator.predict_proba(X))
        return True  # A wish to stop, which is not heard.


def test_callbacks_hear_of_every_learner():
    counter = Counter()
    model = OneVsRest(clone(SMALL)).set_callbacks(counter)
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert counter.figures == [{"learner": float(n)} for n in (1, 2, 3)]
    assert counter.epochs == 3 and None not in model.estimators_
    p = model.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(counter.predicted[-1], p)
    # Classes whose learners are still to come are not guessed.
    assert (counter.predicted[0].argmax(axis=1) == 0).all()


class Told:
    """Hears of the epochs of learners, too, and keeps which had how many when."""

    max_propagation_depth = 1

    def setup(self, estimator, context):
        self.heard, self.ended = [], 0

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata):
        self.ended += context.parent is None
        if context.task_name == "epoch":
            learner = context.parent
            assert learner.source_task_name == "learner" and learner.parent is not None
            figures = metadata["figures"]
            self.heard.append((learner.task_id, figures["epoch"], figures.get("loss")))

    def teardown(self, estimator, context):
        pass


@pytest.mark.parametrize("inner", [SMALL, NETWORK], ids=["process", "network"])
def test_callbacks_that_are_passed_on_hear_of_the_epochs_of_every_learner(inner):
    told = Told()
    model = OneVsRest(clone(inner)).set_callbacks(told).fit(PROBLEM.bags, PROBLEM.y)
    for number, learner in enumerate(model.estimators_):
        heard = [tuple(rest) for who, *rest in told.heard if who == number]
        assert heard == [(h["epoch"], h.get("loss")) for h in learner.history_]
        # The learner itself keeps no callback.
        assert not hasattr(learner, "_skl_callbacks")
    assert told.ended == 1
    if inner is NETWORK:  # Fitted together: each hears before any has ended.
        assert [who for who, *_ in told.heard] == [0, 1, 2] * 2


def test_a_learner_without_callbacks_of_its_own_is_heard_of_at_its_end():
    told = Told()
    OneVsRest(Copybook()).set_callbacks(told).fit(NUMBERED, SETS)
    assert not told.heard and told.ended == 1


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_scikit_learns_bar_counts_the_epochs_of_learners(n_jobs, capsys):
    model = OneVsRest(clone(SMALL), n_jobs=n_jobs).set_callbacks(ProgressBar())
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert "OneVsRest - learner | VGPMIL - fit #2" in capsys.readouterr().out


def test_candidates_count_alike_whatever_their_weights():
    sets = Candidates(PROBLEM.y).matrix
    weights = sets * np.random.default_rng(0).uniform(0.1, 1, sets.shape)
    even, uneven = (
        OneVsRest(clone(SMALL)).fit(PROBLEM.bags, y) for y in (sets, weights)
    )
    p = even.predict_proba(PROBLEM.bags)
    np.testing.assert_array_equal(uneven.predict_proba(PROBLEM.bags), p)


class Impatient(Watcher):
    """Sends Ctrl-C after the first learner."""

    def on_fit_task_end(self, estimator, context, *, metadata):
        if metadata is not None:
            raise KeyboardInterrupt


def test_after_an_interruption_it_is_unfitted():
    model = OneVsRest(clone(SMALL)).set_callbacks(Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y)
    with pytest.raises(NotFittedError):
        model.predict(PROBLEM.bags)


# -- files and mistakes ----------------------------------------------------------------


@pytest.mark.parametrize("inner", [SMALL, NETWORK], ids=["process", "network"])
def test_a_saved_model_says_the_same_bit_for_bit(inner, tmp_path):
    names = Candidates(PROBLEM.sets, classes=["ash", *PROBLEM.classes])
    model = OneVsRest(clone(inner), "lowest_score").fit(PROBLEM.bags, names)
    assert model.estimators_[0] is None
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert repr(again) == repr(model) and again.estimators_[0] is None
    p = model.predict_proba(PROBLEM.bags)
    assert (again.predict_proba(PROBLEM.bags) == p).all()
    rate = model.all_negative_rate(PROBLEM.bags)
    assert again.all_negative_rate(PROBLEM.bags) == rate


def test_the_card_tells_what_to_cite(tmp_path):
    OneVsRest(clone(SMALL)).fit(PROBLEM.bags, PROBLEM.y).save(tmp_path / "model")
    assert "Haussmann" in (tmp_path / "model" / "README.md").read_text()


@pytest.mark.parametrize("learnt", [[0, 1, 7], [-1, 0, 1], [0, 0, 1], [0, 1]])
def test_forged_learners_are_refused(learnt, tmp_path):
    OneVsRest(clone(SMALL)).fit(PROBLEM.bags, PROBLEM.y).save(tmp_path / "model")
    alter(tmp_path / "model", facts=put("facts", "learnt", learnt))
    with pytest.raises(MiplError):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (OneVsRest(5), "estimator of OneVsRest must be a bag method, such as VGPMIL"),
        (OneVsRest(OneVsRest(SMALL)), "estimator of OneVsRest must be a bag method"),
        (OneVsRest(SMALL, "lowest"), "all_negative of OneVsRest must be one of"),
        (OneVsRest(SMALL, duplication="no"), "duplication of OneVsRest must be one"),
        (OneVsRest(SMALL, n_jobs=0), "n_jobs of OneVsRest must be None or a number"),
        (OneVsRest(VGPMIL(damping=2)), "damping of VGPMIL must be a number in"),
    ],
)
def test_wrong_arguments_are_told(model, sentence):
    with pytest.raises(MiplError, match=sentence):
        model.fit(PROBLEM.bags, PROBLEM.y)


# -- interrupted -----------------------------------------------------------------------


def interrupted(model, path):
    """Fit, with Ctrl-C after the first learner that is ready."""
    model = clone(model).set_callbacks(Impatient())
    with pytest.raises(KeyboardInterrupt):
        model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_only_learners_that_were_not_ready_are_learnt_again(
    groups, tmp_path, monkeypatch, n_jobs
):
    monkeypatch.setattr(learners, "_TOGETHER", 1)
    path = tmp_path / "x.checkpoint"
    interrupted(OneVsRest(NETWORK), path)
    assert groups[0] == [PROBLEM.classes[0]]
    before = len(groups)
    whole = OneVsRest(NETWORK, n_jobs=n_jobs)
    p = whole.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path).predict_proba(PROBLEM.bags)
    if n_jobs is None:
        left = [[name] for name in PROBLEM.classes if [name] not in groups[:before]]
        assert groups[before:] == left and len(left) < len(PROBLEM.classes)
    unbroken = OneVsRest(NETWORK).fit(PROBLEM.bags, PROBLEM.y)
    np.testing.assert_array_equal(p, unbroken.predict_proba(PROBLEM.bags))


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (OneVsRest(SMALL, duplication="membership"), "its duplication is replicate"),
        (OneVsRest(clone(SMALL).set_params(inducing=5)), "its estimator.inducing is"),
        (OneVsRest(NETWORK), "its estimator is mipl.methods.mil.vgpmil:VGPMIL, here"),
        (
            NETWORK,
            "its method is mipl.methods.wrappers.one_vs_rest:OneVsRest, here it is",
        ),
    ],
)
def test_learners_of_another_fit_are_refused(tmp_path, other, told):
    path = tmp_path / "x.checkpoint"
    interrupted(OneVsRest(SMALL), path)
    with pytest.raises(MiplError, match=f"checkpoint of another run: {told}"):
        clone(other).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
    with pytest.raises(MiplError, match="its bags is"):
        OneVsRest(SMALL).fit(PROBLEM.bags[::-1], PROBLEM.y[::-1], checkpoint=path)


def test_a_damaged_file_of_learners_is_refused(tmp_path):
    path = tmp_path / "x.checkpoint"
    interrupted(OneVsRest(SMALL), path)
    arrays, facts = unseal(path, path.read_bytes())
    path.write_bytes(seal(arrays, {**facts, "learnt": [7]}))
    with pytest.raises(BadFile, match=r"x.checkpoint is damaged: it has a learner"):
        OneVsRest(SMALL).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)
