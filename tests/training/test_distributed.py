"""Two processes learn what one does, with the same batches."""

import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.training.team import CASES, PROBLEM, build, learnt

from mipl.nn.dropout import DroppedReLU, rekey
from mipl.nn.process_share import ProcessShare
from mipl.training.distributed import Team
from mipl.training.sealed import unseal


def torchrun_command(*words, processes=2):
    """Return the command that runs a Python module in several processes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", f"--master-port={port}"]
    return [*command, f"--nproc-per-node={processes}", *map(str, words)]


def torchrun(*words):
    """Run a Python module in two processes."""
    return subprocess.run(
        torchrun_command(*words),
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """What each of two processes has learnt, by case."""
    folder = tmp_path_factory.mktemp("team")
    ran = torchrun("-m", "tests.training.team", folder, json.dumps(list(CASES)))
    assert ran.returncode == 0, ran.stderr
    return {n: [np.load(folder / f"{n} {r}.npz") for r in (0, 1)] for n in CASES}


@pytest.mark.parametrize("name", CASES)
def test_two_processes_learn_what_one_does(name, pairs):
    model, bags = build(name)
    expected = learnt(model.fit(bags, PROBLEM.y), bags)
    first, second = pairs[name]
    assert set(expected) == set(first) == set(second)
    tolerance = 1e-6 if name == "float32" else 1e-10
    for part, value in expected.items():
        np.testing.assert_array_equal(first[part], second[part], err_msg=part)
        np.testing.assert_allclose(first[part], value, atol=tolerance, err_msg=part)


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """What each of two processes tells of odd fits, and the folder they used."""
    folder = tmp_path_factory.mktemp("odd team")
    ran = torchrun("-m", "tests.training.odd_team", folder)
    assert ran.returncode == 0, ran.stderr
    return [
        json.loads((folder / f"{rank}.json").read_text()) for rank in (0, 1)
    ], folder


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("other seeds", "do not fit the same: give each the same data, arguments and"),
        ("other data", "do not fit the same: give each the same data, arguments and"),
        ("batch norm", "encoder.module.1 (BatchNorm1d) cannot be trained in many"),
        ("dropout", "encoder.module.1 (Dropout) cannot be trained in many processes"),
        (
            "instances",
            "uses all embedded instances of a batch, which many processes do",
        ),
    ],
)
def test_what_cannot_be_shared_out_is_refused(what, sentence, odd):
    for told in odd[0]:
        assert sentence in told[what]


def test_a_signal_to_one_process_stops_all_and_they_go_on(odd):
    for told in odd[0]:
        assert told["interrupted"] == {"steps": 5, "saved": True}
        assert told["resumed"] == told["whole"] and told["all steps"] == 3 * 4
    path = odd[1] / "run.checkpoint"
    _, facts = unseal(path, path.read_bytes())
    assert facts["fingerprint"]["processes"] == 2


def test_a_save_that_fails_stops_all(odd):
    first, second = (told["failed save"] for told in odd[0])
    assert "cannot write" in first and "could not save the state" in second


def test_the_callers_group_of_processes_is_left_as_it_was(odd):
    for told in odd[0]:
        assert told["left open"] is False and told["the caller's own"] is True


class Counting(Team):
    """A team of given size, of which nothing is asked but how it shares bags out."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 8))
def test_every_bag_has_one_process(sizes, processes):
    sizes = np.array(sizes)
    taken = []
    for rank in range(processes):
        part = Counting(rank, processes).part(sizes)
        total, bags = part.rows(per_bag=True)
        assert total == len(sizes)
        taken += range(bags.start, bags.stop)
        total, rows = part.rows(per_bag=False)
        assert total == sizes.sum()
        assert rows.stop - rows.start == sizes[bags].sum()
        # Nobody has more than a fair share by more than a bag.
        assert rows.stop - rows.start <= total / processes + sizes.max()
    assert taken == list(range(len(sizes)))


def test_masks_are_those_of_the_whole_batch():
    drop = DroppedReLU(0.5)
    rekey(drop, 7)
    whole = drop(torch.ones(9, 5))
    for rank, rows in enumerate((slice(0, 4), slice(4, 4), slice(4, 9))):
        rekey(
            drop, 7, ProcessShare(bags=(0, 2, 2, 3), instances=(0, 4, 4, 9), rank=rank)
        )
        assert torch.equal(drop(torch.ones_like(whole[rows])), whole[rows])
