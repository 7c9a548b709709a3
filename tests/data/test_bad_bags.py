"""The catalogue of bad and odd input: it works, or one sentence names the bag."""

import warnings

import numpy as np
import pytest
import scipy.sparse

from mipl import Bags, MiplError

GOOD = np.ones((2, 3))
with warnings.catch_warnings():  # NumPy announces that it would rather not have them.
    warnings.simplefilter("ignore", PendingDeprecationWarning)
    MATRIX = np.asmatrix(GOOD)


def with_value(value, dtype=np.float64):
    bag = np.ones((2, 3), dtype=dtype)
    bag[1, 2] = value
    return [GOOD, bag]


def masked():
    return np.ma.masked_array(GOOD, mask=[[0, 0, 0], [0, 1, 0]])


class Gradient:
    """Stands for a tensor that refuses to become an array."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("call detach first")


REFUSED = {
    "NaN": (with_value(np.nan), "bag 1 holds NaN at instance 1, feature 2"),
    "infinity": (with_value(np.inf), "bag 1 holds inf.* instance 1, feature 2"),
    "minus infinity": (with_value(-np.inf), "bag 1 holds inf"),
    "both infinities": ([[[np.inf, -np.inf]], GOOD[:, :2]], "bag 0 holds inf"),
    "1e39 in float64": (with_value(1e39), "bag 1 holds .*too large for float32"),
    "-1e300 in a 2-D array": (np.array([[1.0], [-1e300]]), "bag 1 .*instance 0"),
    "NaN in a 3-D array": (np.full((2, 2, 2), np.nan), "bag 0 holds NaN"),
    "integer beyond float64": ([GOOD, [[10**400, 1, 2]]], "bag 1 must hold numbers"),
    "no bags": ([], "there are no bags"),
    "no bags, 2-D": (np.zeros((0, 3)), "there are no bags"),
    "no bags, 3-D": (np.zeros((0, 2, 3)), "there are no bags"),
    "empty bag": ([GOOD, np.zeros((0, 3))], "bag 1 has no instances"),
    "empty bags, 3-D": (np.zeros((2, 0, 3)), "bag 0 has no instances"),
    "empty list as bag": ([GOOD, []], r"bag 1 has shape \(0,\)"),
    "only empty lists": ([[], []], "0 feature"),
    "0 features": (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
    "0 features in lists": ([np.zeros((2, 0))], "0 feature"),
    "mixed widths": ([GOOD, np.ones((2, 4))], r"bag 1 .*\(4,\), bag 0 of \(3,\)"),
    "mixed widths, vectors": ([[1, 2], [1, 2, 3]], "bag 1 has instances of shape"),
    "mixed axes": ([GOOD, np.ones((2, 3, 4))], "bag 1 has instances of shape"),
    "vector among bags": ([GOOD, np.ones(3)], r"bag 1 has shape \(3,\)"),
    "number among bags": ([GOOD, 3.0], r"bag 1 has shape \(\)"),
    "ragged nested lists": ([GOOD, [[1, 2, 3], [4, 5]]], "bag 1 must be a regular"),
    "1-D": (np.ones(4), "Reshape your data"),
    "1-D list": ([1.0, 2.0], "Reshape your data"),
    "0-D": (np.array(1.0), "Reshape your data"),
    "a number": (7, "bags must be a list.*got a int"),
    "nothing": (None, "got a NoneType"),
    "nothing in an array": (np.array(None), "Reshape your data"),
    "text": ("abc", "got a str"),
    "a dict": ({"a": GOOD}, "got a dict"),
    "a set": ({1.0, 2.0}, "got a set"),
    "a generator": ((GOOD for _ in range(2)), "got a generator"),
    "strings": ([GOOD, [["a", "b", "c"]]], "bag 1 must hold numbers"),
    "string array": (np.array([["a", "b"]]), "the array of bags must hold numbers"),
    "objects": ([GOOD, np.array([[1, 2, "x"]], object)], "bag 1 must hold numbers"),
    "None inside": ([GOOD, [[1, 2, None]]], "bag 1 holds NaN at instance 0, feature 2"),
    "dict inside": ([GOOD, [[1, 2, {}]]], "bag 1 must hold .* string or a real number"),
    "complex": (with_value(1j, complex), "Complex data not supported: bag 1"),
    "dates": ([GOOD, np.zeros((1, 3), "M8[D]")], "bag 1 must hold numbers"),
    "records": ([GOOD, np.zeros(2, "f4,f4")], "bag 1 must hold numbers"),
    "sparse": (scipy.sparse.csr_array(GOOD), "sparse"),
    "sparse matrix": (scipy.sparse.csr_matrix(GOOD), "sparse"),
    "sparse among bags": ([GOOD, scipy.sparse.csr_array(GOOD)], "bag 1 .*sparse"),
    "masked": ([GOOD, masked()], "bag 1 .*masked"),
    "unreadable tensor": ([GOOD, Gradient()], "bag 1 must be a regular array"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_bags_are_refused_in_one_sentence(case):
    data, text = REFUSED[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(MiplError, match=text) as caught:
            Bags(data)
    message = str(caught.value)
    assert "\n" not in message and message.endswith(".") and len(message) < 250


def test_an_id_is_named_with_the_number():
    with pytest.raises(MiplError, match=r"bag 1 \('slide7'\) holds NaN"):
        Bags(with_value(np.nan), bag_ids=["slide6", "slide7"])
    with pytest.raises(MiplError, match=r"bag 1 \('slide7'\) has no instances"):
        Bags(GOOD, [0, 2, 2], bag_ids=["slide6", "slide7"])


def test_wrong_types_are_type_errors_too():
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        Bags([[1, {"foo": "bar"}]])
    with pytest.raises(TypeError):
        Bags(scipy.sparse.csr_array(GOOD))


ODD = {
    "-0": with_value(-0.0),
    "subnormal": with_value(1e-310),
    "float32 subnormal": with_value(1e-45),
    "largest float32": with_value(3.4028234e38),
    "float16": with_value(2.0, np.float16),
    "long double": with_value(2.0, np.longdouble),
    "int64": with_value(2**62, np.int64),
    "uint8": with_value(255, np.uint8),
    "bool": with_value(True, bool),
    "big-endian": with_value(2.0, ">f8"),
    "object numbers": with_value(2.0, object),
    "one bag": [GOOD],
    "one instance": [GOOD[:1], GOOD[:1]],
    "one feature": [np.ones((2, 1))],
    "nested lists": [[[1, 2], [3, 4]], [[5, 6]]],
    "not contiguous": [np.arange(24.0).reshape(4, 6)[::2, ::2]],
    "Fortran order": [np.asfortranarray(np.arange(6.0).reshape(2, 3))],
    "negative strides": [np.arange(6.0).reshape(2, 3)[::-1, ::-1]],
    "np.matrix": [MATRIX],
}


@pytest.mark.parametrize("case", ODD)
def test_odd_bags_work_and_keep_their_numbers(case):
    bags = Bags(ODD[case])
    assert bags.instances.dtype == np.float32 and bags.instances.flags.c_contiguous
    for given, kept in zip(ODD[case], bags, strict=True):
        np.testing.assert_array_equal(kept, np.asarray(given).astype(np.float32))


def test_read_only_and_mapped_memory_works(tmp_path):
    array = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    array.flags.writeable = False
    np.testing.assert_array_equal(Bags(array).bag(1), array[1])
    np.save(tmp_path / "bags.npy", array)
    mapped = np.load(tmp_path / "bags.npy", mmap_mode="r")
    np.testing.assert_array_equal(Bags(mapped).bag(1), array[1])


BAD_OFFSETS = {
    "not from 0": ([1, 2], "offsets must rise from 0 to the number of instances 2"),
    "not to N": ([0, 1], "they go from 0 to 1"),
    "beyond N": ([0, 3], "they go from 0 to 3"),
    "duplicate": ([0, 1, 1, 2], "bag 1 has no instances"),
    "falling": ([0, 2, 1, 2], "bag 1 ends before it begins"),
    "standing, then falling": ([0, 0, 2, 1, 2], "bag 2 ends before it begins"),
    "floats": ([0.0, 2.0], "1-D array of integers"),
    "booleans": ([False, True], "1-D array of integers"),
    "text": ("02", "1-D array of integers"),
    "2-D": ([[0, 2]], "1-D array of integers"),
    "none at all": (np.zeros(0, int), "1-D array of integers"),
}


@pytest.mark.parametrize("case", BAD_OFFSETS)
def test_bad_offsets_are_refused(case):
    offsets, text = BAD_OFFSETS[case]
    with pytest.raises(MiplError, match=text):
        Bags(GOOD, offsets)


def test_offsets_of_no_bags_are_refused():
    with pytest.raises(MiplError, match="there are no bags"):
        Bags(np.zeros((0, 3)), [0])
    with pytest.raises(MiplError, match=r"instances must be \(N, d\) rows"):
        Bags(np.ones(3), [0, 3])


BAD_BESIDE = {
    "too few ids": ({"bag_ids": ["a"]}, "bag_ids must have 2 entries; got 1"),
    "one text as ids": ({"bag_ids": "ab"}, "bag_ids must be a flat list"),
    "ids in a matrix": ({"bag_ids": [[1], [2]]}, "bag_ids must be a flat list"),
    "ragged ids": ({"bag_ids": [[1], [2, 3]]}, "bag_ids must be a flat list"),
    "complex ids": ({"bag_ids": [1j, 2j]}, "bag_ids must be a flat list"),
    "too many uris": ({"uris": ["a"] * 3}, "uris must have 2 entries; got 3"),
    "labels per bag": ({"instance_labels": [0, 1]}, "must have 4 entries; got 2"),
    "flat coords": ({"coords": [1, 2, 3, 4]}, r"coords must be .* \(4, c\)"),
    "few coords": ({"coords": [[1, 2]]}, r"coords must be .* \(4, c\)"),
    "NaN in coords": ({"coords": [[np.nan]] * 4}, "coords must be finite"),
    "text as coords": ({"coords": [["a"]] * 4}, "coords must hold numbers"),
    "wrong shape": ({"instance_shape": (2, 2)}, r"instance_shape \(2, 2\) must hold"),
    "negative shape": ({"instance_shape": (-1, -3)}, "instance_shape"),
    "no shape": ({"instance_shape": ()}, "instance_shape"),
}


@pytest.mark.parametrize("case", BAD_BESIDE)
def test_bad_things_beside_the_numbers_are_refused(case):
    beside, text = BAD_BESIDE[case]
    with pytest.raises(MiplError, match=text):
        Bags([GOOD, GOOD], **beside)


def test_objects_as_ids_become_text():
    bags = Bags([GOOD, GOOD], bag_ids=np.array(["x", 5], dtype=object))
    assert bags.bag_ids.tolist() == ["x", "5"]
