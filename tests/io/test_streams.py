"""torch's datasets and loaders as bags on disk."""

import gc
import pickle

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from mipl import MIPLMA, Bags, Training, load_dataset, streamed
from mipl.errors import MiplError

DATA = load_dataset("synthetic", r=1)


class Pairs(Dataset):
    """Bags and candidate rows by number, as a user of torch writes it."""

    def __init__(self, n=30):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        bag = torch.tensor(np.array(DATA.bags.bag(i)))
        return bag, torch.tensor(np.array(DATA.candidates.matrix[i]))


def together(items):
    return [bag for bag, _ in items], [row for _, row in items]


@pytest.mark.parametrize(
    "stream",
    [
        Pairs(),
        DataLoader(Pairs(), batch_size=None),
        DataLoader(Pairs(), batch_size=1),
        DataLoader(Pairs(), batch_size=7, collate_fn=together),
    ],
    ids=["dataset", "one by one", "collated", "lists"],
)
def test_what_is_streamed_is_what_is_given(stream):
    bags, sets = streamed(stream)
    assert bags.on_disk and len(bags) == 30
    assert (sets.matrix == DATA.candidates.matrix[:30]).all()
    for mine, theirs in zip(bags, DATA.bags[:30], strict=True):
        np.testing.assert_array_equal(mine, theirs)
    some = bags[[3, 1, 20]]
    np.testing.assert_array_equal(
        some.load().instances, np.concatenate([DATA.bags.bag(i) for i in (3, 1, 20)])
    )


def test_a_fit_takes_a_loader_with_the_bits_of_memory():
    steps = Training(epochs=2, batch_size=4)
    from_loader = MIPLMA(training=steps).fit(DataLoader(Pairs(), batch_size=None), None)
    plain = MIPLMA(training=steps).fit(DATA.bags[:30], DATA.candidates.matrix[:30])
    p = plain.predict_proba(DATA.bags)
    np.testing.assert_array_equal(from_loader.predict_proba(DATA.bags), p)


def test_names_of_classes_are_sets():
    pairs = [(np.ones((2, 2)), ["elm"]), (np.zeros((1, 2)), ["oak", "elm"])]
    _, sets = streamed(pairs)
    assert sets.classes.tolist() == ["elm", "oak"] and sets.sizes.tolist() == [1, 2]


def test_the_file_goes_with_the_last_that_reads_it():
    bags, _ = streamed(Pairs(5))
    path = bags.instances.file.path
    some = pickle.loads(pickle.dumps(bags.instances))
    part = bags[1:3]
    del bags
    gc.collect()
    assert path.exists() and part.load().n_instances > 0
    assert some[0:1].shape == (1, DATA.bags.n_features)
    del part, some
    gc.collect()
    assert not path.exists()


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        ([], "stream of bags is empty"),
        ([np.ones((2, 2))], "must give pairs"),
        ([(np.ones((2, 2)), [1, 0]), (np.ones((2, 3)), [1, 0])], r"bag 1 .* \(n, 2\)"),
        ([(np.ones((3, 2, 2)), [[1, 0]])], "3 bags and 1 candidates"),
        ([(np.ones((0, 2)), [1, 0])], "bag 0 of the stream"),
    ],
)
def test_mistakes_are_sentences(stream, told):
    with pytest.raises(MiplError, match=told):
        streamed(stream)


def test_it_is_bags():
    assert isinstance(streamed(Pairs(2))[0], Bags)
