"""Bags: how they are built, indexed, frozen and carried about."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import lists_of_arrays, quick

from mipl import Bags, MiplError


def described(arrays):
    """Bags with everything beside the numbers, each entry told from every other."""
    m, n = len(arrays), sum(map(len, arrays))
    return Bags(
        arrays,
        bag_ids=[f"b{i}" for i in range(m)],
        coords=np.arange(2.0 * n).reshape(n, 2),
        instance_labels=np.arange(n),
        uris=[f"u{i}" for i in range(m)],
    )


def naive(arrays, numbers):
    """The fields of the chosen bags, one bag after another, in plain Python."""
    starts = np.cumsum([0, *map(len, arrays)])
    rows = [r for i in numbers for r in range(starts[i], starts[i] + len(arrays[i]))]
    return {
        "instances": [list(map(float, x)) for i in numbers for x in arrays[i]],
        "offsets": [0, *np.cumsum([len(arrays[i]) for i in numbers]).tolist()],
        "bag_ids": [f"b{i}" for i in numbers],
        "coords": [[2.0 * r, 2.0 * r + 1] for r in rows],
        "instance_labels": rows,
        "uris": [f"u{i}" for i in numbers],
    }


def fields(bags):
    names = ("instances", "offsets", "bag_ids", "coords", "instance_labels", "uris")
    return {name: getattr(bags, name).tolist() for name in names}


FIVE = [np.full((n, 3), float(i), np.float32) for i, n in enumerate((2, 1, 4, 1, 3))]


# -- building -------------------------------------------------------------------------


@quick
@given(lists_of_arrays())
def test_a_list_of_arrays_is_kept_number_for_number(arrays):
    bags = Bags(arrays)
    assert len(bags) == len(arrays) == bags.shape[0]
    assert bags.sizes.tolist() == [len(a) for a in arrays]
    assert bags.n_instances == sum(map(len, arrays))
    assert bags.n_features == arrays[0].shape[1]
    for i, (array, bag) in enumerate(zip(arrays, bags, strict=True)):
        np.testing.assert_array_equal(bag, array)
        np.testing.assert_array_equal(bags.bag(i), array)
    owners = [i for i, array in enumerate(arrays) for _ in array]
    assert bags.bag_of_instance.tolist() == owners


@quick
@given(lists_of_arrays())
def test_all_ways_to_give_the_same_bags_agree(arrays):
    offsets = np.cumsum([0, *map(len, arrays)])
    flat = Bags(np.concatenate(arrays), offsets)
    objects = np.empty(len(arrays), dtype=object)
    for i, array in enumerate(arrays):
        objects[i] = array
    others = [arrays, tuple(arrays), [a.tolist() for a in arrays], objects, flat]
    digests = {Bags(other).digest() for other in others}
    assert digests == {flat.digest()}


def test_a_2d_array_is_read_as_bags_of_one_instance():
    array = np.arange(6.0).reshape(3, 2)
    for given_as in (array, array.tolist(), list(array), array.astype(object)):
        bags = Bags(given_as)
        assert bags.sizes.tolist() == [1, 1, 1]
        np.testing.assert_array_equal(bags.instances, array)


def test_a_3d_array_is_read_as_bags_of_equal_size():
    array = np.arange(12.0).reshape(2, 3, 2)
    bags = Bags(array)
    assert bags.offsets.tolist() == [0, 3, 6]
    np.testing.assert_array_equal(bags.bag(1), array[1])
    assert bags.instance_shape is None


def test_images_are_flattened_and_keep_their_shape():
    rng = np.random.default_rng(0)
    images = [rng.random((n, 1, 4, 5), np.float32) for n in (2, 3)]
    bags = Bags(images)
    assert bags.instance_shape == (1, 4, 5) and bags.n_features == 20
    np.testing.assert_array_equal(bags.bag(1).reshape(3, 1, 4, 5), images[1])
    five_axes = Bags(np.zeros((2, 3, 1, 4, 5)))
    assert five_axes.instance_shape == (1, 4, 5) and len(five_axes) == 2
    flat = Bags(np.zeros((4, 4, 5)), [0, 1, 4])
    assert flat.instance_shape == (4, 5)
    assert Bags(flat, instance_shape=(20,)).instance_shape == (20,)


def test_bags_of_bags_keep_or_replace_what_stands_beside_the_numbers():
    bags = described(FIVE)
    same = Bags(bags)
    assert fields(same) == fields(bags)
    assert np.shares_memory(same.instances, bags.instances)
    assert Bags(bags, uris=list("vwxyz")).uris.tolist() == list("vwxyz")
    assert Bags(bags, uris=list("vwxyz")).bag_ids.tolist() == bags.bag_ids.tolist()
    with pytest.raises(MiplError, match="Bags have offsets already"):
        Bags(bags, [0, 11])


def test_data_frames_series_and_tensors_are_read():
    pd = pytest.importorskip("pandas")
    torch = pytest.importorskip("torch")
    table = pd.DataFrame({"a": [1, 2], "b": [0.5, 3.0]})
    assert Bags(table).instances.tolist() == [[1.0, 0.5], [2.0, 3.0]]
    assert Bags([table, table[:1]]).sizes.tolist() == [2, 1]
    assert Bags(pd.Series([np.zeros((2, 3)), np.ones((1, 3))])).n_instances == 3
    tensor = torch.arange(12.0).reshape(2, 3, 2)
    assert Bags(tensor).sizes.tolist() == [3, 3]
    assert Bags([tensor[0], tensor[1][:1]]).sizes.tolist() == [3, 1]
    assert not Bags(tensor.reshape(6, 2), [0, 2, 6]).on_disk


# -- indexing -------------------------------------------------------------------------

KEYS = [0, 4, -1, -5, np.int64(2), slice(None), slice(1, 3), slice(-2, None)]
KEYS += [slice(3, 1), slice(None, None, 2), slice(None, None, -1), slice(9, 20)]
KEYS += [[0, 3], [3, 0, 3], [-1, -2], np.array([4, 1]), []]
KEYS += [np.array([True, False, True, False, True]), [False] * 5, [True] * 5]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_an_index_means_what_it_means_for_an_array(key):
    numbers = np.atleast_1d(np.arange(5)[key]).tolist()
    bags = described(FIVE)
    assert fields(bags[key]) == naive(FIVE, numbers)
    assert fields(bags[key, ...]) == fields(bags[key])


@quick
@given(lists_of_arrays(), st.data())
def test_any_selection_equals_the_naive_one(arrays, data):
    numbers = data.draw(st.lists(st.integers(0, len(arrays) - 1), min_size=1))
    assert fields(described(arrays)[numbers]) == naive(arrays, numbers)
    mask = data.draw(
        st.lists(st.booleans(), min_size=len(arrays), max_size=len(arrays))
    )
    kept = [i for i, keep in enumerate(mask) if keep]
    chosen = described(arrays)[np.array(mask)]
    assert fields(chosen)["bag_ids"] == [f"b{i}" for i in kept]
    assert chosen.n_instances == sum(len(arrays[i]) for i in kept)


@pytest.mark.parametrize(
    "key", [2, -1, slice(None), slice(1, 3), slice(-3, None)], ids=str
)
def test_a_number_and_a_slice_copy_nothing(key):
    bags = described(FIVE)
    part = bags[key]
    assert np.shares_memory(part.instances, bags.instances)
    assert np.shares_memory(part.coords, bags.coords)


BAD_KEYS = [5, -6, [0, 5], [True] * 4, np.ones(6, bool), "a", 1.5, None, True]
BAD_KEYS += [(0, 1), (0, 0, 0), (), np.zeros((2, 2), int), np.ones((5, 1), bool)]


@pytest.mark.parametrize("key", BAD_KEYS, ids=str)
def test_a_wrong_index_is_an_index_error(key):
    with pytest.raises(IndexError):
        Bags(FIVE)[key]


def test_an_empty_selection_is_defined_but_cannot_be_built_from():
    none = described(FIVE)[[]]
    assert len(none) == 0 and none.shape == (0,) and none.n_instances == 0
    assert none.n_features == 3 and list(none) == [] and none.sizes.tolist() == []
    assert repr(none) == "Bags(0 bags, 0 instances x 3 features, empty)"
    assert list(none.pieces(10)) == [] and none.load() is none
    with pytest.raises(MiplError, match="there are no bags"):
        Bags(none)


# -- frozen ---------------------------------------------------------------------------


def test_nothing_in_bags_can_be_changed():
    for bags in (described(FIVE), described(FIVE)[1:3], described(FIVE)[[0, 2]]):
        for name in fields(bags):
            with pytest.raises(ValueError, match="read-only"):
                getattr(bags, name)[0] = 0
        with pytest.raises(AttributeError, match="Bags are frozen"):
            bags.instances = np.zeros((1, 1))
        with pytest.raises(AttributeError, match="Bags are frozen"):
            bags.other = 1
        with pytest.raises(AttributeError, match="Bags are frozen"):
            del bags.offsets


def test_later_writes_of_the_caller_do_not_reach_the_bags():
    rows, offsets = np.ones((4, 2), np.float32), np.array([0, 1, 4])
    coords, ids = np.zeros((4, 2)), np.array([7, 8])
    bags = Bags(rows, offsets, coords=coords, bag_ids=ids)
    rows[:], offsets[1], coords[:], ids[:] = np.nan, 2, 5.0, 0
    assert bags.instances.tolist() == [[1.0, 1.0]] * 4
    assert bags.offsets.tolist() == [0, 1, 4]
    assert bags.coords.max() == 0 and bags.bag_ids.tolist() == [7, 8]
    assert rows.flags.writeable and offsets.flags.writeable, "the caller's stay theirs"


def test_a_read_only_float32_array_is_not_copied():
    rows = np.ones((4, 2), np.float32)
    rows.flags.writeable = False
    assert np.shares_memory(Bags(rows, [0, 4]).instances, rows)


@pytest.mark.parametrize(
    "carry", [copy.copy, copy.deepcopy, "pickle"], ids=["copy", "deepcopy", "pickle"]
)
def test_bags_survive_copying_and_pickling_in_memory(carry):
    bags = Bags(described(FIVE), instance_shape=(3, 1))
    again = pickle.loads(pickle.dumps(bags)) if carry == "pickle" else carry(bags)
    assert fields(again) == fields(bags) and again.instance_shape == (3, 1)
    with pytest.raises(ValueError, match="read-only"):
        again.instances[0] = 0


# -- the rest -------------------------------------------------------------------------


@quick
@given(lists_of_arrays(), st.integers(1, 12))
def test_pieces_are_whole_bags_in_order_and_within_the_bound(arrays, most):
    bags = described(arrays)
    pieces = list(bags.pieces(most))
    assert [i for p in pieces for i in p.bag_ids] == bags.bag_ids.tolist()
    for piece in pieces:
        assert piece.n_instances <= most or len(piece) == 1


def test_digest_tells_content_and_division_apart():
    rows = np.arange(8.0).reshape(4, 2)
    digest = Bags(rows, [0, 2, 4]).digest()
    assert Bags(rows, [0, 2, 4], bag_ids=["a", "b"]).digest() == digest
    others = [Bags(rows, [0, 1, 4]), Bags(rows + 1, [0, 2, 4])]
    others += [Bags(rows, [0, 2, 4], instance_shape=(1, 2)), Bags(rows[:, :1], [0, 4])]
    assert len({digest, *(other.digest() for other in others)}) == 5


def test_with_instances_keeps_sizes_and_names():
    bags = Bags(described(FIVE), instance_shape=(3, 1))
    doubled = bags.with_instances(2 * bags.instances)
    assert fields(doubled) == fields(bags) | {
        "instances": (2 * bags.instances).tolist()
    }
    assert doubled.instance_shape == (3, 1)
    assert bags.with_instances(bags.instances[:, :2]).instance_shape is None
    with pytest.raises(MiplError, match="number of instances 4"):
        bags.with_instances(np.zeros((4, 3)))


def test_as_an_object_array_and_as_text():
    array = np.asarray(Bags(FIVE))
    assert array.dtype == object and [len(a) for a in array] == [2, 1, 4, 1, 3]
    assert Bags(FIVE).dtype == object and Bags(FIVE).ndim == 1
    assert repr(Bags(FIVE)) == "Bags(5 bags, 11 instances x 3 features, 1-4 per bag)"
