"""Candidates: what may be given, what is refused, and what an index means."""

import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning
from tests.strategies import quick

from mipl import Candidates, MiplError
from mipl.data.candidates import encode


@st.composite
def matrices(draw):
    k = draw(st.integers(2, 6))
    row = st.lists(st.booleans(), min_size=k, max_size=k).filter(any)
    return np.array(draw(st.lists(row, min_size=1, max_size=8)))


# -- building -------------------------------------------------------------------------


@quick
@given(matrices())
def test_all_ways_to_give_the_same_sets_agree(matrix):
    k = matrix.shape[1]
    names = [f"c{c}" for c in range(k)]
    sets = [{names[c] for c in np.flatnonzero(row)} for row in matrix]
    ways = [matrix, matrix.astype(int), matrix.astype(float), matrix.tolist(), sets]
    ways += [[sorted(s) for s in sets], [tuple(s) for s in sets], list(matrix)]
    ways += [[np.array(sorted(s)) for s in sets], np.array([*sets, None])[:-1]]
    for way in ways:
        candidates = Candidates(way, classes=names)
        np.testing.assert_array_equal(candidates.matrix, matrix)
        assert candidates.classes.tolist() == names
        assert candidates.weights is None
        assert [set(s) for s in candidates] == sets
    assert candidates.sizes.tolist() == [len(s) for s in sets]
    assert candidates.shape == matrix.shape and len(candidates) == len(matrix)


@quick
@given(matrices(), st.data())
def test_votes_give_sets_by_support_and_weights_by_normalised_rows(matrix, data):
    votes = np.zeros(matrix.shape)
    for i, c in zip(*np.nonzero(matrix), strict=True):
        votes[i, c] = data.draw(st.floats(0.01, 1e6).filter(lambda v: v != 1))
    candidates = Candidates(votes)
    np.testing.assert_array_equal(candidates.matrix, matrix)
    naive = [[v / sum(row) for v in row] for row in votes.tolist()]
    np.testing.assert_allclose(candidates.weights, naive, rtol=1e-12)
    np.testing.assert_array_equal(candidates.initial_weights(), candidates.weights)


def test_huge_votes_do_not_overflow():
    weights = Candidates(np.array([[1e308, 1e308, 0.0], [0.0, 5e-324, 0.0]])).weights
    assert weights.tolist() == [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]


def test_without_votes_the_starting_weights_are_uniform():
    weights = Candidates([{0, 1}, {2}]).initial_weights()
    assert weights.tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    weights[0, 0] = 7  # A copy of the caller's own.


LABELS = [[0, 2, 1, 2], ["b", "a", "b"], [1.0, 0.0], [True, False], [7]]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_labels_are_sets_of_one(labels):
    for given_as in (labels, tuple(labels), np.array(labels), np.array(labels, object)):
        candidates = Candidates(given_as)
        assert candidates.classes.tolist() == sorted(set(labels))
        assert [set(s) for s in candidates] == [{label} for label in labels]
        assert candidates.encode(labels).tolist() == [
            sorted(set(labels)).index(label) for label in labels
        ]


def test_a_column_is_read_as_labels_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        candidates = Candidates(np.array([[1], [0], [1]]))
    assert candidates.matrix.tolist() == [[False, True], [True, False], [False, True]]


def test_data_frames_series_and_tensors_are_read():
    pd = pytest.importorskip("pandas")
    torch = pytest.importorskip("torch")
    table = pd.DataFrame({"oak": [1, 0], "elm": [1, 1]})
    assert Candidates(table).classes.tolist() == ["oak", "elm"]
    assert Candidates(table, classes=["a", "b"]).classes.tolist() == ["a", "b"]
    assert Candidates(table).matrix.tolist() == [[True, True], [False, True]]
    assert Candidates(pd.Series(["x", "y"])).sizes.tolist() == [1, 1]
    assert Candidates(pd.Series([["x", "y"], ["y"]])).sizes.tolist() == [2, 1]
    assert Candidates(torch.eye(3)).matrix.tolist() == np.eye(3, dtype=bool).tolist()


