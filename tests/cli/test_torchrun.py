"""``mipl fit`` in two processes: one run, one voice, the numbers of one process."""

import os
import shlex
import signal
import subprocess
import time

import numpy as np
import pytest
from tests.training.test_distributed import torchrun_command

import mipl

SETTINGS = ("training.epochs=3", "options.n_bags=41", "training.dtype=float64")


def words(out):
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    return ["fit", "synthetic", "--out", str(out), *settings]


def start(*arguments):
    return subprocess.Popen(
        torchrun_command("-m", "mipl.cli.main", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def test_two_processes_write_one_run(run, tmp_path):
    process = start(*words(tmp_path / "two"))
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.count("trained on") == out.count("saved") == 1
    assert run(*words(tmp_path / "one")).code == 0
    assert sorted(f.name for f in tmp_path.iterdir()) == ["one", "two"]
    one, two = (mipl.load_model(tmp_path / name / "model") for name in ("one", "two"))
    bags = mipl.load_dataset("synthetic", n_bags=41).bags
    for name in ("predict_proba", "attend"):
        a, b = (getattr(model, name)(bags) for model in (one, two))
        np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_allclose(one.label_weights_, two.label_weights_, atol=1e-9)


@pytest.mark.slow
def test_ctrl_c_stops_both_and_tells_how_to_go_on(tmp_path):
    checkpoint = tmp_path / "run.checkpoint"
    command = words(tmp_path / "run")
    command[command.index(SETTINGS[0])] = "training.epochs=100000"
    command += ["--checkpoint-every", "1"]
    process = start(*command)
    while not checkpoint.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate()
    launch = "torchrun --nproc-per-node 2 -m mipl.cli.main"
    assert f"go on with: {launch} {shlex.join(command)} --resume" in err
    assert checkpoint.exists() and not (tmp_path / "run").exists()
