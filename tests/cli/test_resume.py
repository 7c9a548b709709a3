"""``mipl fit`` that is interrupted: saved, told, gone on from, never lost."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from mipl.cli.main import main
from mipl.cli.progress import EpochBar

QUICK = (
    "--set", "training.epochs=4", "--set", "options.n_bags=40",
    "--set", "training.batch_size=10", "--set", "training.record_bags=[3]",
)  # fmt: skip
FILES = (
    *("model/model.safetensors", "model/model.json", "run.toml", "bags.json"),
    "history.json",
)


@pytest.fixture
def fit(run, tmp_path):
    def fit(*arguments, out="a run"):
        return run("fit", "synthetic", "--out", tmp_path / out, *QUICK, *arguments)

    return fit


@pytest.fixture
def interrupted(fit, monkeypatch):
    """Interrupt a fit by a signal when its second epoch has ended."""
    on_end = EpochBar.on_fit_task_end

    def stop(number, *arguments):
        def ended(self, estimator, context, *, metadata=None, **others):
            if metadata and metadata["figures"]["epoch"] == 2:
                signal.raise_signal(number)
            return on_end(self, estimator, context, metadata=metadata, **others)

        with monkeypatch.context() as patch:
            patch.setattr(EpochBar, "on_fit_task_end", ended)
            return fit(*arguments)

    return stop


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
@pytest.mark.parametrize("every", [(), ("--checkpoint-every", 3)], ids=["", "every 3"])
def test_a_stopped_fit_is_saved_and_goes_on(
    fit, run, interrupted, tmp_path, number, code, every
):
    fit("--seed", 3, out="whole")
    before = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    ran = interrupted(number, "--seed", 3, *every)
    assert ran.code == code
    assert {f.name for f in tmp_path.iterdir()} == {"whole", "a run.checkpoint"}
    told = next(x for x in ran.err.splitlines() if x.startswith("interrupted: "))
    words = shlex.split(told.removeprefix("interrupted: go on with: "))
    assert words[0] == "mipl" and words[-1] == "--resume"
    ran = run(*words[1:])
    assert ran.code == 0, ran.err
    assert {f.name for f in tmp_path.iterdir()} == {"whole", "a run"}
    for name in FILES:
        whole, other = ((tmp_path / f / name).read_bytes() for f in ("whole", "a run"))
        assert whole == other, name
    after = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)]
    assert after == before


def test_an_interrupted_run_is_not_lost_by_accident(fit, interrupted, tmp_path):
    interrupted(signal.SIGINT)
    checkpoint = tmp_path / "a run.checkpoint"
    saved = checkpoint.read_bytes()
    for more, sentence in (
        ([], f"error: {checkpoint} is of an interrupted run; add --resume to go on "),
        (["--resume", "--seed", 3], "its seed is 0, here it is 3"),
        (["--resume", "--set", "lam=0.1"], "its lam is 0.5, here it is 0.1"),
    ):
        ran = fit(*more)
        assert ran.code == 2 and sentence in ran.err
        assert [f.name for f in tmp_path.iterdir()] == [checkpoint.name]
        assert checkpoint.read_bytes() == saved


def test_resume_without_a_checkpoint_begins_at_the_beginning(fit, tmp_path):
    assert fit("--resume").code == 0
    assert [f.name for f in tmp_path.iterdir()] == ["a run"]


def test_a_failed_fit_tells_no_way_to_go_on(run, tmp_path):
    ran = run("fit", "absent", "--out", tmp_path / "run")
    assert ran.code == 2 and "--resume" not in ran.err


@pytest.mark.parametrize("every", [0, "x"])
def test_the_number_of_epochs_must_be_one(fit, every, tmp_path):
    ran = fit("--checkpoint-every", every)
    assert ran.code == 2 and not list(tmp_path.iterdir())


def start(*words):
    return subprocess.Popen(
        [sys.executable, "-m", main.__module__, *map(str, words)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )


def wait_for(path, process):
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_ctrl_c_in_a_terminal(tmp_path):
    command = ["fit", "synthetic", "--out", str(tmp_path / "run")]
    command += ["--set", "training.epochs=100000", "--checkpoint-every", "1"]
    process = start(*command)
    wait_for(tmp_path / "run.checkpoint", process)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert f"go on with: mipl {shlex.join(command)} --resume" in err
    assert "Traceback" not in err and "Aborted" not in err


def test_a_killed_command_goes_on_and_leaves_nothing_else_behind(run, tmp_path):
    settings = ("--set", "training.epochs=150", "--set", "options.n_bags=40")
    command = ("fit", "synthetic", *settings, "--checkpoint-every", 5, "--out")
    process = start(*command, tmp_path / "killed")
    wait_for(tmp_path / "killed.checkpoint", process)
    process.kill()
    process.communicate()
    assert not (tmp_path / "killed").exists()
    assert run(*command, tmp_path / "killed", "--resume").code == 0
    assert run(*command, tmp_path / "whole").code == 0
    assert {f.name for f in tmp_path.iterdir()} == {"killed", "whole"}
    for name in FILES:
        one, other = ((tmp_path / f / name).read_bytes() for f in ("killed", "whole"))
        assert one == other, name


def test_learners_of_a_class_each_that_are_ready_are_kept(run, tmp_path, monkeypatch):
    on_end, begun = EpochBar.on_fit_task_end, []

    def ended(self, estimator, context, *, metadata=None, **others):
        begun.extend([1] * bool(metadata and metadata["figures"]["epoch"] == 1))
        if len(begun) == 3:  # Two are ready.
            signal.raise_signal(signal.SIGINT)
        return on_end(self, estimator, context, metadata=metadata, **others)

    few = ("--set", "options.n_bags=40", "--set", "inducing=8", "--set", "iterations=3")
    order = ("fit", "synthetic", "--method", "vgpmil", *few, "--out")
    assert run(*order, tmp_path / "whole").code == 0
    with monkeypatch.context() as patch:
        patch.setattr(EpochBar, "on_fit_task_end", ended)
        ran = run(*order, tmp_path / "run")
    assert ran.code == 130 and "--resume" in ran.err
    ran = run(*order, tmp_path / "run", "--resume")
    assert ran.code == 0 and "3/3" in ran.err  # Two of five need not be learnt.
    for name in FILES[:-1]:  # Learners of a class each have no common history.
        whole, other = ((tmp_path / f / name).read_bytes() for f in ("whole", "run"))
        assert whole == other, name
    assert not (tmp_path / "run.checkpoint").exists()


def test_a_regression_on_all_instances_is_told_and_gone_on_with(
    run, tmp_path, monkeypatch
):
    """MIPLGP's last task, after its epochs, is stopped between two iterations."""
    monkeypatch.setattr("mipl.nn.gp.conjugate._PRECISION", 1e-5)
    on_end, iterations = EpochBar.on_fit_task_end, []

    def ended(self, estimator, context, *, metadata=None, **others):
        if context.task_name == "iteration":
            iterations.append(metadata["figures"]["iteration"])
            if len(iterations) == 2:
                signal.raise_signal(signal.SIGINT)
        return on_end(self, estimator, context, metadata=metadata, **others)

    few = ("--set", "options.n_bags=40", "--set", "exact_up_to=30")
    few += ("--set", "inducing=5", "--set", "training.epochs=2")
    order = ("fit", "synthetic", "--method", "miplgp", *few, "--out")
    ran = run(*order, tmp_path / "whole")
    assert ran.code == 0 and "3/3" in ran.err
    with monkeypatch.context() as patch:
        patch.setattr(EpochBar, "on_fit_task_end", ended)
        ran = run(*order, tmp_path / "run")
        assert ran.code == 130 and "--resume" in ran.err
        assert "iteration 2 residual" in ran.err
        ran = run(*order, tmp_path / "run", "--resume")
    assert ran.code == 0 and iterations[:3] == [1, 2, 4]  # The third was kept.
    for name in FILES:
        whole, other = ((tmp_path / f / name).read_bytes() for f in ("whole", "run"))
        assert whole == other, name