def test_given_classes_set_the_order_and_may_be_more_than_occur():
    candidates = Candidates([{"b"}, {"a", "b"}], classes=["z", "b", "a"])
    assert candidates.matrix.astype(int).tolist() == [[0, 1, 0], [0, 1, 1]]
    again = Candidates(candidates, classes=["a", "b", "y", "z"])
    assert again.matrix.astype(int).tolist() == [[0, 1, 0, 0], [1, 1, 0, 0]]
    votes = Candidates(np.array([[3.0, 1.0]]), classes=["u", "v"])
    moved = Candidates(votes, classes=["v", "w", "u"])
    assert moved.weights.tolist() == [[0.25, 0.0, 0.75]]
    with pytest.raises(MiplError, match="class 'u' is not among the classes v, w"):
        Candidates(votes, classes=["v", "w"])


def test_text_classes_take_numbers_as_their_text():
    candidates = Candidates([{1, 2}, {"2"}], classes=["1", "2"])
    assert candidates.matrix.tolist() == [[True, True], [False, True]]
    assert candidates.encode([2, "1"]).tolist() == [1, 0]
    assert Candidates([{1, "a"}]).classes.tolist() == ["1", "a"]


# -- refusing -------------------------------------------------------------------------

REFUSED = {
    "empty set": ([{0}, set()], "candidate set of bag 1 is empty"),
    "empty row": (np.array([[1, 0], [0, 0]]), "candidate set of bag 1 is empty"),
    "empty row of votes": (np.array([[3, 1], [0, 0]]), "bag 1 is empty"),
    "no sets": ([], "there are no candidate sets"),
    "no rows": (np.zeros((0, 3), bool), "there are no candidate sets"),
    "no columns": (np.zeros((2, 0), bool), "bag 0 is empty"),
    "negative": (np.array([[1, 0], [1, -2]]), "bag 1, class column 1 is -2.0"),
    "NaN weight": (np.array([[1, np.nan]]), "bag 0, class column 1 is nan"),
    "infinite weight": (np.array([[np.inf, 1]]), "bag 0, class column 0 is inf"),
    "NaN label": (np.array([0.0, np.nan]), "label of bag 1 is nan"),
    "NaN in a set": ([{0.0}, {np.nan}], "label of bag 1 is nan"),
    "None": ([0, None], "candidate None of bag 1 must be a class name"),
    "None in a set": ([{"a"}, {None, "a"}], "candidate None of bag 1"),
    "a set in a list": ([["a"], [["b"]]], r"candidate \['b'\] of bag 1"),
    "bytes": ([{b"a"}], "candidate b'a' of bag 0 must be a class name"),
    "continuous": (np.array([0.5, 1.5]), "Unknown label type.*continuous"),
    "0/1 in lists": ([[1, 0, 1], [0, 1, 0]], "bag 0 names a class twice.*NumPy array"),
    "votes in lists": ([[0.5, 0.5]], "bag 0 names a class twice"),
    "names in a matrix": (np.array([["a", "b"]]), "for class names give a list of"),
    "digits in a matrix": (np.array([["1", "0"]]), "booleans or non-negative numbers"),
    "objects in a matrix": (np.array([[{}, 1]]), "booleans or non-negative numbers"),
    "complex": (np.array([[1j, 1]]), "booleans or non-negative numbers"),
    "3-D": (np.ones((2, 2, 2)), r"got shape \(2, 2, 2\)"),
    "0-D": (np.array(1), "got shape|got a"),
    "a number": (1, "got a int"),
    "nothing": (None, "got a NoneType"),
    "text": ("abc", "got a str"),
    "a set": ({"a", "b"}, "got a set"),
    "a dict": ({0: {"a"}}, "got a dict"),
    "a generator": (({"a"} for _ in range(2)), "got a generator"),
    "sparse": (scipy.sparse.csr_array(np.eye(2)), "got a sparse matrix"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_candidates_are_refused_in_one_sentence(case):
    y, text = REFUSED[case]
    with pytest.raises(MiplError, match=text) as caught:
        Candidates(y)
    assert "\n" not in str(caught.value) and str(caught.value).endswith(".")


BAD_CLASSES = {
    "outside": (["a"], "candidate 'b' of bag 0 is not among the classes a"),
    "twice": (["a", "b", "a"], "class 'a' is named twice"),
    "none": ([], "at least one name|flat list"),
    "unordered": ({"a", "b"}, "in the order of the columns; got a set"),
    "text": ("ab", "got a str"),
    "NaN": ([0.0, np.nan], "NaN or inf"),
    "2-D": ([["a", "b"]], "classes must be a flat list"),
}


@pytest.mark.parametrize("case", BAD_CLASSES)
def test_bad_classes_are_refused(case):
    classes, text = BAD_CLASSES[case]
    with pytest.raises(MiplError, match=text):
        Candidates([{"b"}], classes=classes)


def test_a_matrix_needs_one_column_per_class():
    with pytest.raises(MiplError, match="3 columns for 2 classes"):
        Candidates(np.ones((2, 3), bool), classes=["a", "b"])


def test_encode_and_contains_check_what_they_are_given():
    candidates = Candidates([{0, 1}, {1, 2}])
    assert candidates.contains([0, 0]).tolist() == [True, False]
    with pytest.raises(MiplError, match="label 5 of bag 1 is not among the classes 0,"):
        candidates.encode([0, 5])
    with pytest.raises(MiplError, match="labels must have 2 entries; got 1"):
        candidates.contains([0])
    for bad in ([[0, 1]], 0, [[0], [0, 1]], [None, 0]):
        with pytest.raises(MiplError, match=r"labels must be|is not among"):
            candidates.encode(bad)
    assert encode([], np.array([1, 2])).tolist() == []
    many = np.array([f"c{i}" for i in range(20)])
    with pytest.raises(MiplError, match=r"c7, \.\.\.\.$"):
        encode(["x"], many)


# -- indexing, frozen -----------------------------------------------------------------

KEYS = [0, -1, np.int64(1), slice(1, 3), slice(None, None, -2), [2, 0, 2], []]
KEYS += [[True, False, True, False]]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_index_means_what_it_means_for_an_array(key):
    votes = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0], [1.0, 0.0, 0.0], [1, 1, 2]])
    candidates = Candidates(votes, classes=list("abc"))
    numbers = np.atleast_1d(np.arange(4)[key])
    part = candidates[key]
    np.testing.assert_array_equal(part.matrix, votes[numbers] > 0)
    np.testing.assert_array_equal(part.weights, candidates.weights[numbers])
    assert part.classes.tolist() == list("abc"), "classes stay, whoever is left"
    assert len(candidates[key, ...]) == len(numbers)


