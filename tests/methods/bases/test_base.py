"""What every method shares: how it reads its input and names its output."""

import warnings

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import sparse
from tests.testing.sound import Sound

from mipl import Bags, Candidates, MiplError
from mipl.data.features import Features
from mipl.methods.bases.fitted_network import scaled_attention
from mipl.testing.checks.problem import make_problem

PROBLEM = make_problem()


@pytest.fixture
def model():
    return Sound().fit(PROBLEM.bags, PROBLEM.y)


def sentence(call):
    with pytest.raises(MiplError) as refused:
        call()
    return str(refused.value)


# -- input ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sets",
    [
        [["elm", "oak"], ["oak"], ["elm", "oak", "yew"]] * 5,
        [np.array(["elm", "oak"]), np.array(["oak"]), np.array(["yew"])] * 5,
        [("elm",), ("oak", "elm"), ("yew",)] * 5,
    ],
)
def test_ragged_lists_of_names_are_candidate_sets(sets):
    model = Sound().fit(PROBLEM.bags, sets)
    inside = Candidates(sets).matrix
    assert (model.label_weights_[~inside] == 0).all()


def test_a_tensor_and_a_series_of_bags_are_bags():
    cube = torch.tensor(np.stack(make_problem(sizes=(2,)).bags))
    p = Sound().fit(cube, PROBLEM.y).predict_proba(cube)
    series = pd.Series(list(cube.numpy()))
    np.testing.assert_array_equal(Sound().fit(series, PROBLEM.y).predict_proba(cube), p)


@pytest.mark.parametrize(
    ("x", "part"),
    [
        (None, "bags must be a list of (n_i, d) arrays, a 3-D or a 2-D array; got a"),
        (3, "got a int"),
        ({}, "got a dict"),
        (["a", "b"], "bag 0 must hold numbers"),
        ([["a"], ["b"]], "bag 0 must hold numbers"),
        ([object()], "bag 0 must hold numbers"),
        (np.array(3.0), "got shape ()"),
        (np.zeros((0, 2)), "there are no bags"),
        (np.array([[1.0], [np.nan]]), "bag 1"),
        (sparse.csr_array(np.eye(2)), "must be dense; got a sparse matrix"),
    ],
)
def test_what_are_no_bags_is_told_in_our_words(x, part, model):
    """In one sentence: what scikit-learn says of arrays has several lines."""
    for call in (lambda: Sound().fit(x, [0, 1]), lambda: model.predict(x)):
        told = sentence(call)
        assert part in told and "\n" not in told


def test_columns_that_scikit_learn_objects_to_are_an_error_of_ours():
    table = pd.DataFrame({"height": [1.0, 2.0], "width": [0.0, 1.0]})
    model = Sound().fit(table, [0, 1])
    told = sentence(lambda: model.predict(table[["width", "height"]]))
    assert told.startswith("The feature names should match")
    model = Sound().fit(table.to_numpy(), [0, 1])
    told = sentence(lambda: model.predict(np.zeros((2, 3))))
    assert told.startswith("X has 3 features, but Sound is expecting 2")


@pytest.mark.parametrize(
    ("bags", "part"),
    [
        ([[[1, 2], [3]]] * 2, "bag 0 must be a regular array"),
        ([[], [[1.0, 2.0]]], "bag 0"),
        ([[["a", "b"]]] * 2, "bag 0 must hold numbers"),
        ([[[1.0]], [[1.0, 2.0]]], r"bag 1 has instances of shape \(2,\)"),
    ],
)
def test_bad_bags_are_named(bags, part):
    with pytest.raises(MiplError, match=part):
        Sound().fit(bags, [{0}, {1}])


def test_no_candidates_are_refused():
    told = sentence(lambda: Sound().fit(PROBLEM.bags, None))
    assert "requires y to be passed, but the target y is None" in told


def test_a_table_names_its_features_and_a_list_does_not(model):
    table = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])
    model.fit(table, [0, 1, 0])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    model.fit(PROBLEM.bags, PROBLEM.y)
    assert not hasattr(model, "feature_names_in_")


