"""Streams: pure functions of a seed and names, and of nothing else."""

import subprocess
import sys

import numpy as np
import pytest

from mipl.errors import MiplError
from mipl.seeds import as_seed, stream, stream_seed


def test_a_stream_is_a_function_of_seed_and_names():
    first = stream(3, "split", 7).random(5).tolist()
    assert stream(3, "split", 7).random(5).tolist() == first
    assert stream(np.int64(3), "split", np.int32(7)).random(5).tolist() == first
    assert stream_seed(3, "init") == stream_seed(3, "init")


NAMES = [(), ("a",), ("b",), ("a", "b"), ("a/b",), ("a,b",), ("ab",), (1,), ("1",)]
NAMES += [("a", 1), ("a", "1"), ("a1",), ("a", 11), ("a", 1, 1), ("", "a"), ("a", "")]


def test_no_two_names_or_seeds_share_a_stream():
    draws = [stream(s, *n).integers(1 << 62) for s in (0, 1, 2**70) for n in NAMES]
    assert len(set(draws)) == len(draws) == 3 * len(NAMES)
    seeds = [stream_seed(s, *n) for s in (0, 1) for n in NAMES]
    assert len(set(seeds)) == len(seeds)


def test_streams_are_independent():
    drawn = np.array([stream(0, "x", i).normal(size=500) for i in range(40)])
    correlation = np.corrcoef(drawn)[np.triu_indices(40, 1)]
    # The spread of a correlation of 500 independent pairs is 1/sqrt(500).
    assert np.abs(correlation).max() < 5 / np.sqrt(500)


def test_other_libraries_get_63_bits():
    seeds = [stream_seed(0, "init", i) for i in range(200)]
    assert all(0 <= seed < 2**63 for seed in seeds) and max(seeds) > 2**60


def test_the_numbers_never_change():
    """Published splits and candidate sets depend on them."""
    program = "from mipl.seeds import *; print(stream_seed(5, 'split', 1, 'x'))"
    done = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert done == {b"%d\n" % stream_seed(5, "split", 1, "x")}


def test_the_global_generator_is_neither_read_nor_touched():
    np.random.seed(0)
    before = np.random.get_state()[1].tolist()
    first = stream(0, "a").random()
    assert np.random.get_state()[1].tolist() == before
    np.random.seed(1)
    assert stream(0, "a").random() == first


@pytest.mark.parametrize("seed", [-1, 1.5, "0", None], ids=str)
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(MiplError, match="seed must be an integer >= 0"):
        stream(seed, "a")


def test_random_state_becomes_a_seed():
    assert as_seed(None) == 0 and as_seed(7) == 7 and as_seed(np.int64(7)) == 7
    a, b = np.random.RandomState(4), np.random.RandomState(4)
    assert as_seed(a) == as_seed(b) and as_seed(a) != as_seed(np.random.RandomState(4))
    for bad in (-1, 0.5, "x", np.random.default_rng(0)):
        with pytest.raises(MiplError, match="random_state must be None, an integer"):
            as_seed(bad)