@pytest.mark.parametrize("key", [4, -5, [True] * 3, (0, 1), None, "a"], ids=str)
def test_a_wrong_index_is_an_index_error(key):
    with pytest.raises(IndexError):
        Candidates([0, 1, 0, 1])[key]


def test_a_slice_copies_nothing():
    candidates = Candidates(np.ones((4, 2), bool))
    assert np.shares_memory(candidates[1:3].matrix, candidates.matrix)


def test_nothing_can_be_changed():
    given_matrix = np.ones((2, 3), bool)
    candidates = Candidates(given_matrix)
    given_matrix[0] = False
    assert candidates.matrix.all(), "later writes of the caller do not reach it"
    for part in (candidates, candidates[:1], candidates[[0]]):
        with pytest.raises(ValueError, match="read-only"):
            part.matrix[0, 0] = False
        with pytest.raises(AttributeError, match="Candidates are frozen"):
            part.matrix = None
        with pytest.raises(AttributeError, match="Candidates are frozen"):
            del part.classes


@pytest.mark.parametrize("carry", [copy.deepcopy, "pickle"], ids=["deepcopy", "pickle"])
def test_candidates_survive_copying_and_pickling_in_memory(carry):
    old = Candidates(np.array([[3.0, 1.0], [0.0, 1.0]]), classes=["a", "b"])
    new = pickle.loads(pickle.dumps(old)) if carry == "pickle" else carry(old)
    assert new.matrix.tolist() == old.matrix.tolist()
    assert new.weights.tolist() == old.weights.tolist()
    assert new.classes.tolist() == ["a", "b"] and not new.matrix.flags.writeable