def test_a_matrix_given_to_a_model_of_bags_is_read_with_a_warning(model):
    rows = np.zeros((3, 4))
    with pytest.warns(UserWarning, match="read as bags of one instance"):
        assert model.predict_proba(rows).shape == (3, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict([rows])
        Sound().fit(rows, [0, 1, 1]).predict(rows)


# -- output --------------------------------------------------------------------------


def test_score_takes_true_labels_in_any_form(model):
    labels = PROBLEM.labels
    share = float((model.predict(PROBLEM.bags) == labels).mean())
    columns = (labels[:, None] == model.classes_).astype(int)
    for given in (labels, labels.tolist(), columns, columns.astype(bool)):
        assert model.score(PROBLEM.bags, given) == share
    assert model.score(PROBLEM.bags, Candidates(labels)) == share
    # A class that the model does not know is a wrong answer, not an error.
    assert model.score(PROBLEM.bags, ["palm"] * len(labels)) == 0.0


def test_score_takes_weights(model):
    right = model.predict(PROBLEM.bags) == PROBLEM.labels
    weights = np.where(right, 3.0, 1.0)
    expected = weights[right].sum() / weights.sum()
    found = model.score(PROBLEM.bags, PROBLEM.labels, sample_weight=weights)
    assert np.isclose(found, expected)


def test_labels_of_calibrate_must_be_one_per_bag(model):
    told = sentence(lambda: model.calibrate(PROBLEM.bags, labels=PROBLEM.sets))
    assert told == (
        "labels of calibrate must be one true label per bag; "
        "give candidate sets as candidates=."
    )


def test_other_candidates_must_be_as_many_and_of_known_classes(model):
    told = sentence(lambda: model.disambiguate(PROBLEM.bags, PROBLEM.y[:4]))
    assert told.startswith("there are 15 bags and 4 candidate sets (inconsistent")
    palms = [{"palm"}] * len(PROBLEM.bags)
    assert "'palm' of bag 0" in sentence(
        lambda: model.disambiguate(PROBLEM.bags, palms)
    )


def test_candidates_without_probability_share_the_posterior(model, monkeypatch):
    p = np.tile([1.0, 0.0, 0.0], (len(PROBLEM.bags), 1))
    monkeypatch.setattr(Sound, "_proba", lambda self, bags: p)
    others = [{"oak", "yew"}] * len(p)
    found = model.disambiguate(PROBLEM.bags, others)
    assert found.posterior.tolist() == [[0.0, 0.5, 0.5]] * len(p)
    assert found.violated.all() and (found.margins == -1).all()


def test_a_method_without_training_says_so():
    told = sentence(lambda: WithTraining().set_params(training__lr=1.0))
    assert told == "WithTraining has no training settings."


class WithTraining(Sound):
    def __init__(self, training=None, jitter=0.0, random_state=None):
        super().__init__(jitter, random_state)
        self.training = training


# -- scales of attention -------------------------------------------------------------


def test_ranks_go_from_zero_to_one_inside_each_bag():
    a, offsets = np.array([0.1, 0.5, 0.4, 1.0, 0.3, 0.3]), np.array([0, 3, 4, 6])
    found = scaled_attention(a, offsets, "rank")
    np.testing.assert_allclose(found, [0.0, 1.0, 0.5, 1.0, 0.5, 0.5])


def test_percentiles_are_shares_of_instances_with_no_more_attention():
    a, offsets = np.array([0.1, 0.5, 0.4, 0.4]), np.array([0, 3, 4])
    expected = [np.mean(a <= value) for value in a]
    np.testing.assert_allclose(scaled_attention(a, offsets, "percentile"), expected)


def test_bags_stay_bags(model):
    bags = Bags(PROBLEM.bags)
    assert model._as_bags(bags).instances is bags.instances


@pytest.mark.parametrize(
    ("sets", "labels"),
    [
        ([{"elm", "oak"}, {"oak"}, {"yew"}] * 5, [0, 1, 2] * 5),
        ([{0, 1}, {1}, {2}] * 5, ["elm", "oak", "yew"] * 5),
        ([{0, 1}, {1}, {2}] * 5, np.array(["0", "1", "2"] * 5)),
    ],
)
def test_score_tells_labels_of_another_kind(sets, labels):
    model = Sound().fit(PROBLEM.bags, sets)
    told = sentence(lambda: model.score(PROBLEM.bags, labels))
    assert told.startswith("score needs labels from among the classes ")


def test_score_takes_names_that_hold_the_divider():
    model = Sound().fit(PROBLEM.bags, [{"a|b"}, {"c"}, {"d"}] * 5)
    assert model.score(PROBLEM.bags, model.predict(PROBLEM.bags)) == 1.0
    told = sentence(lambda: model.score(PROBLEM.bags, ["a|b", "c|d", "d"] * 5))
    assert "got candidate sets" in told


def test_score_takes_numbers_for_classes_that_are_their_text():
    model = Sound().fit(PROBLEM.bags, [{"0", "1"}, {"1"}, {"2"}] * 5)
    guess = model.predict(PROBLEM.bags)
    assert model.score(PROBLEM.bags, guess.astype(int)) == 1.0


# -- names of features -----------------------------------------------------------------

COLUMNS = [f"f{i}" for i in range(PROBLEM.bags[0].shape[1])]


def named(names):
    return Bags(PROBLEM.bags, features=names)


def frames(names):
    return [pd.DataFrame(bag, columns=names) for bag in PROBLEM.bags]


@pytest.mark.parametrize("fit_on", [named, frames])
@pytest.mark.parametrize("ask_of", [named, frames])
def test_features_in_another_order_are_refused(fit_on, ask_of):
    model = Sound().fit(fit_on(COLUMNS), PROBLEM.y)
    assert model.feature_names_in_.tolist() == COLUMNS
    model.predict(ask_of(COLUMNS))
    for names in (COLUMNS[::-1], [*COLUMNS[1:], "new"]):
        told = sentence(lambda: model.predict_proba(ask_of(names)))  # noqa: B023
        assert told.startswith("The feature names should match those")


def test_data_or_models_without_names_keep_working():
    named_model = Sound().fit(named(COLUMNS), PROBLEM.y)
    bare = Sound().fit(PROBLEM.bags, PROBLEM.y)
    assert not hasattr(bare, "feature_names_in_")
    for model in (named_model, bare):
        model.predict(PROBLEM.bags)
        model.predict(named(COLUMNS))


def test_a_new_fit_forgets_the_names():
    model = Sound().fit(named(COLUMNS), PROBLEM.y)
    model.fit(PROBLEM.bags, PROBLEM.y).predict(named(COLUMNS[::-1]))


def test_rows_of_another_extractor_are_refused():
    model = Sound().fit(named(Features(None, "uni_v1", 20)), PROBLEM.y)
    told = sentence(lambda: model.predict(named(Features(None, "gigapath"))))
    assert told.startswith("The extractor of the features should be that of fit")
