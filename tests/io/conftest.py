"""Shared by the tests of formats: one small data set with everything in it."""

import numpy as np
import pytest

from mipl import Bags, Candidates, Dataset


@pytest.fixture
def trees() -> Dataset:
    """Five bags of four features with every optional field."""
    rng = np.random.default_rng(0)
    bags = Bags(
        [rng.normal(size=(n, 4)) for n in (3, 1, 2, 4, 2)],
        bag_ids=["b1", "b2", "c", "d10", "e"],
        coords=rng.random((12, 2)),
        instance_labels=["leaf", "bark"] * 6,
        uris=[f"pictures/{i}.png" for i in range(5)],
        instance_shape=(2, 2),
    )
    votes = np.array([[3, 1, 0], [0, 1, 0], [1, 1, 1], [0.3, 0, 0.2], [1, 1, 0]])
    return Dataset(
        bags,
        Candidates(votes, ["oak", "elm", "ash"]),
        labels=["oak", "elm", "elm", "ash", "oak"],
        groups=[1, 1, 2, 2, 3],
        splits={"default": [([0, 1, 4], [2, 3]), ([0, 2], [3])], "mine": [([4], [0])]},
        name="trees",
        licence="CC0-1.0",
        source="a forest",
        facts={"r": 1, "gaps": [None, "x"]},
    )
