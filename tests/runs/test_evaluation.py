import json

import numpy as np
import pytest

from mipl import VWSGP, Bags, Dataset, MiplError, OneVsRest, load_dataset
from mipl.methods.mipl.mean_pooling import MeanPooling
from mipl.runs.demo import CONTESTANTS, demo_runs
from mipl.runs.evaluation import evaluate
from mipl.runs.explanation import explain


class Fixed(MeanPooling):
    """Says what it is told: the first feature of a bag's first row is its class."""

    def _proba(self, bags):
        first = bags.instances[bags.offsets[:-1], 0].astype(int)
        p = np.full((len(bags), len(self.classes_)), 0.1)
        p[np.arange(len(bags)), first] = 1 - 0.1 * (len(self.classes_) - 1)
        return p


@pytest.fixture
def model():
    x = [np.array([[c, 0.0], [9, 9]]) for c in (0, 1, 2)]
    return Fixed().fit(x, ["a", "b", "c"])


def test_figures_by_hand(model) -> None:
    bags = [np.array([[c, 0.0]]) for c in (0, 0, 1, 2)]
    sets = [{"a"}, {"b", "c"}, {"b", "c"}, {"a", "c"}]
    found = evaluate(model, Dataset(bags, sets, labels=["a", "b", "b", "a"]))
    assert found.bags == 4 and found.classes == ["a", "b", "c"]
    assert found.truth.accuracy == 0.5 and found.truth.balanced_accuracy == 0.5
    assert found.truth.confusion == [[1, 0, 1], [1, 1, 0], [0, 0, 0]]
    assert found.truth.ece == pytest.approx(0.3)  # Sure of 0.8, right in 0.5.
    assert found.candidates.covering_rate == 0.75
    assert found.candidates.violation_rate == 0.25
    assert found.candidates.margin_mean == pytest.approx((0.7 - 0.7 + 0.7 + 0.7) / 4)
    assert found.instances is None
    json.dumps(found.as_dict(), allow_nan=False)


def test_a_single_class_has_no_auroc(model) -> None:
    found = evaluate(
        model, Dataset([[[0.0, 0]], [[1.0, 0]]], ["a", "a"], labels=["a", "a"])
    )
    assert found.truth.macro_auroc is None and found.truth.accuracy == 0.5


def test_columns_follow_the_names_of_classes(model) -> None:
    data = Dataset([[[2.0, 0]], [[1.0, 0]]], [{"c"}, {"c", "b"}], labels=["c", "b"])
    assert data.classes.tolist() == ["b", "c"]
    assert evaluate(model, data).truth.accuracy == 1
    with pytest.raises(MiplError, match="'d'"):
        evaluate(model, Dataset([[[2.0, 0]]], [{"d"}]))


def test_instances_without_contrast_are_left_out(model) -> None:
    bags = Bags([np.zeros((2, 2)), np.ones((2, 2))], instance_labels=list("aabb"))
    data = Dataset(bags, ["a", "b"], labels=["a", "b"])
    assert evaluate(model, data).instances is None


def test_explanation_of_a_method_without_attention(model) -> None:
    bags = [np.array([[1, 0.0], [2, 4]]), np.array([[0.0, 0]])]
    told = explain(model, Dataset(bags, [{"a", "c"}, {"a"}]), 0)
    assert told.predicted == "b" and told.label is None
    assert told.attention is None and told.order().tolist() == [0, 1]
    assert told.margin == pytest.approx(0.1 - 0.8)
    np.testing.assert_allclose(told.weights, [0.5, 0, 0.5])
    json.dumps(told.as_dict(), allow_nan=False)


def test_demo_runs_are_the_same_in_one_process_and_in_two() -> None:
    def figures(workers):
        runs = demo_runs([0, 1], ["mean", "paper"], workers, epochs=2)
        return {(r.contestant, r.fold): r.evaluation for r in runs}

    assert figures(1) == figures(2)


def test_the_contestants_are_the_named_presets() -> None:
    ours, released, paper, _ = (one.run(3).build() for one in CONTESTANTS)
    assert ours.training is None and ours.random_state == 3
    assert (released.margin, released.training.batch_size) == ("bag", 1)
    assert (released.lam, released.training.lr) == (0.05, 0.01)  # For MNIST-MIPL, r=1.
    assert (paper.standardise, paper.training.batch_size) == ("attention", None)


def test_the_share_of_bags_that_no_learner_wants_is_told() -> None:
    train, test = load_dataset("synthetic", r=1).split(0)
    model = OneVsRest(VWSGP(inducing=10)).fit(train.bags, train.candidates)
    found = evaluate(model, test)
    each = [one.predict(test.bags) for one in model.estimators_]
    assert found.all_negative_rate == (np.sum(each, axis=0) == 0).mean()


def test_every_figure_has_its_interval(model) -> None:
    rng = np.random.default_rng(0)
    first = np.arange(30) % 3
    bags = Bags(
        [[[c, rng.normal()], [c, rng.normal()]] for c in first],
        instance_labels=np.stack([np.array(list("abc"))[first], ["x"] * 30], 1).ravel(),
    )
    labels = np.array(list("abc"))[np.where(np.arange(30) % 5, first, (first + 1) % 3)]
    data = Dataset(bags, [{name, "c"} for name in labels], labels=labels)
    found = evaluate(model, data)
    figures = {**vars(found.truth), **vars(found.candidates)}
    for name in ("confusion", "interval"):
        del figures[name]
    assert set(figures) <= set(found.intervals)
    for name, value in figures.items():
        low, high = found.intervals[name]
        assert low <= value <= high, name
    assert found.truth.interval == found.intervals["accuracy"]
    assert found.groups is None
    again = Dataset(bags, data.candidates, labels=labels, groups=np.arange(30) // 3)
    grouped = evaluate(model, again)
    assert grouped.groups == 10
    assert grouped.intervals["accuracy"] != found.intervals["accuracy"]


def test_all_right_has_an_interval_below_one(model) -> None:
    labels = np.array(list("abc"))[np.arange(36) % 3]
    bags = [[[c % 3, 0.0]] for c in range(36)]
    found = evaluate(model, Dataset(bags, labels, labels=labels))
    assert found.truth.accuracy == 1
    assert found.truth.interval == (pytest.approx(0.9026, abs=1e-4), 1.0)