def test_as_an_array_and_as_text():
    candidates = Candidates([{0, 1}, {2}])
    assert np.asarray(candidates).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert np.array(candidates, dtype=int).dtype == int
    assert candidates.dtype == bool and candidates.ndim == 2
    assert repr(candidates) == (
        "Candidates(2 bags, 3 classes, 1.50 candidates on average)"
    )
    assert repr(Candidates(np.array([[2.0, 1.0]]))[:0]).endswith("average, weighted)")


# -- stored parts ---------------------------------------------------------------------


def test_stored_parts_come_back_bit_for_bit():
    old = Candidates(np.array([[3.0, 1.0, 0.1], [0.0, 7.0, 2.0]]))
    new = Candidates.from_parts(old.matrix.copy(), old.classes, old.weights.copy())
    assert new.weights.tobytes() == old.weights.tobytes()
    assert Candidates.from_parts(old.matrix, ["a", "b", "c"]).weights is None


BAD_PARTS = {
    "numbers": (np.ones((1, 2)), None, "must be boolean with 2 columns"),
    "columns": (np.ones((1, 3), bool), None, "must be boolean with 2 columns"),
    "empty set": (np.zeros((1, 2), bool), None, "bag 0 is empty"),
    "weights' type": (np.ones((1, 2), bool), [[1, 0]], "must be float64"),
    "weights' shape": (np.ones((1, 2), bool), [[1.0]], r"of shape \(1, 2\)"),
    "sum": (np.ones((1, 2), bool), [[0.5, 0.4]], "bag 0 must be >= 0"),
    "outside": (np.array([[True, False]]), [[0.5, 0.5]], "0 elsewhere"),
    "negative": (np.ones((1, 2), bool), [[1.5, -0.5]], "bag 0 must be >= 0"),
    "NaN": (np.ones((1, 2), bool), [[np.nan, 1.0]], "bag 0 must be >= 0"),
}


@pytest.mark.parametrize("case", BAD_PARTS)
def test_bad_stored_parts_are_refused(case):
    matrix, weights, text = BAD_PARTS[case]
    with pytest.raises(MiplError, match=text):
        Candidates.from_parts(matrix, [0, 1], weights)


@pytest.mark.parametrize(
    "y",
    [
        ["0|2", "1", "2 | 0"],
        np.array(["0|2", "1", "2|0"]),
        np.array(["0|2", "1", "2|0"], dtype=object),
        pd.Series(["0|2", "1", "2|0"]),
    ],
    ids=["list", "array", "objects", "series"],
)
def test_a_text_in_place_of_a_set_is_divided_as_in_files(y):
    candidates = Candidates(y)
    assert candidates.classes.tolist() == ["0", "1", "2"]
    assert candidates.matrix.astype(int).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_names_in_sets_and_names_that_are_classes_are_not_divided():
    assert Candidates([{"a|b"}, {"c"}]).classes.tolist() == ["a|b", "c"]
    assert Candidates([["a|b"], ["c"]]).classes.tolist() == ["a|b", "c"]
    assert Candidates([{"a|b", ""}, {""}]).classes.tolist() == ["", "a|b"]
    known = Candidates(["a|b", "c"], classes=["a|b", "c", "d"])
    assert known.matrix.astype(int).tolist() == [[1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (["a||b", "c"], "bag 0 must be class names divided by '|'"),
        (["c", "a|"], "bag 1 must be class names divided by '|'"),
        (["a|a", "c"], "bag 0 names a class twice"),
    ],
)
def test_texts_that_are_no_sets_are_told(y, says):
    with pytest.raises(MiplError, match=re.escape(says)):
        Candidates(y)
