"""Every figure is recounted bag by bag, in plain Python."""

import json
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest

from mipl.data import Bags, Dataset
from mipl.data.describe import describe


@pytest.fixture
def data() -> Dataset:
    rng = np.random.default_rng(3)
    sizes = rng.integers(2, 30, size=60)
    labels = rng.choice(["elm", "fir", "oak", "yew"], size=60)
    sets = [{true, *rng.choice(["elm", "fir", "oak", "yew"], 2)} for true in labels]
    owner = np.repeat(np.arange(60), sizes)
    kinds = np.where(rng.random(len(owner)) < 0.3, labels[owner], "soil")
    bags = Bags(
        rng.normal(size=(len(owner), 3)),
        np.concatenate([[0], np.cumsum(sizes)]),
        instance_labels=kinds,
    )
    return Dataset(bags, sets, labels, groups=np.arange(60) // 7, facts={"gaps": "two"})


def test_columns_of_the_table(data: Dataset) -> None:
    told = describe(data)
    sizes = [len(bag) for bag in data.bags]
    sets = [len(labels) for labels in data.candidates]
    assert (told.bags, told.instances) == (60, sum(sizes))
    assert told.instances_per_bag.least == min(sizes)
    assert told.instances_per_bag.most == max(sizes)
    assert told.instances_per_bag.mean == pytest.approx(sum(sizes) / 60)
    assert told.candidates_per_bag.mean == pytest.approx(sum(sets) / 60)
    assert (told.features, told.classes) == (3, ("elm", "fir", "oak", "yew"))
    assert dict(told.candidate_sizes) == Counter(sets)
    assert told.groups == 9
    assert "9, of 4-7 bags each" in told.details()["groups"]


def test_positives_are_instances_of_the_true_class(data: Dataset) -> None:
    shares = []
    for i in range(60):
        kinds = data.bags[i].instance_labels.tolist()
        shares.append(kinds.count(data.labels[i]) / len(kinds))
    told = describe(data).positives_per_bag
    assert told.least == pytest.approx(min(shares))
    assert told.most == pytest.approx(max(shares))
    assert told.mean == pytest.approx(sum(shares) / 60)


@pytest.mark.parametrize("known", [True, False])
def test_frequent_pairs_are_counted_one_by_one(data: Dataset, known: bool) -> None:
    if not known:
        data = Dataset(data.bags, data.candidates)
    counts: Counter[tuple[str, str]] = Counter()
    for i, labels in enumerate(data.candidates):
        pairs = (
            [(data.labels[i], other) for other in labels - {data.labels[i]}]
            if known
            else combinations(sorted(labels), 2)
        )
        counts.update(pairs)
    told = describe(data).frequent_pairs
    assert [pair.bags for pair in told] == [n for _, n in counts.most_common(5)]
    assert all(counts[pair.first, pair.second] == pair.bags for pair in told)


def test_histogram_counts_every_bag_once(data: Dataset) -> None:
    bins = describe(data).size_histogram
    sizes = [len(bag) for bag in data.bags]
    for one in bins:
        assert one.bags == sum(one.least <= n <= one.most for n in sizes)
    assert sum(one.bags for one in bins) == 60
    assert len(bins) <= 10
    assert [b.least for b in bins[1:]] == [a.most + 1 for a in bins[:-1]]


def test_bars_are_as_long_as_the_share() -> None:
    sizes = [1] * 40 + [2] * 10 + [3]
    data = Dataset([np.ones((n, 1)) for n in sizes], [{0, 1}] * 51)
    lines = describe(data).histogram()
    assert [line.count("█") for line in lines] == [40, 10, 1]


def test_nothing_is_read_from_disk(data: Dataset, rows_on_disk) -> None:
    rows = rows_on_disk(np.asarray(data.bags.instances))
    stored = Dataset(Bags(rows, data.bags.offsets), data.candidates, data.labels)
    told = describe(stored)
    assert told.on_disk and told.instances == data.bags.n_instances
    assert rows.reads == 0


def test_unknown_things_are_none_not_zero() -> None:
    told = describe(Dataset(np.zeros((2, 1, 1)), [{0, 1}, {0}]))
    assert told.positives_per_bag is told.bags_per_class is told.groups is None
    assert told.details()["groups"].startswith("none")
    assert told.columns()["positives min/max/avg"] == "unknown"


def test_share_seen_in_training_comes_from_the_facts() -> None:
    key = "test_instances_seen_in_training"
    data = Dataset(np.zeros((2, 1, 1)), [{0}, {1}], facts={key: [0.5, 0.75]})
    told = describe(data)
    assert (told.seen_in_training.least, told.seen_in_training.most) == (0.5, 0.75)
    assert "50.0% to 75.0%" in str(told)
    for foreign in ("a lot", [], ["x"], 3):
        data = Dataset(np.zeros((2, 1, 1)), [{0}, {1}], facts={key: foreign})
        assert describe(data).seen_in_training is None


def test_instance_labels_as_numbers_match_class_names_as_text() -> None:
    bags = Bags([np.zeros((4, 1))], instance_labels=[3.0, 3.0, 7.0, 2.0])
    data = Dataset(bags, [{"3", "7"}], labels=["3"])
    assert describe(data).positives_per_bag.mean == 0.5


def test_json_and_text_hold_the_same(data: Dataset) -> None:
    told = describe(data)
    plain = json.loads(json.dumps(told.as_dict()))
    assert plain["instances_per_bag"]["most"] == told.instances_per_bag.most
    assert plain["facts"] == {"gaps": "two"}
    text = str(told)
    assert all(value in text for value in told.columns().values())
    assert "gaps" in text and "licence" in text


def test_bins_grow_where_sizes_span_decades() -> None:
    sizes = [1, 2, 3, 40, 500, 600, 20000]
    bags = Bags(np.zeros((sum(sizes), 1)), np.cumsum([0, *sizes]))
    found = describe(Dataset(bags, [{0, 1}] * len(sizes))).size_histogram
    assert (found[0].least, found[-1].most) == (1, 20000)
    for one, following in pairwise(found):
        assert following.least == one.most + 1
    for one in found:
        assert one.bags == sum(one.least <= size <= one.most for size in sizes)
    assert (
        sum(one.bags > 0 for one in found) >= 5
    )  # Evenly, all but one are in the first.
