"""The surroundings of a fit do not matter to it, and it leaves them as they were."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from tests.training.hashed import digest
from tests.training.interrupted import PROBLEM, stopped_at

import mipl
from mipl import MIPLMA, Checkpoint, MiplError, Training
from mipl.testing.checks.surroundings import _global_state

ROOT = Path(__file__).parents[2]
SURROUNDINGS = {
    "PYTHONHASHSEED": ("1", "2"),
    "LC_ALL": ("C", "tr_TR.UTF-8"),
    "LANG": ("C", "de_DE.UTF-8"),
    "TZ": ("UTC", "Asia/Kathmandu"),
    "COLUMNS": ("80", "17"),
    "MIPL_CACHE": ("a", "b"),
}


@pytest.mark.parametrize("which", [0, 1])
def test_hash_seed_locale_place_and_the_callers_seeds_do_not_matter(which, tmp_path):
    changed = {name: values[which] for name, values in SURROUNDINGS.items()}
    changed |= {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.training.hashed"],
        cwd=[tmp_path, Path(mipl.__file__).parent.parent][which],
        env=os.environ | changed,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == digest()


class Interrupting:
    """A callback that breaks off a fit after its first epoch."""

    def __init__(self, error):
        self.error = error

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, metadata):
        raise self.error


def state_of_the_process():
    handlers = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    torch_only = (
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
        torch.is_inference_mode_enabled(),
        dist.is_initialized(),
    )
    return _global_state() | {"handlers": handlers, "torch only": torch_only}


def diverge(path):
    MIPLMA(width=4, training=Training(lr=1e30, batch_size=4)).fit(
        PROBLEM.bags, PROBLEM.y, checkpoint=path
    )


def interrupt(path):
    stopped_at(2)(width=4).fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)


def fail_to_save(path):
    path.mkdir()
    MIPLMA(width=4, training=Training(epochs=1)).fit(
        PROBLEM.bags, PROBLEM.y, checkpoint=Checkpoint(path, every=1)
    )


def fail_in_a_callback(path):
    model = MIPLMA(width=4).set_callbacks(Interrupting(ZeroDivisionError()))
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path)


def take_a_wrong_device(path):
    MIPLMA(width=4, training=Training(device="moon")).fit(PROBLEM.bags, PROBLEM.y)


def succeed(path):
    model = MIPLMA(width=4, training=Training(epochs=2, threads=3, dtype="float64"))
    model.fit(PROBLEM.bags, PROBLEM.y, checkpoint=path).attend(PROBLEM.bags)


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (succeed, None),
        (diverge, MiplError),
        (interrupt, KeyboardInterrupt),
        (fail_to_save, MiplError),
        (fail_in_a_callback, ZeroDivisionError),
        (take_a_wrong_device, MiplError),
    ],
)
@pytest.mark.parametrize("odd", [False, True], ids=["usual", "odd settings"])
def test_a_fit_leaves_the_process_as_it_was(work, error, odd, tmp_path):
    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    try:
        if odd:
            torch.set_num_threads(2)
            torch.set_default_dtype(torch.float64)
            torch.use_deterministic_algorithms(True, warn_only=True)
        before = state_of_the_process()
        if error is None:
            work(tmp_path / "checkpoint")
        else:
            with pytest.raises(error):
                work(tmp_path / "checkpoint")
        assert state_of_the_process() == before
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)
        torch.use_deterministic_algorithms(False)
